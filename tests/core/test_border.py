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


@pytest.mark.parametrize("name", border.ENTRIES)
def test_an_entry_has_a_type_for_every_parameter_and_marks_what_it_writes(name):
    module, function = name.rsplit(".", 1)
    kernel = getattr(importlib.import_module(f"forearm.core.{module}"), function)
    parameters = list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)
    arguments = border.ENTRIES[name].split()
    assert len(arguments) == len(parameters)
    for parameter, argument in zip(parameters, arguments, strict=True):
        assert argument.endswith("!") or not parameter.endswith(("_out", "work"))


def test_arrays_are_handed_back_to_lean_functions_alone():
    """A caller that counts references would give back one that was never taken."""
    for path in (PACKAGE / "core").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(item, ast.Name) and item.id == "kernel" for item in node.decorator_list
            ):
                calls = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
                assert not [f.id for f in calls if isinstance(f, ast.Name) and f.id.startswith("open_")], node.name


def test_python_hands_over_the_types_of_the_table():
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
    assert solve_parallel.signatures == [border.types_of("closed_form.solve.solve_parallel")]
