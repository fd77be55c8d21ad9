"""FABRIK, then SQP."""
