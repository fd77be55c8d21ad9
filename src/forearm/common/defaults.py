"""What public calls assume where nothing is said."""

DEFAULT_METHOD = "auto"
DEFAULT_CLEARANCE = 0.01  # from obstacles [m]
DEFAULT_JOINT_STEP = 0.1  # of a track [rad or m]: 500 way-points over a whole turn of a joint need 0.013 a step
HALFWAY = (1e-4, 1e-3)  # what the pose halfway between two points may be off the line [m], [rad]
