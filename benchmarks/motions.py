"""Human motions made by formulas: a walk, a reach and a squat, as clips; nothing in them comes from a capture.

A body of 1.75 m in centimetres, y up, looking along z, arms out at rest, as motion files usually have it. Legs are laid
out from where hips and ankles shall be; ankles rock and rise while the foot stands, as those of people do.
"""

import numpy as np

from forearm.bones.clips.clip import Clip
from forearm.bones.clips.parts import Joints, Motion

# joint, the one it hangs on, where it is in that one [cm]
JOINTS = (
    ("Hips", None, (0, 95, 0)),
    ("Spine", "Hips", (0, 12, 0)),
    ("Chest", "Spine", (0, 20, 0)),
    ("Neck", "Chest", (0, 22, 0)),
    ("Head", "Neck", (0, 10, 0)),
    ("LeftShoulder", "Chest", (5, 16, 0)),
    ("LeftArm", "LeftShoulder", (13, 0, 0)),
    ("LeftForeArm", "LeftArm", (29, 0, 0)),
    ("LeftHand", "LeftForeArm", (26, 0, 0)),
    ("RightShoulder", "Chest", (-5, 16, 0)),
    ("RightArm", "RightShoulder", (-13, 0, 0)),
    ("RightForeArm", "RightArm", (-29, 0, 0)),
    ("RightHand", "RightForeArm", (-26, 0, 0)),
    ("LeftUpLeg", "Hips", (9, -4, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -43, 0)),
    ("LeftFoot", "LeftLeg", (0, -40, 0)),
    ("LeftToe", "LeftFoot", (0, -6, 15)),
    ("RightUpLeg", "Hips", (-9, -4, 0)),
    ("RightLeg", "RightUpLeg", (0, -43, 0)),
    ("RightFoot", "RightLeg", (0, -40, 0)),
    ("RightToe", "RightFoot", (0, -6, 15)),
)
NAMES = tuple(name for name, _, _ in JOINTS)
OFFSETS = np.array([offset for _, _, offset in JOINTS], float)
PARENT = np.array([-1 if parent is None else NAMES.index(parent) for _, parent, _ in JOINTS])
THIGH, SHIN, ANKLE = 43.0, 40.0, 8.0
SIDES = {"Left": 1.0, "Right": -1.0}


def about(axis, angles):
    """(F, 3, 3) turns about x, y or z."""
    R = np.zeros((len(angles), 3, 3))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angles), np.sin(angles)
    R[:, axis, axis] = 1.0
    R[:, j, j], R[:, j, k], R[:, k, j], R[:, k, k] = c, -s, s, c
    return R


def smooth(x):
    """0 to 1 without a jerk."""
    x = np.clip(x, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def bone_turn(way, lateral, rest):
    """(F, 3, 3) turns that bring a bone's rest direction (an axis) onto a way, hinge about lateral."""
    d = way / np.linalg.norm(way, axis=1, keepdims=True)
    x = lateral - d * (lateral * d).sum(axis=1, keepdims=True)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    if rest == "down":  # rest direction is -y, hinge x
        return np.stack([x, -d, np.cross(x, -d)], axis=2)
    side = 1.0 if rest == "left" else -1.0  # rest direction is +-x, hinge y
    return np.stack([side * d, x, np.cross(side * d, x)], axis=2)


class Figure:
    """Turns and places that become a clip."""

    def __init__(self, seconds, rate):
        self.t = np.arange(round(seconds * rate) + 1) / rate
        self.F = len(self.t)
        self.turns = {name: np.tile(np.eye(3), (self.F, 1, 1)) for name in NAMES}  # in the world
        self.hips = np.tile([0.0, 95.0, 0.0], (self.F, 1))

    def trunk(self, pelvis, chest):
        """Turns the pelvis and, half by half, spine and chest."""
        self.turns["Hips"] = pelvis
        self.turns["Spine"] = pelvis
        for name in ("Chest", "Neck", "Head", "LeftShoulder", "RightShoulder"):
            self.turns[name] = chest

    def leg(self, side, ankle, pitch):
        """Bends a leg so that its ankle is at (F, 3) points; the foot is pitched (toe down positive)."""
        hip = self.hips + (self.turns["Hips"] @ OFFSETS[NAMES.index(f"{side}UpLeg")])
        way = ankle - hip
        far = np.minimum(np.linalg.norm(way, axis=1), 0.999 * (THIGH + SHIN))
        d = way / np.linalg.norm(way, axis=1, keepdims=True)
        ahead = self.turns["Hips"][:, :, 2]
        ahead = ahead - d * (ahead * d).sum(axis=1, keepdims=True)
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
        along = (THIGH**2 - SHIN**2 + far**2) / (2.0 * far)
        knee = hip + along[:, None] * d + np.sqrt(np.maximum(THIGH**2 - along**2, 0.0))[:, None] * ahead
        lateral = self.turns["Hips"][:, :, 0]
        self.turns[f"{side}UpLeg"] = bone_turn(knee - hip, lateral, "down")
        self.turns[f"{side}Leg"] = bone_turn(hip + far[:, None] * d - knee, lateral, "down")
        self.turns[f"{side}Foot"] = self.turns[f"{side}Toe"] = about(0, pitch)

    def arm(self, side, upper, fore):
        """Lays an arm along two (F, 3) directions."""
        rest = side.lower()
        back = np.tile([0.0, 1.0, 0.0], (self.F, 1)) + 0.3 * np.array([0.0, 0.0, 1.0])
        self.turns[f"{side}Arm"] = bone_turn(upper, back, rest)
        self.turns[f"{side}ForeArm"] = self.turns[f"{side}Hand"] = bone_turn(fore, back, rest)

    def clip(self):
        """The clip."""
        local = np.zeros((self.F, len(NAMES), 3, 3))
        for i, name in enumerate(NAMES):
            above = np.eye(3) if PARENT[i] < 0 else np.swapaxes(self.turns[NAMES[PARENT[i]]], 1, 2)
            local[:, i] = above @ self.turns[name]
        places = np.tile(OFFSETS, (self.F, 1, 1))
        places[:, 0] = self.hips
        joints = Joints(NAMES, PARENT, OFFSETS.copy(), np.tile(np.eye(3), (len(NAMES), 1, 1)), np.ones((len(NAMES), 3)))
        return Clip(joints, Motion(places, local, np.ones((self.F, len(NAMES), 3))), self.t.copy())


def hanging(figure, side, swing, bend, out=0.12):
    """An arm that hangs and swings forward by an angle, its elbow bent."""
    s = SIDES[side]
    upper = np.stack([np.full(figure.F, out * s), -np.cos(swing), np.sin(swing)], axis=1)
    fore = np.stack([np.full(figure.F, 0.5 * out * s), -np.cos(swing + bend), np.sin(swing + bend)], axis=1)
    figure.arm(side, upper, fore)


def walk(seconds=4.0, rate=60.0, stride=90.0, period=1.2):
    """Walks ahead: a stride [cm] in a period [s], after standing, before standing."""
    figure = Figure(seconds, rate)
    t = figure.t
    going = smooth(t / 0.6) * smooth((seconds - t) / 0.6)
    phase = np.cumsum(going) / rate / period  # strides gone
    figure.hips[:, 2] = stride * phase
    figure.hips[:, 1] = 89.0 - 1.0 * going * (1.0 + np.cos(4.0 * np.pi * phase))
    figure.hips[:, 0] = 2.0 * going * np.sin(2.0 * np.pi * phase)
    yaw = 0.08 * going * np.cos(2.0 * np.pi * phase)
    figure.trunk(about(1, yaw), about(1, -yaw))
    for side, s in SIDES.items():
        own = phase + (0.0 if s > 0 else 0.5)
        whole, part = np.floor(own), own % 1.0
        swing = smooth((part - 0.6) / 0.4)
        # a foot stands at whole * stride while its part is below 0.6, half a stance ahead of the hips at touch-down
        ankle = np.zeros((figure.F, 3))
        ankle[:, 0] = 9.0 * s
        ankle[:, 2] = stride * (whole + swing + 0.3 - (0.0 if s > 0 else 0.5))
        heel = np.clip((part - 0.45) / 0.55, 0.0, 1.0)
        ankle[:, 1] = ANKLE + going * 11.0 * np.sin(np.pi * heel) ** 2
        hanging(figure, side, -0.45 * s * going * np.cos(2.0 * np.pi * phase), 0.35 + 0.1 * going)
        figure.leg(side, ankle, 0.5 * going * np.sin(2.0 * np.pi * heel) * np.sin(np.pi * heel) ** 2)
    return figure.clip()


def squat(seconds=4.0, rate=60.0, depth=35.0):
    """Goes down and comes up with arms held ahead, feet where they are."""
    figure = Figure(seconds, rate)
    down = smooth(figure.t / (0.45 * seconds)) * smooth((seconds - figure.t) / (0.45 * seconds))
    figure.hips[:, 1] = 94.0 - depth * down
    figure.hips[:, 2] = -12.0 * down
    lean = about(0, 0.45 * down)
    figure.trunk(about(0, 0.3 * down), lean)
    for side, s in SIDES.items():
        ankle = np.tile([11.0 * s, ANKLE, 0.0], (figure.F, 1))
        hanging(figure, side, 0.1 + 1.2 * down, 0.2 + 0.0 * down, 0.2)
        figure.leg(side, ankle, np.zeros(figure.F))
    return figure.clip()


def reach(seconds=4.0, rate=60.0):
    """Stands and reaches ahead and to the side with one hand after the other, turning and leaning a little."""
    figure = Figure(seconds, rate)
    t = figure.t / seconds
    left = smooth(t / 0.25) * smooth((0.55 - t) / 0.25)
    right = smooth((t - 0.4) / 0.25) * smooth((1.0 - t) / 0.25)
    figure.hips[:, 1] = 93.0 - 3.0 * (left + right)
    figure.trunk(about(1, 0.1 * (right - left)), about(1, 0.35 * (right - left)) @ about(0, 0.2 * (left + right)))
    for side, up in (("Left", left), ("Right", right)):
        hanging(figure, side, 0.1 + 1.4 * up, 0.5 - 0.3 * up, 0.15 + 0.2 * up)
        figure.leg(side, np.tile([10.0 * SIDES[side], ANKLE, 0.0], (figure.F, 1)), np.zeros(figure.F))
    return figure.clip()


MOTIONS = {"walk": walk, "reach": reach, "squat": squat}
