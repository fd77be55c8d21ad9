"""`forearm.show`: what a program has, in the browser."""

import logging
import os
import sys
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from forearm.arm.configurations import as_configuration
from forearm.bones.solution import ChainBatch, ChainSolution
from forearm.chain import Chain
from forearm.common.checks import brief, unwrap_matrix
from forearm.common.types import Floats
from forearm.errors import ModelError, OptionError, UnsupportedError, told_in_words
from forearm.models.catalog import load
from forearm.results.batch import ManyMeasured
from forearm.results.solution import Branches, Solution
from forearm.results.track import Track
from forearm.results.tree import TreeSolution
from forearm.retargeting.result import Retargeted
from forearm.robot import Robot
from forearm.scenes.scene import Scene
from forearm.scenes.shapes import Obstacle
from forearm.skeleton import Skeleton
from forearm.targets.many import Targets
from forearm.targets.target import Target, as_target
from forearm.tree import Tree
from forearm.trees.stack import Stack, as_start
from forearm.viewer import view_bones, view_robot, view_tree
from forearm.viewer.server import DEFAULT_PORT, LOOPBACK, Viewer

WANTED = (
    "a robot, its name or its file, with joint values or a target, a solution, branches, a track, a scene or "
    "obstacles, a tree with a stack, a solution, joint values or a motion of it, a chain or a skeleton"
)

SEVERAL = (
    "show was given several answers, postures or poses; it shows one, as in show(batch[0]) or show(arm, Q[0]), and "
    "plays them as a path: show(arm, arm.track(targets, q0))"
)

SEVERAL_POSES = (
    "show was given several poses of bones; it shows one, as in show(chain, track[0]); to play them in another program "
    'write them: track.to_clip(up="y").write("motion.glb")'
)


@told_in_words
def show(
    *things: Any,
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    browser: bool = True,
    block: bool | None = None,
) -> Viewer:
    """A running viewer of what is given: `show(arm)`, `show(arm, q)`, `show(solution)`, `show(arm, track, scene)`.

    A robot (or the name of one of the catalog, or its file) stands at home; joint values or a solution put it
    elsewhere, and it is asked for a target that is given. Branches open the tab with all of them, a track is ready to
    be played, a scene or obstacles are what it keeps clear of. A solution and branches know their robot; everything
    else comes with one. A tree comes alone, or with a stack of its goals, a solution, joint values, or what
    `fa.retarget` gave, which is replayed. Bones stand alone.

    In a notebook the page stands below the cell. In a script it opens in the browser, and the call returns when
    Ctrl+C ends it; in an interactive session it returns at once and the page stays until the viewer is closed.

    Args:
        *things: What to show.
        host: Address to listen at; this machine only by default.
        port: Port to listen at; another one is taken if it is in use, and 0 takes any.
        browser: Whether to open the page in this machine's browser; never done in a notebook.
        block: Whether to wait until Ctrl+C; by default in scripts only.
    """
    where = notebook_kind()
    viewer = _open(Collected(things), host, port, framed=bool(where))
    interactive = bool(where) or hasattr(sys, "ps1") or bool(sys.flags.interactive)
    waits = not interactive if block is None else block
    opened = browser and not where and webbrowser.open(viewer.url)
    if waits or not (opened or where):
        end = "; end with Ctrl+C" if waits else ""
        logging.getLogger("forearm").warning("%s: open %s in a browser%s", viewer.title, viewer.url, end)
    if waits:
        with viewer:
            viewer.wait()
    return viewer


class Collected:
    """What was given to `show`, by kind; what cannot be shown, or not together, is refused by name."""

    def __init__(self, things: tuple[Any, ...]) -> None:
        self.robot: Robot | None = None
        self.bones: Chain | Skeleton | None = None
        self.pose: ChainSolution | None = None
        self.solution: Solution | None = None
        self.branches: Branches | None = None
        self.track: Track | None = None
        self.tree: Tree | None = None
        self.stack: Stack | None = None
        self.whole: TreeSolution | None = None
        self.motion: Retargeted | None = None
        self.q: Floats | None = None
        self.target: Target | None = None
        self.obstacles: dict[str, Obstacle] = {}
        self._numbers: list[Any] = []  # joint values and poses, which their robot tells apart
        for thing in things:
            self._take(thing)
        known = self.solution if self.solution is not None else next(iter(self.branches or ()), None)
        if self.robot is None and known is not None and known.model is not None:
            self.robot = Robot(known.model)
        self._check(bool(things))
        for numbers in self._numbers:
            self._take_numbers(numbers)

    def _take(self, thing: Any) -> None:
        if isinstance(thing, (str, Path)):
            self.robot = read_robot(thing)
        elif isinstance(thing, Robot):
            self.robot = thing
        elif isinstance(thing, (Chain, Skeleton)):
            self.bones = thing
        elif isinstance(thing, ChainSolution):
            self.pose = thing
        elif isinstance(thing, Branches):
            self.branches = thing
        elif isinstance(thing, Solution):
            self.solution = thing
        elif isinstance(thing, Track):
            self.track = thing
        elif isinstance(thing, (Tree, Stack, TreeSolution)):
            setattr(self, {Tree: "tree", Stack: "stack", TreeSolution: "whole"}[type(thing)], thing)
        elif isinstance(thing, Retargeted):
            self.motion = thing
        elif isinstance(thing, Target):
            self.target = thing
        elif isinstance(thing, (ManyMeasured, Targets)):
            raise OptionError(SEVERAL_POSES if isinstance(thing, ChainBatch) else SEVERAL)
        elif not self._take_obstacles(thing):
            self._numbers.append(thing)

    def _take_obstacles(self, thing: Any) -> bool:
        """Takes a scene, an obstacle, or several by name or in a list; whether it was one of these."""
        if isinstance(thing, Scene):
            self.obstacles |= dict(zip(thing.names, thing.obstacles, strict=True))
            return True
        if isinstance(thing, Mapping) and all(isinstance(each, Obstacle) for each in thing.values()):
            self.obstacles |= {str(name): each for name, each in thing.items()}
            return True
        several = thing if isinstance(thing, (list, tuple)) else [thing]
        if not several or not all(isinstance(each, Obstacle) for each in several):
            return False
        for each in several:
            self.obstacles[f"obstacle {len(self.obstacles) + 1}"] = each
        return True

    def _take_numbers(self, thing: Any) -> None:
        """Takes joint values or a pose, or refuses what is neither."""
        shape = shape_of(thing)
        if shape is None and not isinstance(thing, Mapping):
            raise OptionError(f"show cannot show {brief(thing)}, of type {type(thing).__name__}; it takes {WANTED}")
        if shape is not None and len(shape) > 1 and shape != (4, 4):
            raise OptionError(SEVERAL)
        if self.tree is not None:
            self.q = as_start(thing, self.tree.body, "q")
        elif self.robot is None:
            raise OptionError("show takes the pose of bones as solve gave it: show(chain, chain.solve(target))")
        elif shape == (4, 4):
            self.target = as_target(thing)
        else:
            self.q = as_configuration(thing, self.robot.model, "q")

    def _check(self, is_given: bool) -> None:
        if not is_given:
            raise OptionError(f"show takes {WANTED}; for example show('ur5')")
        if any(each is not None for each in (self.tree, self.stack, self.whole, self.motion)):
            self._check_tree()
            return
        if self.robot is not None and self.bones is not None:
            raise OptionError("show takes a robot or bones, not both; show them one after the other")
        if self.bones is not None and (self.track is not None or self.obstacles):
            raise UnsupportedError("show takes tracks and obstacles with a robot; bones are shown alone")
        if self.pose is not None and self.bones is None:
            raise OptionError("show was given the pose of bones but not the bones; give them too: show(chain, pose)")
        if self.robot is None and self.bones is None:
            for thing in self._numbers:
                if shape_of(thing) is None:
                    self._take_numbers(thing)  # which says that it cannot be shown
            raise OptionError("show was given no robot; give it too, as in show(arm, q) or show(arm, scene)")
        for what, n in self._joint_counts().items():
            if self.robot is not None and n != self.robot.n:
                raise OptionError(
                    f"{what} of {n} joints, {self.robot.name} has {self.robot.n}; give the robot that it was made for"
                )

    def _joint_counts(self) -> dict[str, int]:
        """How many joints what was given is of, by what it is called."""
        counts = {} if self.track is None else {"the track is": self.track.q.shape[1]}
        counts |= {} if self.solution is None else {"the solution is": len(self.solution.q)}
        return counts | ({"the branches are": self.branches.q.shape[1]} if self.branches else {})

    def _check_tree(self) -> None:
        tree = self.tree
        if tree is None:
            raise OptionError(
                "show was given a stack, a solution or a motion of a tree but no tree; give it too: show(tree, stack)"
            )
        if self.robot or self.bones or self.track or self.obstacles or self.target:
            raise UnsupportedError("show takes a tree alone, or with its own stack of goals, solution or joint values")
        of_others = self.stack is not None and self.stack.body is not tree.body
        known = [each.joint_names for each in (self.whole, self.motion) if each is not None]
        if of_others or any(names != tree.joint_names for names in known):
            raise OptionError(f"show was given a stack or a solution of another robot than {tree.name}")


def read_robot(name: str | Path) -> Robot:
    """The robot of a name of the catalog or of a file."""
    try:
        return Robot(load(name))
    except ModelError as fault:
        if "tip=" not in f"{fault}":
            raise
        path = os.fspath(name)
        ways = f"show(fa.load('{path}', tip=...)) for an arm of it, show(fa.Tree.from_urdf('{path}')) for all of it"
        raise ModelError(f"{fault}: {ways}") from None


def shape_of(thing: Any) -> tuple[int, ...] | None:
    """The shape of what holds numbers alone, as arrays, lists and poses do; else None."""
    try:
        array = np.asarray(unwrap_matrix(thing))
    except (TypeError, ValueError):  # rows of different lengths
        return None
    return array.shape if array.ndim and array.dtype.kind in "fiu" else None


def _open(given: Collected, host: str, port: int, framed: bool) -> Viewer:
    where = {"host": host, "port": port, "framed": framed}
    if given.tree is not None:
        q, base = (given.q, None) if given.whole is None else (given.whole.q, given.whole.base)
        goals = None if given.stack is None else [*given.stack.goals.values(), *given.stack.others]
        return view_tree(given.tree, goals=goals, q=q, base=base, motion=given.motion, **where)  # type: ignore[arg-type]
    if given.bones is not None:
        return view_bones(given.bones, given.pose, **where)  # type: ignore[arg-type]
    assert given.robot is not None
    q = given.q
    if q is None and given.track is not None and len(given.track):
        q = given.track.q[0]
    elif q is None and given.branches is not None and len(given.branches):
        q = given.branches[0].q
    return view_robot(
        given.robot,
        q=None if q is None else np.array(q),
        target=given.target,
        solution=given.solution,
        track=given.track,
        obstacles=given.obstacles,
        branches=given.branches is not None,
        **where,  # type: ignore[arg-type]
    )


def notebook_kind() -> str:
    """The kind of IPython's front end that shows HTML, or an empty string."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ if shell is not None and hasattr(shell, "kernel") else ""
