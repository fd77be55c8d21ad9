"""Column numbers of the combined method, shared by its kernels and the Python that makes their tables.

The table of a robot, flat, made once: `facts`, the numbers below; `back` and `lines` as the closed forms have them
(`core/closed_form/forms/plan.py`); links and joints of the reduced chain, whose tip is P3. An arm is reduced to two
links in one of three forms.
"""

# forms: three parallel axes (UR), parallel axes 2 and 3 with a spherical wrist, spherical shoulder and wrist
PARALLEL, WRIST, BALL = 0, 1, 2

# places in `facts`
FORM = 0
FIRST = 1  # the first joint that iterates
LENGTHS = 2  # of the two links [m]
START = 4  # v_init: unit vector along which the chain starts straight
ELBOW_POINT = 7  # P2 at the zero configuration [m]
END_POINT = 10  # P3 at the zero configuration [m]
SIGNS = 13  # PARALLEL, WRIST: of joints 3 and 4 about axis 2; BALL: 1 if the shoulder's cone follows joint 2
OFFSET = 15  # angle from the first link to the second at the zero configuration [rad]
CONE = 16  # BALL: angle from v_init to the first link at the zero configuration about axis 2 [rad]
FACTS = 17

# columns of `problems`, one row per two-link problem
DIST = 0  # from P3 to its target [m]
SWEEPS, STEPS = 1, 2  # of FABRIK and of the refiner
TARGET = 3  # P_t [m]; PARALLEL, WRIST: seen from the first joint's link
SEED = 6  # values of the joints that iterate, then their answer
BRANCH = 10  # PARALLEL: q1, q5, q6 and the sum of angles 2, 3, 4; WRIST: q1; BALL: P2, then P3
REACHABLE = 16  # 1 if two links of these lengths can meet the target at all
SCRATCH = 17  # seven joint values, or the rotation left for the wrist
SIDE = 26  # BALL: unit vector across v_init, in whose half-plane the links move
PROBLEM_COLUMNS = 29
MAX_PROBLEMS = 20  # two q1, each with two signs and seven more at a singular wrist; the last is scratch

# where the report says what was done
SWEEPS_DONE, STEPS_DONE, PROBLEM = 5, 6, 7

# places in `settings`
N_L, MAX_ITERATIONS, REFINER, NORM, ELBOW, MODE = 0, 1, 2, 3, 4, 5
# refiners, norms, elbows and modes, in the order of the option's names
SQP, NLOPT, NONE = 0, 1, 2
ONE, TWO, INFINITY = 0, 1, 2
OF_START, OF_FABRIK = 0, 1
FULL, PAPER = 0, 1
