"""Draws the conventions in one picture: `python tools/draw_conventions.py` (or `make pictures`)."""

import math
from html import escape
from itertools import pairwise
from pathlib import Path

import numpy as np

import forearm as fa

OUT = Path(__file__).parent.parent / "docs" / "pictures" / "conventions.svg"
WIDTH, HIGH, PANEL = 960, 640, (480, 320)  # pixels
AXES = {"x": "#c1272d", "y": "#1b7f3b", "z": "#1f5fb4"}
INK, FAINT, WARM = "#222222", "#8a8f98", "#b35806"
TURN = math.pi / 2.0  # what the panel of rotations shows, about z


def text(x: float, y: float, words: str, size: int = 14, fill: str = INK, weight: int = 400, mono: bool = False) -> str:
    """A line of words."""
    family = "monospace" if mono else "sans-serif"
    look = f'font-family="{family}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(words)}</text>'


def line(a: np.ndarray, b: np.ndarray, colour: str, width: float = 2.5, dash: str = "", arrow: bool = False) -> str:
    """A line, with an arrow's head if wished."""
    ends = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'
    more = f' stroke-dasharray="{dash}"' if dash else ""
    drawn = f'<line {ends} stroke="{colour}" stroke-width="{width}" stroke-linecap="round"{more}/>'
    if not arrow:
        return drawn
    along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    across = np.array([-along[1], along[0]])
    corners = [b + 5.0 * along, b - 4.0 * along + 4.5 * across, b - 4.0 * along - 4.5 * across]
    return drawn + f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}" fill="{colour}"/>'


def flat(point: np.ndarray) -> np.ndarray:
    """A point in space on the paper, seen from the front right and above; z is up."""
    x, y, z = point
    return np.array([0.87 * (y - x) * 0.8, 0.45 * (x + y) * 0.8 - z])


def frame(T: np.ndarray, corner: np.ndarray, length: float, name: str, name_at: tuple[float, float]) -> str:
    """The axes of a frame with their letters."""
    origin = corner + flat(T[:3, 3])
    parts = []
    for k, (letter, colour) in enumerate(AXES.items()):
        end = corner + flat(T[:3, 3] + length * T[:3, k])
        parts += [line(origin, end, colour, arrow=True), text(end[0] + 6, end[1] + 4, letter, 13, colour, 700)]
    return "".join(parts) + text(origin[0] + name_at[0], origin[1] + name_at[1], name, 14, INK, 700)


def panel(column: int, row: int, title: str, inside: str) -> str:
    """One of the four parts, with its title."""
    x, y = column * PANEL[0], row * PANEL[1]
    edge = f'<rect x="8" y="8" width="{PANEL[0] - 16}" height="{PANEL[1] - 16}" rx="8" fill="none" stroke="#d5d9df"/>'
    return f'<g transform="translate({x},{y})">{edge}{text(24, 36, title, 17, INK, 700)}{inside}</g>'


def frames() -> str:
    """Base, tip and tool, and the poses between them."""
    corner = np.array([110.0, 248.0])
    tip = fa.Pose([0, 330, 175], rpy=[math.pi, 0.0, 0.9]).goal
    tool = tip @ fa.Pose([0, 0, 58], rpy=[0.0, 0.0, 0.0]).goal
    joints = [corner + flat(np.array(p)) for p in ([0, 0, 0], [0, 0, 80], [0, 150, 205], [0, 330, 175])]
    arm = "".join(line(a, b, "#c9ced6", 11) for a, b in pairwise(joints))
    grip = line(corner + flat(tip[:3, 3]), corner + flat(tool[:3, 3]), FAINT, 2, "4 4")
    said = text(24, 62, "T_base_tool = T_base_tip @ T_tip_tool", 14, INK, 400, mono=True)
    said += text(24, 82, "(4, 4); metres and radians; x red, y green, z blue", 12, FAINT)
    drawn = frame(np.eye(4), corner, 62, "base", (-52, -6)) + frame(tip, corner, 40, "tip", (14, -10))
    return said + arm + grip + drawn + frame(tool, corner, 36, "tool", (18, 14))


def rotations() -> str:
    """One rotation in every notation."""
    R = fa.Orientation(rpy=[0.0, 0.0, TURN]).goal[:3, :3]
    half = math.sqrt(0.5)
    assert np.allclose(fa.Orientation(quat_wxyz=[half, 0, 0, half]).goal[:3, :3], R)
    assert np.allclose(fa.Orientation(quat_xyzw=[0, 0, half, half]).goal[:3, :3], R)
    rows = [
        ("rpy=", "[0, 0, 1.5708]", "fixed x, then y, then z, as URDF"),
        ("quat_wxyz=", "[0.707, 0, 0, 0.707]", "MuJoCo, mink, Blender, Eigen's arguments"),
        ("quat_xyzw=", "[0, 0, 0.707, 0.707]", "ROS, SciPy, three.js, Pinocchio"),
        ("matrix", "[[0,-1,0],[1,0,0],[0,0,1]]", "columns are the new axes"),
    ]
    parts = [text(24, 62, "a quarter turn about z, four times the same", 13, FAINT)]
    for k, (name, value, who) in enumerate(rows):
        y = 98 + 52 * k
        parts += [text(24, y, name, 14, WARM, 700, mono=True), text(130, y, value, 14, INK, 400, mono=True)]
        parts.append(text(130, y + 18, who, 12, FAINT))
    return "".join(parts)


def tables() -> str:
    """Denavit and Hartenberg's two ways."""
    parts = [text(24, 62, "the same four numbers, in another order; frame i sits elsewhere", 13, FAINT)]
    kinds = (
        (
            "standard",
            "Rz(theta) Tz(d) Tx(a) Rx(alpha)",
            "frame i at the far end of link i; joint i turns z of frame i-1",
        ),
        ("modified", "Rx(alpha) Tx(a) Rz(theta) Tz(d)", "frame i at the near end (Craig); joint i turns z of frame i"),
    )
    for k, (name, product, where) in enumerate(kinds):
        y = 96 + 106 * k
        parts += [text(24, y, f'convention="{name}"', 14, WARM, 700, mono=True)]
        parts += [text(24, y + 24, f"T_i = {product}", 15, INK, 400, mono=True), text(24, y + 46, where, 12, FAINT)]
    parts.append(text(24, 300, "Universal Robots and Puma print standard, Franka prints modified", 12, FAINT))
    return "".join(parts)


def ur_base() -> str:
    """UR's base frame and ROS's, from above."""
    middle, far = np.array([240.0, 178.0]), 80.0
    parts = [text(24, 62, "seen from above: half a turn about z apart", 13, FAINT)]
    parts.append(f'<circle cx="{middle[0]}" cy="{middle[1]}" r="34" fill="#eef1f5" stroke="#c9ced6"/>')
    names = ((1.0, "base_link (dashed): ROS", (22.0, -66.0)), (-1.0, "base: forearm's catalog, UR", (-216.0, 66.0)))
    for sign, name, at in names:
        for letter, way in (("x", (sign, 0.0)), ("y", (0.0, -sign))):
            end = middle + far * np.array(way)
            dash = "" if sign < 0 else "6 5"
            parts += [line(middle, end, AXES[letter], 3, dash, arrow=True)]
            parts.append(text(end[0] + (8 if sign > 0 else -18), end[1] - 8, letter, 14, AXES[letter], 700))
        parts.append(text(middle[0] + at[0], middle[1] + at[1], name, 13, INK, 700))
    parts.append(text(24, 300, "T_base_link_tip = diag(-1, -1, 1, 1) @ T_base_tip", 14, INK, 400, mono=True))
    return "".join(parts)


def main() -> None:
    """Writes the picture."""
    parts = (
        ("Frames", frames),
        ("Rotations", rotations),
        ("Denavit-Hartenberg", tables),
        ("UR: base, base_link", ur_base),
    )
    inside = "".join(panel(k % 2, k // 2, title, draw()) for k, (title, draw) in enumerate(parts))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HIGH}" role="img" aria-label="Conventions">'
    OUT.write_text(f'{head}<rect width="{WIDTH}" height="{HIGH}" fill="#ffffff"/>{inside}</svg>\n', encoding="utf-8")
    print(OUT)


if __name__ == "__main__":
    main()
