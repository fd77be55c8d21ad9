"""FABRIK for chains and trees of bones."""
