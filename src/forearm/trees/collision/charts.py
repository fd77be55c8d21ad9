"""Charts of a whole robot's links (`arm/charts/make.py`): the joints between two of them as a chain of their own.

The chain goes from the first link up to the joints that both share, each joint backwards, and down again to the second.
It has only the variables of these joints, counted anew: both arms of a robot that are built alike have the same chain.
"""

from dataclasses import replace

import numpy as np

from forearm.arm.charts.make import MOSTLY_TOUCH, Charts, charts_of
from forearm.arm.geometry import CHARTED, Geometry, heads_of, with_charts
from forearm.common.transforms import inverse
from forearm.common.types import Floats
from forearm.core.arm.chart import HEAD, SLOTS, VARIABLE
from forearm.models.assemble import CODES
from forearm.models.mechanism import LinkShape
from forearm.models.model import Model
from forearm.trees.body import Body, Row


def chart(body: Body, geometry: Geometry) -> Geometry:
    """The geometry with charts of the pairs of links that wait for them, or the reason why they have none."""
    Q = body.sample(CHARTED, 1)

    def made(links: tuple[str, str], rows: tuple[int, int]) -> Charts | str:
        used = variables_between(body, links)
        found = charts_of(chain_between(body, links), links, rows, np.ascontiguousarray(Q[:, used]))
        return found if isinstance(found, str) else counted_as(found, used)

    return with_charts(geometry, made)


def counted_as(charts: Charts, used: list[int]) -> Charts:
    """Charts with the numbers that variables have in the whole robot."""
    for first in heads_of(charts.rows):
        numbers = charts.rows[first + 1 : first + HEAD, VARIABLE]
        numbers[numbers >= 0.0] = [used[int(k)] for k in numbers[numbers >= 0.0]]
    surfaces = [
        between._replace(joints=np.array([(kind, used[int(k)], ratio) for kind, k, ratio in between.joints]))
        for between in charts.surfaces
    ]
    return Charts(charts.rows, tuple(surfaces))


def too_many(body: Body, links: tuple[str, str]) -> str:
    """Why two links that mostly touch have no chart: more variables between them than one may have; else nothing."""
    count = len(variables_between(body, links))
    return f"{MOSTLY_TOUCH}, {count} joints between them" if count > SLOTS else ""


def ways_between(body: Body, links: tuple[str, str]) -> tuple[list[Row], list[Row]]:
    """The joints from the first link up to those that both share, and from there down to the second."""
    one, other = (body.path(body.places[link][0]) for link in links)
    up, down = ([body.rows[row] for row in way if row not in beside] for way, beside in ((one, other), (other, one)))
    return up[::-1], down


def variables_between(body: Body, links: tuple[str, str]) -> list[int]:
    """The variables of the joints between two links, in their order there."""
    return list(dict.fromkeys(row.variable for way in ways_between(body, links) for row in way))


def chain_between(body: Body, links: tuple[str, str]) -> Model:
    """The chain from the first link's frame to the second's, with the shapes of both."""
    (up, down), used = ways_between(body, links), variables_between(body, links)
    T, frames, joints = np.eye(4), list[Floats](), list[tuple[float, float, float]]()
    for row, backwards in [*((row, True) for row in up), *((row, False) for row in down)]:
        T = T if backwards else T @ row.front
        frames.append(T[:3])
        ratio = -row.segment.ratio if backwards else row.segment.ratio
        joints.append((CODES[row.segment.kind], used.index(row.variable), ratio))
        T = inverse(row.front) if backwards else np.eye(4)
    m = len(joints)
    return Model(
        name=body.mechanism.name,
        base=links[0],
        tip=links[1],
        joint_names=tuple(body.joint_names[k] for k in used),
        joint_kinds=tuple(body.joint_kinds[k] for k in used),
        moving_names=tuple(row.segment.name for row in (*up, *down)),
        links=np.array([*frames, T[:3]]),
        joints=np.array(joints, float).reshape(-1, 3),
        limits=np.ascontiguousarray(body.limits[:, used]),
        velocity=body.velocity[used],
        child_frames=np.repeat(np.eye(4)[None], m, axis=0),
        shapes=(*_shapes(body, links[0], -1), *_shapes(body, links[1], m - 1)),
    )


def _shapes(body: Body, link: str, frame: int) -> list[LinkShape]:
    """The shapes of a link as the joint of a chain carries them."""
    T, shapes = body.places[link][1], next(each.shapes for each in body.mechanism.links if each.name == link)
    return [replace(shape, link=link, frame=frame, pose=T @ shape.pose) for shape in shapes]
