"""The formulas of each structure."""
