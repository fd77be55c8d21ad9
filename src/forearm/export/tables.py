"""What a robot's C sources are made of: numbers and tables of it, and the pieces of kernels that it calls.

The C text (`templates/`) is the same for all robots; which of its roads a robot takes, and with which constants,
is said here as macros. Whatever Python keeps of a robot (`arm/tables.py`) comes from where Python takes it, so that
the same kernels get the same bits.
"""

from typing import Any, NamedTuple

import numpy as np

from forearm.arm.branches import elimination
from forearm.arm.configurations import HAIR, neutral
from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core import codes
from forearm.core.arm.goal import FINISH_SCRATCH
from forearm.core.arm.problem import HEAD, LIMITS_PLACE, TERMS_PLACE, problem_size
from forearm.core.branches.inside import BEND, MET, SAME
from forearm.core.branches.layout import TABLE_NUMBERS, TRUST, WORK_NUMBERS
from forearm.core.closed_form.forms import plan
from forearm.core.closed_form.forms.srs_intervals import BREAKS
from forearm.core.closed_form.forms.srs_nearest import SWIVEL_SCRATCH, WIDEN
from forearm.core.closed_form.polish import EXACT
from forearm.core.closed_form.scratch import form_size
from forearm.core.general import solve as general
from forearm.core.general.null_space import settle_size
from forearm.core.general.table import WINDOW
from forearm.core.servo import state as places
from forearm.core.servo.tick import servo_size
from forearm.solve import all_branches, explain, second_look
from forearm.solve.methods.layout import NO_SETTINGS, chain_and_facts, changed
from forearm.solve.methods.options import GeneralOptions
from forearm.solve.methods.prepare import prepare_general
from forearm.solve.problem import AUTO, CLOSED, GENERAL, is_redundant, open_wide, wide
from forearm.targets.target import default_terms

CLASSES = {
    plan.THREE_PARALLEL: "parallel",
    plan.WRIST: "wrist",
    plan.SHOULDER_AND_WRIST: "swivel",
    plan.PLANE: "plane",
}
ONE_TRY = GeneralOptions(max_tries=1).pack(0.0)
LISTED = 32  # rows that a form or an elimination gives at most
HELD_BRANCHES = 8 * all_branches.HELD_SAMPLES  # of six axes, at every value of the held one


class Tables(NamedTuple):
    """A robot in numbers."""

    macros: dict[str, Any]  # constants of its C text
    arrays: dict[str, Floats]  # tables by name
    pieces: tuple[str, ...]  # kernels that it calls (`pieces.py`)
    how: tuple[str, str]  # who solves, and how every branch is found, for people


class Roads(NamedTuple):
    """Who answers for a robot."""

    form: Floats | None  # the closed form, flat
    solves: bool  # whether that answers, or only lists branches
    searches: bool  # whether the general solver answers
    listing: str  # how every branch is found: form, swivels, held, elimination, search


def roads_of(arm: Prepared, seeds: int) -> Roads:
    """Who answers for an arm, with so many seeds: as `stages` (`solve/problem.py`) and `solve_all` choose."""
    found, model = arm.structure, arm.model
    form = np.asarray(arm.of(CLOSED, codes.POSE)[1]) if found.kind is not Kind.NONE else None
    free = int(np.count_nonzero(model.limits[0] != model.limits[1]))
    shorter = 0 < free <= all_branches.SIX and free < model.n and (form is None or model.n > all_branches.SIX)
    if shorter:
        listing = "search"
    elif form is not None:
        by_kind = {Kind.SRS: "swivels", Kind.LOCKED: "held"}
        listing = by_kind.get(found.kind, "form")
    else:
        exact = not is_redundant(arm, codes.POSE, default_terms()) and arm.six_axes is not None
        listing = "elimination" if exact else "search"
    return Roads(form, found.kind not in (Kind.NONE, Kind.LOCKED), seeds > 0, listing)


def tables_of(arm: Prepared, servo: Any, seeds: int) -> Tables:
    """All numbers of a robot: `servo` is one that begins (`tracking/servo.py`), None where it has no speeds."""
    roads, model, terms = roads_of(arm, seeds), arm.model, default_terms()
    flat, table = prepare_general(arm, codes.POSE, max(seeds, WINDOW))
    settings = arm.defaults(AUTO)
    arrays: dict[str, Floats] = {
        "links": model.links,
        "moving": model.joints,
        "problem": changed(flat, settings[GENERAL.reads_from :], terms, model.limits),
        "plain_problem": changed(flat, NO_SETTINGS, terms, model.limits),
        "middle": neutral(model.limits),
        "search_settings": ONE_TRY,
        "identity": np.eye(4),
    }
    macros = sizes(arm) | constants(arm, flat) | switches(arm, roads) | {"SEEDS": len(table) if seeds else 0}
    pieces = ["fk"]
    if seeds:
        arrays["seeds"] = table
        pieces.append("general")
    if roads.form is not None:
        plain = arm.of(CLOSED, codes.POSE)[0]
        arrays["form_problem"] = changed(plain, settings[CLOSED.reads_from :], terms, model.limits)
        arrays["form"] = roads.form
        pieces.append("measure")
        if roads.solves:
            piece = CLASSES[int(roads.form[plan.CLASS])]
            pieces.append(piece)
            macros["FORM_KERNEL"] = f"forearm_closed_form_solve_polish_{piece}"
    macros["FORM"] = 0 if roads.form is None else len(roads.form)
    if roads.listing == "elimination":
        arrays["elimination"] = arm.six_axes.table  # type: ignore[union-attr]
    pieces += {
        "form": ["rows"],
        "held": ["rows", "held"],
        "swivels": ["intervals"],
        "elimination": ["elimination"],
    }.get(roads.listing, [])
    arrays |= servo_arrays(servo)
    return Tables(macros, arrays, (*pieces, "tick"), words(arm, roads, seeds))


def words(arm: Prepared, roads: Roads, seeds: int) -> tuple[str, str]:
    """Who solves and who lists, for people."""
    who = [f"closed form ({arm.structure.kind})"] if roads.solves else []
    who += [f"general solver with {seeds} seeds"] if seeds else []
    lists = {
        "form": "formulas, all of them",
        "swivels": "formulas, each branch at the swivel angle nearest to the start's",
        "held": f"formulas at {all_branches.HELD_SAMPLES} values of one joint: a sample",
        "elimination": "elimination, all of them unless it says otherwise",
        "search": f"search from {all_branches.SEARCHES} starts: a sample",
    }
    return ", then ".join(who), lists[roads.listing]


def sizes(arm: Prepared) -> dict[str, Any]:
    """How long arrays are, and where things are in them."""
    m, n = arm.model.m, arm.model.n
    return {
        "MOVING": m,
        "PROBLEM": problem_size(m, n),
        "LIMITS_PLACE": LIMITS_PLACE,
        "MAX_TRIES": HEAD + general.MAX_TRIES,
        "RNG_SEED": HEAD + general.RNG_SEED,
        "SKIP_TRIES": HEAD + general.SKIP_TRIES,
        "OPENED_PLACE": TERMS_PLACE + codes.OPENED,
        "REPORT": codes.REPORT,
        "FINISH_WORK": FINISH_SCRATCH,
        "GENERAL_WORK": general.general_size(m, n),
        "SETTLE_WORK": settle_size(m, n),
        "FORM_WORK": form_size(m, n),
        "SWIVEL_WORK": SWIVEL_SCRATCH,
        "BREAKS": BREAKS,
        "ELIMINATION": TABLE_NUMBERS,
        "ELIMINATION_WORK": WORK_NUMBERS,
        "TRUST": TRUST,
        "SEARCH_SETTINGS": len(ONE_TRY),
        "SERVO_WORK": servo_size(m, n),
        "SERVO_ASKED": places.ASKED,
    }


def constants(arm: Prepared, flat: Floats) -> dict[str, Any]:
    """Numbers that Python's roads have in their text, and some of the arm."""
    model, terms = arm.model, default_terms()
    is_wide = wide(terms, arm.metre)
    nearest, farthest = explain.reach_bounds(model, model.limits)
    looks = second_look.LOOKS
    return {
        "EXACT": EXACT,
        "HAIR": HAIR,
        "START_SLACK": codes.START_SLACK,
        "REACH": float(chain_and_facts(flat, model)[1][0]),
        "LENGTH": arm.bend,
        "WEIGHT": second_look.WEIGHT,
        "WIDE_POSITION": float(is_wide[codes.TOL_POSITION]),
        "WIDE_ROTATION": float(is_wide[codes.TOL_ROTATION]),
        "OPENED": float(open_wide(terms, arm.metre)[codes.OPENED]),
        "OPENED_TRIES": second_look.OPENED_TRIES,
        "LOOKS": len(looks),
        "LOOKS_NEARER": [near for near, _ in looks],
        "LOOKS_TRIES": [tries for _, tries in looks],
        "SAME": SAME,
        "MET": MET,
        "BEND": BEND,
        "DISTINCT": all_branches.DISTINCT,
        "STARTS": all_branches.SEARCHES,
        "HELD_SAMPLES": all_branches.HELD_SAMPLES,
        "AT_ZERO": elimination.AT_ZERO,
        "WIDEN": WIDEN,
        "ROUNDING": explain.ROUNDING,
        "ENOUGH": 1.0 + explain.WORTH_A_JUMP,
        "WALKS": explain.WALKS,
        "WALK_SEED": explain.SEED,
        "NEAREST": nearest,
        "FARTHEST": farthest,
    }


def switches(arm: Prepared, roads: Roads) -> dict[str, Any]:
    """Which roads the C text takes."""
    held = arm.structure.locked
    by_search = roads.listing == "search" or (roads.listing == "elimination" and roads.searches)
    most = {"held": HELD_BRANCHES, "search": all_branches.SEARCHES}.get(roads.listing, LISTED)
    return {
        "HAS_SEEDS": int(roads.searches),
        "HAS_FORM": int(roads.form is not None and roads.listing != "search"),
        "FORM_SOLVES": int(roads.solves),
        "IS_SWIVEL": int(arm.structure.kind is Kind.SRS),
        "REDUNDANT": int(is_redundant(arm, codes.POSE, default_terms())),
        "BY_FORM": int(roads.listing in ("form", "held")),
        "BY_SWIVEL": int(roads.listing == "swivels"),
        "BY_ELIMINATION": int(roads.listing == "elimination"),
        "BY_SEARCH": int(by_search),
        "HELD_JOINT": int(held) if roads.listing == "held" and held is not None else -1,
        "ROWS": LISTED + (all_branches.SEARCHES if by_search else 0),
        "MOST_BRANCHES": most,
        "ROW_SLACK": codes.LIMIT_SLACK if roads.form is None else float(roads.form[plan.SLACK]),
    }


def servo_arrays(servo: Any) -> dict[str, Floats]:
    """What a servo takes and begins with."""
    return {
        "servo_problem": servo._problem,
        "servo_numbers": servo._state,
        "servo_pose": servo._pose,
        "servo_nothing": servo._nothing,
    }


def servo_places() -> dict[str, Any]:
    """Where things are in a servo's numbers, and which of them begin at nought."""
    named = ("ROWS", "SPEED", "RATE", "FLOW", "FASTEST", "HARDEST", "TICK", "SHARE", "STATUS", "STOPPED")
    return {f"SERVO_{name}": int(getattr(places, name)) for name in named} | {
        "SERVO_PLACES": list(places.BEGUN_ROWS),
        "SERVO_NOUGHT": list(places.BEGUN_AT_NOUGHT),
        "SERVO_ENDLESS": list(places.BEGUN_ENDLESS),
    }


def round_joints(arm: Prepared) -> list[int]:
    """Which joints are where they were after a whole turn."""
    return [int(turns) for turns in arm.comes_round]
