"""A motion from a BVH file carried over to a humanoid: feet that stand, hands that follow, a CSV for its controller."""

import tempfile
from pathlib import Path

import numpy as np

import forearm as fa

URDF = Path(__file__).parent / "humanoid.urdf"
# joint, the one it hangs on, where it is in that one [cm]: y up, looking along z, arms out
JOINTS = [("Hips", "", (0, 97, 0)), ("Spine", "Hips", (0, 30, 0)), ("Head", "Spine", (0, 30, 0))]
for side, s in (("Left", 1), ("Right", -1)):
    JOINTS += [(f"{side}Arm", "Spine", (18 * s, 20, 0)), (f"{side}ForeArm", f"{side}Arm", (28 * s, 0, 0))]
    JOINTS += [(f"{side}Hand", f"{side}ForeArm", (26 * s, 0, 0)), (f"{side}UpLeg", "Hips", (9 * s, -5, 0))]
    JOINTS += [(f"{side}Leg", f"{side}UpLeg", (0, -42, 0)), (f"{side}Foot", f"{side}Leg", (0, -42, 0))]


def hierarchy(name, offset, order):
    """The lines of a joint and what hangs on it; the order of joints is noted."""
    order.append(name)
    places = "" if order[1:] else "Xposition Yposition Zposition "
    head = f"{'JOINT' if order[1:] else 'ROOT'} {name}\n{{\nOFFSET {' '.join(map(str, offset))}\n"
    head += f"CHANNELS {6 if places else 3} {places}Zrotation Xrotation Yrotation\n"
    return head + "".join(hierarchy(n, o, order) for n, above, o in JOINTS if above == name) + "}\n"


def squat(seconds=3.0, rate=60):
    """A squat with arms that rise, as the text of a BVH file."""
    order = []
    text = "HIERARCHY\n" + hierarchy("Hips", (0, 0, 0), order)
    down = np.sin(np.linspace(0.0, np.pi, round(seconds * rate))) ** 2
    rows = np.zeros((len(down), 3 + 3 * len(order)))
    bend = 12.0 + 43.0 * down  # of the hip; the knee bends twice as much, the foot stays flat [deg]
    rows[:, 1] = 13.0 + 84.0 * np.cos(np.radians(bend))
    for side, s in (("Left", 1), ("Right", -1)):
        for name, column, angle in (
            ("Arm", 0, -70.0 * s), ("Arm", 2, -60.0 * s * down), ("ForeArm", 2, -25.0 * s),
            ("UpLeg", 1, -bend), ("Leg", 1, 2.0 * bend), ("Foot", 1, -bend),
        ):  # fmt: skip
            rows[:, 3 + 3 * order.index(side + name) + column] = angle
    numbers = "\n".join(" ".join(f"{value:.5f}" for value in row) for row in rows)
    return f"{text}MOTION\nFrames: {len(rows)}\nFrame Time: {1 / rate:.7f}\n{numbers}\n"


with tempfile.TemporaryDirectory() as folder:
    clip = Path(folder, "squat.bvh")
    clip.write_text(squat())
    motion = fa.retarget(clip, URDF)  # the map of bones to links is proposed from names and shape
    motion.write(Path(folder, "motion.csv"))
    print(motion.map["left_hand"], motion.map["left_foot"])
print(motion.reason)
print("worst [m]:", {part: round(value, 4) for part, value in motion.worst.items() if part.endswith(("hand", "foot"))})
