"""The page of an arm."""
