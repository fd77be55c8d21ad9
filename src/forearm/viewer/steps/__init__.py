"""A method replayed step by step."""
