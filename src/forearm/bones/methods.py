"""The methods of chains and skeletons, and the road from a caller's arguments to the answer."""

from dataclasses import fields
from functools import lru_cache
from typing import Any

from forearm.bones.bezier import solve_by_bezier, solve_on_curve
from forearm.bones.fabrik import explain_miss, solve_by_fabrik
from forearm.bones.obstacles import judge, push_clear, read_obstacles, refuse_unsupported
from forearm.bones.options import BezierOptions, BoneOptions, FabrikOptions
from forearm.bones.posing.solve import solve_by_posing, whole_pole
from forearm.bones.posing.stretch import as_stretch, stretch_to
from forearm.bones.problem import NO_POLE, Asks, BoneMethod, BoneProblem, pack_settings, read_pole, read_start
from forearm.bones.solution import ChainSolution
from forearm.bones.tree import Bones
from forearm.common.checks import as_switch
from forearm.common.types import Floats
from forearm.core.bones.codes import REFINE
from forearm.errors import OptionError, UnsupportedError, meant_names, nearest_names
from forearm.results.solution import Status

METHODS: dict[str, BoneMethod] = {
    method.name: method
    for method in (
        BoneMethod(
            name="fabrik",
            options=FabrikOptions,
            solve=solve_by_fabrik,
            for_trees=True,
            summary="FABRIK sweeps, then Gauss-Newton inside the limits; refine=False is plain FABRIK",
            citation="Aristidou and Lasenby, Graphical Models 73(5), 2011",
        ),
        BoneMethod(
            name="bezier",
            options=BezierOptions,
            solve=solve_by_bezier,
            for_trees=False,
            summary="smooth poses on a Bezier curve, also round obstacles; mode='paper' is the published search",
            citation="Harahap, Inverse Kinematics solver using Bezier curve based iterative algorithm, IULI",
        ),
    )
}
# What calls take beside the options, for those who misspell it.
BUILT_WITH = ("free_base", "joints", "names", "rest")  # what chains and skeletons are made of
ARGUMENTS = (
    "clearance", "explain", "look_at", "method", "obstacles", "pole", "start", "stretch", "thickness", "tolerance",
    "weights",
)  # fmt: skip
Asked = tuple[BoneOptions, Floats]


def find_method(name: Any, for_tree: bool = False) -> BoneMethod:
    """The row of a method by name, for a skeleton one that poses those."""
    method = METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise OptionError(f"method '{name}' is unknown for chains; {nearest_names(str(name), METHODS)}")
    if for_tree and not method.for_trees:
        raise UnsupportedError(f"method '{name}' poses chains, one at a time; for a skeleton use method='fabrik'")
    return method


def read_options(bones: Bones, method: BoneMethod, has_start: bool, tips: int, given: dict[str, Any]) -> Asked:
    """The options of a method from keyword arguments, and (9,) the settings packed from them.

    Both are kept: in a loop they are the same from call to call.
    """
    who = (method.name, bones.free_base, bones.dim, has_start, tips)
    try:
        return _kept_options(*who, **given)
    except TypeError:  # a value that cannot be kept, which the options refuse with words
        return _kept_options.__wrapped__(*who, **given)


@lru_cache(maxsize=256, typed=True)
def _kept_options(name: str, free_base: bool, dim: int, has_start: bool, tips: int, /, **given: Any) -> Asked:
    method = METHODS[name]
    known = [item.name for item in fields(method.options)]
    for each in given:
        if each in known:
            continue
        if each in ("weights", "look_at"):
            raise OptionError(f"a chain has no option '{each}', as it has one tip; skeletons take it")
        if each in BUILT_WITH:
            raise OptionError(f"{each} is given when a chain or skeleton is made, as in fa.Chain(..., {each}=...)")
        others = [row.name for row in METHODS.values() if each in {item.name for item in fields(row.options)}]
        close = f"method='{others[0]}' has it" if others else meant_names(each, [*known, *ARGUMENTS])
        raise OptionError(f"method '{name}' has no option '{each}'; {close}")
    options = method.options(**given)
    return options, pack_settings(options, free_base, dim, has_start, tips)


def read_problem(
    bones: Bones,
    method: BoneMethod,
    wants: Floats,
    start: Any,
    pole: Any,
    options: dict[str, Any],
    around: tuple[Any, Any, Any] = (None, 0.0, 0.0),
    asks: Asks | None = None,
    stretch: Any = 0.0,
) -> BoneProblem:
    """What is asked, every argument checked: `around` are obstacles, clearance and thickness as for `Chain.solve`.

    Of `asks`, looks and poles are read, those of a skeleton.
    """
    asked, settings = read_options(bones, method, start is not None, len(wants), options)
    towards = read_pole(bones, pole, len(wants))
    scene = read_obstacles(bones, *around)
    problem = BoneProblem(bones, method, asked, settings, towards, *scene, wants, start, *read_start(bones, start))
    if asks is not None:
        problem.looks, problem.poles = asks.beside(0)
    problem.stretch = as_stretch(stretch)
    if problem.is_posed and problem.pole.size:
        problem.poles, problem.pole = whole_pole(bones, wants, problem.pole), NO_POLE
    if problem.is_published and (pole is not None or start is not None):
        raise OptionError(f"mode='paper' does not read {'start' if pole is None else 'pole'}; leave one of the two out")
    return problem


def answer(problem: BoneProblem, explained: bool) -> ChainSolution:
    """The solution of a problem, with words if it missed; with bones stretched where they may be and must."""
    explained = as_switch(explained, "explain")
    if problem.stretch > 0.0:
        return stretch_to(problem, explained, unstretched)
    return unstretched(problem, explained)


def unstretched(problem: BoneProblem, explained: bool) -> ChainSolution:
    """The solution of a problem at the bones' own lengths."""
    if problem.is_posed:
        return solve_by_posing(problem, explained)
    on_curve, among = problem.method.name == "bezier", len(problem.scene.rows) > 0
    if not on_curve and not among:
        solution = problem.method.solve(problem)
        if solution.status is not Status.SOLVED and explained:
            explain_miss(problem, solution, problem.settings[REFINE] == 0.0)
        return solution
    alone = not among and problem.start is None and not problem.pole.size and not problem.is_published
    if alone and problem.is_point_of_chain:
        quick = solve_on_curve(problem.bones, problem.target)
        if quick is not None:
            return quick
    refuse_unsupported(problem)
    solution = problem.method.solve(problem) if on_curve else push_clear(problem)
    if not problem.is_published:  # that search has a verdict of its own
        judge(problem, solution, explained)
    return solution
