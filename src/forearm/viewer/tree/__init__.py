"""The page of a robot with several tips."""
