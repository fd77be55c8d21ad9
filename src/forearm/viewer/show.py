"""`forearm.show`: what a program has, in the browser."""

import logging
import sys
import webbrowser
from collections.abc import Mapping
from typing import Any

import numpy as np

from forearm.bones.solution import ChainSolution
from forearm.chain import Chain
from forearm.common.checks import brief
from forearm.errors import OptionError, UnsupportedError
from forearm.models.catalog import load
from forearm.results.solution import Branches, Solution
from forearm.results.track import Track
from forearm.results.tree import TreeSolution
from forearm.retargeting.result import Retargeted
from forearm.robot import Robot
from forearm.scenes.scene import Scene
from forearm.scenes.shapes import Obstacle
from forearm.skeleton import Skeleton
from forearm.tree import Tree
from forearm.trees.stack import Stack
from forearm.viewer import view_bones, view_robot, view_tree
from forearm.viewer.server import DEFAULT_PORT, LOOPBACK, Viewer

WANTED = (
    "a robot or its name, a solution, branches, a track, a scene or obstacles, a tree with a stack, a solution or "
    "a motion of it, a chain or a skeleton"
)


def show(
    *things: Any,
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    browser: bool = True,
    block: bool | None = None,
) -> Viewer:
    """A running viewer of what is given: `show(arm)`, `show(solution)`, `show(arm, track, scene)`, `show(tree)`.

    A robot (or the name of one of the catalog) stands at home; a solution puts it at its joint values, branches open
    the tab with all of them, a track is ready to be played, a scene or obstacles are what it keeps clear of. A
    solution and branches know their robot; a track and a scene come with one. A tree comes alone, or with a stack of
    its goals, a solution, or what `fa.retarget` gave, which is replayed. Bones stand alone.

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
        self.obstacles: dict[str, Obstacle] = {}
        for thing in things:
            self._take(thing)
        known = self.solution or next(iter(self.branches or ()), None)
        if self.robot is None and known is not None and known.model is not None:
            self.robot = Robot(known.model)
        self._check(bool(things))

    def _take(self, thing: Any) -> None:
        if isinstance(thing, (str, Robot)):
            self.robot = Robot(load(thing)) if isinstance(thing, str) else thing
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
        elif isinstance(thing, Scene):
            self.obstacles |= dict(zip(thing.names, thing.obstacles, strict=True))
        elif isinstance(thing, Obstacle):
            self.obstacles[f"obstacle {len(self.obstacles) + 1}"] = thing
        elif isinstance(thing, Mapping) and all(isinstance(each, Obstacle) for each in thing.values()):
            self.obstacles |= {str(name): each for name, each in thing.items()}
        else:
            raise OptionError(f"show cannot show {brief(thing)}, a {type(thing).__name__}; it takes {WANTED}")

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
            raise OptionError("show was given no robot; give it too, as in show(arm, track) or show(arm, scene)")
        q = None if self.track is None else self.track.q
        if self.robot is not None and q is not None and q.shape[1] != self.robot.n:
            count = f"the track is of {q.shape[1]} joints, {self.robot.name} has {self.robot.n}"
            raise OptionError(f"{count}; give the robot that it was made for")

    def _check_tree(self) -> None:
        tree = self.tree
        if tree is None:
            raise OptionError(
                "show was given a stack, a solution or a motion of a tree but no tree; give it too: show(tree, stack)"
            )
        if self.robot or self.bones or self.track or self.obstacles:
            raise UnsupportedError("show takes a tree alone, or with a stack of goals or a solution of its own")
        of_others = self.stack is not None and self.stack.body is not tree.body
        known = [each.joint_names for each in (self.whole, self.motion) if each is not None]
        if of_others or any(names != tree.joint_names for names in known):
            raise OptionError(f"show was given a stack or a solution of another robot than {tree.name}")


def _open(given: Collected, host: str, port: int, framed: bool) -> Viewer:
    if given.tree is not None:
        q, base = (None, None) if given.whole is None else (given.whole.q, given.whole.base)
        goals = None if given.stack is None else [*given.stack.goals.values(), *given.stack.others]
        where = {"host": host, "port": port, "framed": framed}
        return view_tree(given.tree, goals=goals, q=q, base=base, motion=given.motion, **where)  # type: ignore[arg-type]
    if given.bones is not None:
        return view_bones(given.bones, given.pose, host=host, port=port, framed=framed)
    assert given.robot is not None
    q = None
    if given.track is not None and len(given.track):
        q = given.track.q[0]
    elif given.branches is not None and len(given.branches):
        q = given.branches[0].q
    elif given.solution is not None:
        q = given.solution.q
    return view_robot(
        given.robot,
        host=host,
        port=port,
        q=None if q is None else np.array(q),
        track=given.track,
        obstacles=given.obstacles,
        branches=given.branches is not None,
        framed=framed,
    )


def notebook_kind() -> str:
    """The kind of IPython's front end that shows HTML, or an empty string."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ if shell is not None and hasattr(shell, "kernel") else ""
