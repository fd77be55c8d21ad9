"""The border: what Python enters stands in the table, with the types that it is called with."""

import ast
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import forearm
from forearm.core import border

PACKAGE = Path(forearm.__file__).parent
EXPRESSION = (ast.Expression, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Call)
COMPILED = {"kernel", "lean", "leaf"}  # `shared` ones run in Python as they are


def kernels():
    """The decorator of each compiled function, by dotted name below `core`."""
    found = {}
    for path in (PACKAGE / "core").rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE / "core").with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                names = {item.id for item in node.decorator_list if isinstance(item, ast.Name)}
                if names & COMPILED:
                    found[f"{module}.{node.name}"] = names
    return found


def reached(path):
    """Dotted names below `core` that a file imports from it, or reads as attributes of modules it imports."""
    tree, modules = ast.parse(path.read_text()), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("forearm.core"):
            below = node.module.removeprefix("forearm.core").lstrip(".")
            for item in node.names:
                name = f"{below}.{item.name}".lstrip(".")
                modules[item.asname or item.name] = name
                yield name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield f"{modules[node.value.id]}.{node.attr}"


def test_nothing_outside_core_reaches_a_kernel_that_is_not_in_the_table():
    compiled = set(kernels())
    outside = [path for path in PACKAGE.rglob("*.py") if PACKAGE / "core" not in path.parents]
    entered = {name for path in outside for name in reached(path)} & compiled
    assert entered == set(border.ENTRIES)


def parameters_of(name):
    """The names of an entry's arguments."""
    module, function = name.rsplit(".", 1)
    kernel = getattr(importlib.import_module(f"forearm.core.{module}"), function)
    return list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)


@pytest.mark.parametrize("name", border.ENTRIES)
def test_an_entry_has_a_type_for_every_parameter_and_marks_what_it_writes(name):
    parameters, arguments = parameters_of(name), border.arguments_of(name)
    assert len(arguments) == len(parameters)
    for parameter, argument in zip(parameters, arguments, strict=True):
        assert argument.written or not parameter.endswith(("_out", "work"))


FORMS, PAPERS = ("parallel", "plane", "wrist"), ("combined", "fabrik_r")
# Where any size is allowed, and why none can do harm: what is read is decided by other sizes, or by these alone.
ANY = {
    "rows are read one after the other to their end, and nothing else is as long": {
        *(f"{name}: obstacles" for name in border.ENTRIES),
        *(f"collision.branches.{name}_among: {rows}" for name in FORMS for rows in ("pairs", "charts", "sure")),
        *(f"collision.search.solve_among: {rows}" for rows in ("pairs", "charts", "sure")),
        *(f"collision.paper_methods.{name}_among: {rows}" for name in PAPERS for rows in ("pairs", "charts", "sure")),
        *(f"collision.clearance.clearances: {rows}" for rows in ("pairs", "charts")),
        "collision.swept.free_between: charts",
        "track.walk.follow: charts",
        "servo.tick.tick_among: charts",
        *(f"tree.among.tree_gaps: {rows}" for rows in ("pairs", "charts")),
        *(f"tree.solve.solve_tree_among: {rows}" for rows in ("pairs", "charts")),
        "arm.goal.find_not_rigid: goals",
        "arm.goal.find_outside: starts",
        "general.null_space.settle_many: chosen",
        "maths.capsules.stand_out: ways",
        *(f"maths.capsules.refine: {rows}" for rows in ("ways", "points", "moves")),
    },
    "what is read is named by numbers in other arrays, which are the caller's to answer for": {
        "motions.near.look_at_motion: frames",
        "motions.near.look_at_motion: points",
    },
    "the kernel itself reads or writes no more than there is": {
        "bezier.paper.search_binary: heights_out",
        "bezier.paper.search_linear: heights_out",
        "maths.balls.split_balls: nodes_out",
        *(f"self_motion.solve.map_curves: {rows}" for rows in ("vertices_out", "curves_out", "arcs_out")),
    },
}


def test_any_size_is_allowed_only_where_it_cannot_do_harm():
    free = {
        f"{name}: {parameter}"
        for name in border.ENTRIES
        for parameter, argument in zip(parameters_of(name), border.arguments_of(name), strict=True)
        if "_" in argument.sizes
    }
    allowed = set().union(*ANY.values())
    assert free <= allowed
    assert {each for each in allowed if not each.endswith(": obstacles")} <= free


@pytest.mark.parametrize("name", border.ENTRIES)
def test_a_size_is_made_of_numbers_and_of_names_that_are_bound_and_met_again(name):
    """A name that is met once would be any size."""
    arguments = border.arguments_of(name)
    bound = {key for argument in arguments for key in argument.reads}
    met = []
    for size in (size for argument in arguments for size in argument.sizes if size != "_"):
        key, at_least, rest = size.partition(">=")
        bound |= {key} if key.isidentifier() else set()
        for text in [key, rest] if at_least else size.split("|"):
            for node in ast.walk(ast.parse(text or "0", mode="eval")):
                assert isinstance(node, EXPRESSION), size
                met += [node.id] if isinstance(node, ast.Name) else []
    called = {word for word in met if word in border.SIZES}
    assert set(met) - called == bound
    assert not [word for word in bound if met.count(word) < 2 and not any(word in each.reads for each in arguments)]


def test_functions_of_sizes_are_used_and_run_in_python_as_they_are():
    text = "\n".join(border.ENTRIES.values())
    for name, module in border.SIZES.items():
        assert f"{name}(" in text
        path = (PACKAGE / "core").joinpath(*module.split(".")).with_suffix(".py")
        (node,) = [node for node in ast.parse(path.read_text()).body if getattr(node, "name", "") == name]
        assert [item.id for item in node.decorator_list] == ["shared"]


@pytest.mark.compiled  # its calls are not, in either run: once is enough
def test_python_enters_every_kernel_with_the_types_and_sizes_of_the_table():
    pytest.importorskip("numba")  # whose types they are
    script = Path(__file__).with_name("calls.py")
    env = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.compiled
def test_a_solve_compiles_no_second_version_of_its_kernel():
    from forearm.core.closed_form.solve import solve_parallel

    arm = forearm.load("ur5")
    T = arm.fk(arm.neutral)
    for how in ({}, {"q0": arm.neutral}, {"limits": arm.limits}, {"method": "closed-form"}):
        arm.solve(T, **how)
    made = getattr(solve_parallel, "signatures", None)  # none where it is not compiled here
    assert made is None or made == [border.types_of("closed_form.solve.solve_parallel")]
