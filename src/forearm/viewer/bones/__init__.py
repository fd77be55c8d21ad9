"""The page of bones."""
