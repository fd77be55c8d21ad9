"""Expands xacro files without running them: an interpreter of expressions, and one of elements."""
