"""FABRIK-R's Tables 2 and 5 beside the catalog's arms, and the Measured rows of Table 6 by forward kinematics.

Table 5 is where the print had to be corrected: alpha6 is -90 deg and d1 148.9 mm, under which the printed
errors of the Calculated angles come out. The Measured errors do not follow from the Measured angles.
"""

import math

import numpy as np

from forearm.common.types import Floats
from forearm.reproduce import Row, Sampling, Table, Tick
from forearm.reproduce.fabrik_r.tables import TABLE_6, errors_of_angles, load_pioneer
from forearm.robot import Robot, load

# a [mm], alpha [deg], d [mm] of each joint, as printed
TABLE_2 = ((0, -90, 90), (90, 0, 0), (90, 0, 0), *((90, -90, 0),) * 5, (90, 0, 0), (90, 0, 0))
TABLE_5 = ((0, -90, 150), (0, -90, 0), (0, -90, 150), (0, -90, 0), (0, -90, 145), (75, 90, 0), (75, 0, 0))
# Table 6, Measured: theta 1 to 7 [deg], printed error [cm]
MEASURED = (
    (72.4340, 231.6715, 44.8680, 68.3284, 173.0205, 223.4604, 137.8299, 2.4576),
    (289.1496, 233.4310, 200.8798, 97.9472, 239.5894, 230.7918, 173.0205, 1.6959),
    (272.7273, 234.6041, 161.2903, 127.5660, 220.5279, 174.1935, 118.1818, 2.8404),
    (299.4135, 211.1437, 97.0674, 58.3578, 97.3607, 187.9765, 181.2317, 2.5531),
    (149.2669, 158.6510, 272.1408, 57.4780, 223.4604, 215.5425, 150.4399, 1.3029),
    (149.8534, 200.5865, 115.5425, 72.7273, 130.4985, 180.6452, 168.9149, 1.4112),
    (173.9003, 212.3167, 208.5044, 81.8182, 0.5865, 184.1642, 170.0880, 0.8254),
    (187.0968, 231.3783, 172.7273, 117.5953, 59.2375, 229.9120, 137.8299, 0.5781),
    (145.4545, 228.7390, 114.9560, 107.3314, 112.9032, 191.4956, 141.0557, 1.0279),
    (132.8446, 234.0176, 137.8299, 118.1818, 298.8270, 233.7243, 223.1671, 1.6758),
)

NOTE_2 = "As printed; the catalog's `fabrik-r-10dof`, read back from its axes at zero."
NOTE_5 = (
    "The catalog's `pioneer`, read back from its axes at zero. alpha6 is -90 deg here (the printed +90 deg is a "
    "negated theta 7) and d1 is 148.9 mm (150 printed): so all ten printed errors of the Calculated rows come "
    "out within 0.0002 cm."
)
NOTE_MEASURED = (
    "The angles were read off a real arm, which cannot be done again; what can is forward kinematics of them. The "
    "printed errors do not follow from the printed angles under the model that fits the Calculated rows, which "
    "the report shows as missed. In the last row two angles are more than 20 deg from the Calculated ones."
)


def tables(_: Sampling, tick: Tick) -> tuple[Table, ...]:
    """Tables 2 and 5, and the Measured half of Table 6."""
    rows = np.array(MEASURED)
    away = errors_of_angles(rows[:, :7])
    measured = tuple(
        Row(target_cm=", ".join(f"{value:g}" for value in goal[:3]), paper=float(row[7]), here=float(error))
        for goal, row, error in zip(TABLE_6, rows, away, strict=True)
    )
    tick("Tables 2 and 5")
    return (
        Table("table-2", "Table 2: the 10-DOF arm", NOTE_2, links(load("fabrik-r-10dof"), TABLE_2)),
        Table("table-5", "Table 5: the Pioneer arm", NOTE_5, links(load_pioneer(), TABLE_5)),
        Table("table-6-measured", "Table 6, Measured rows: errors (cm)", NOTE_MEASURED, measured),
    )


def links(robot: Robot, printed: tuple[tuple[float, ...], ...]) -> tuple[Row, ...]:
    """The printed rows [mm] and [deg] beside what lies between the robot's own frames."""
    frames = np.concatenate([np.eye(4)[None], robot.fk_all(np.zeros(robot.n))[: robot.n]])
    rows = []
    for k, (a, alpha, d) in enumerate(printed):
        own_a, own_alpha, own_d = denavit_hartenberg(np.linalg.inv(frames[k]) @ frames[k + 1])
        own = {"paper_a": a, "a": 1e3 * own_a, "paper_alpha": alpha, "alpha": own_alpha}
        rows.append(Row(joint=k + 1, **own, paper_d=d, d=1e3 * own_d))
    return tuple(rows)


def denavit_hartenberg(T: Floats) -> tuple[float, float, float]:
    """A [m], alpha [deg] and d [m] of the transform Rz(theta) Tz(d) Tx(a) Rx(alpha), rounded to 1e-9."""
    theta = math.atan2(T[1, 0], T[0, 0])
    a = math.cos(theta) * T[0, 3] + math.sin(theta) * T[1, 3]
    alpha = math.degrees(math.atan2(T[2, 1], T[2, 2]))
    return round(a, 9) + 0.0, round(alpha, 9) + 0.0, round(float(T[2, 3]), 9) + 0.0
