"""Writes the animated arm of the start page: `python tools/animate_arm.py` (or `make pictures`).

A UR5 follows a figure of eight by `Robot.track`; every frame is a returned configuration, seen from one side
without perspective. The SVG moves by itself in any browser and needs no script.
"""

from pathlib import Path
from typing import Any

import numpy as np

import forearm as fa
from forearm.common.palette import ORANGE as PATH

OUT = Path(__file__).parent.parent / "docs" / "pictures" / "ur5-eight.svg"
FRAMES = 90  # shown; the browser moves between them
WAYPOINTS = 361
SECONDS = 9
WIDTH, HEIGHT, SCALE = 640, 440, 460.0  # of the picture [px], and px per metre
CENTER = np.array([0.28, 0.0, 0.36])  # [m] what stands in the middle
TURN, TILT = np.radians(-38.0), np.radians(20.0)  # of the eye
LINK_WIDTHS = (24, 22, 22, 18, 14, 12, 10)
INK, LINK, JOINT, SHADOW = "#1b2a38", "#5a7d9a", "#f2f5f8", "#000000"  # of this picture alone
ROUND = 'stroke-linecap="round"'


def figure_eight(arm: fa.Robot) -> Any:
    """(WAYPOINTS, 4, 4) poses on an upright figure of eight, the tool pointing forward and down."""
    t = np.linspace(0.0, 2.0 * np.pi, WAYPOINTS)
    T = np.tile(fa.Pose([0.0, 0.0, 0.0], rpy=[np.pi, -0.6, 0.0]).goal, (WAYPOINTS, 1, 1))
    T[:, :3, 3] = np.column_stack([np.full_like(t, 0.55), 0.28 * np.sin(t), 0.38 + 0.26 * np.sin(t) * np.cos(t)])
    return T


def project(points: Any) -> Any:
    """(..., 2) where points in space are seen [px]."""
    x, y, z = np.moveaxis(np.asarray(points) - CENTER, -1, 0)
    right = np.cos(TURN) * x - np.sin(TURN) * y
    deep = np.sin(TURN) * x + np.cos(TURN) * y
    up = np.cos(TILT) * z + np.sin(TILT) * deep
    return np.stack([0.5 * WIDTH + SCALE * right, 0.5 * HEIGHT - SCALE * up], axis=-1)


def numbers(points: Any) -> str:
    """Points as an SVG writes them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def moving(tag: str, name: str, values: list[str], look: str) -> str:
    """An element whose attribute runs through values."""
    animate = f'<animate attributeName="{name}" dur="{SECONDS}s" repeatCount="indefinite" values="{";".join(values)}"/>'
    return f'<{tag} {name}="{values[0]}" {look}>{animate}</{tag}>'


def line(frames: Any, look: str) -> str:
    """A polyline that moves: (F, k, 2) points."""
    return moving("polyline", "points", [numbers(points) for points in frames], f'fill="none" {look}')


def dot(places: Any, radius: float, look: str) -> str:
    """A circle that moves: (F, 2) places."""
    values = ";".join(f"{x:.1f},{y:.1f}" for x, y in places)
    move = f'attributeName="transform" type="translate" dur="{SECONDS}s" repeatCount="indefinite" values="{values}"'
    first = f'transform="translate({values.split(";")[0]})"'
    return f'<circle r="{radius:g}" {first} {look}><animateTransform {move}/></circle>'


def floor() -> str:
    """A grid on the floor."""
    along = [((x, -0.6, 0.0), (x, 0.6, 0.0)) for x in np.arange(-0.4, 1.01, 0.2)]
    lines = along + [((-0.4, y, 0.0), (1.0, y, 0.0)) for y in np.arange(-0.6, 0.61, 0.2)]
    drawn = "".join(f'<polyline points="{numbers(project(ends))}"/>' for ends in lines)
    return f'<g fill="none" stroke="{INK}" stroke-opacity="0.12">{drawn}</g>'


def main() -> None:
    """Tracks, judges, draws."""
    arm = fa.load("ur5")
    goals = figure_eight(arm)
    track = arm.track(goals, closed=True)
    q = track.q_at_waypoints
    off = np.abs(arm.fk(q) - goals).max()
    if not (track.complete and off < 2e-6):
        raise SystemExit(f"the path does not hold: {track.reason}")
    shown = q[np.linspace(0, WAYPOINTS - 1, FRAMES + 1).astype(int)]
    space = np.array([np.vstack([np.zeros(3), arm.fk_all(each)[:, :3, 3]]) for each in shown])  # (F, k, 3)
    flat, shadow = project(space), project(space * [1.0, 1.0, 0.0])
    links = "".join(
        line(flat[:, k : k + 2], f'stroke="{LINK}" stroke-width="{width}" {ROUND}')
        for k, width in enumerate(LINK_WIDTHS)
    )
    joints = "".join(dot(flat[:, k], 0.3 * LINK_WIDTHS[k], f'fill="{JOINT}"') for k in range(1, flat.shape[1] - 1))
    way = numbers(project(goals[::3, :3, 3]))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>A UR5 follows a figure of eight</title>",
        floor(),
        line(shadow, f'stroke="{SHADOW}" stroke-opacity="0.1" stroke-width="14" {ROUND} stroke-linejoin="round"'),
        f'<polyline points="{way}" fill="none" stroke="{PATH}" stroke-width="2" stroke-dasharray="2 5"/>',
        links,
        joints,
        dot(flat[:, -1], 5, f'fill="{PATH}"'),
        "</svg>",
    ]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(f"{OUT.name}: {OUT.stat().st_size // 1024} kB; {len(goals)} way-points, off by at most {off:.1e}")


if __name__ == "__main__":
    main()
