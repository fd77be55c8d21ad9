"""What of the papers must come out again, and how near: one `Check` for each number that can be judged.

Times are never judged, they are of another machine. Shares and means over random draws may differ by chance: they
are met within `DEVIATIONS` standard errors of both draws together. All else has a tolerance with its reason.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from forearm.reproduce import ITERATIONS, SOLVED, Figure, Sampling, Table
from forearm.reproduce.combined import tables as combined
from forearm.reproduce.fabrik_r import tables as fabrik_r

Rows = Mapping[str, tuple[Any, ...]]

DEVIATIONS = 4.0  # chance exceeds it once in 16,000 checks
# Behind the recomputed figures; of the combined method's the number is not on record, the print's is taken.
SPEC_DRAWS = {"bezier": 2_000, "combined": 10_000, "fabrik-r": 4_000}
DIGITS_3 = 5.1e-4  # [rad] rounding of a third digit
FABRIK_6 = (492.0, 2.0)  # sweeps on the UR5's printed target: recomputed 490 to 494, by how it is rounded
IIWA_ENTRY = 1.15e-3  # of a pose printed with three digits, recomputed 1.1e-3
CORRECTED = {("table-5", 1, "d"): 148.9, ("table-5", 6, "alpha"): -90.0}  # where the print is wrong
EXACT = 1e-6  # [mm or deg] read back from frames
PRINTED_ERROR = 2e-4  # [cm] of Table 6's Calculated rows
ROUNDING = 1e-12  # [m or rad] of exact poses
# of Fig. 9: what must come out, and the tolerance; rotation errors are rounding, the wrist is closed form
TRACKED = {"points reached": (100.0, 0.0), "largest position": (0.0, 1e-6), "largest rotation": (0.0, ROUNDING)}
HEIGHT = 1e-8  # of P1: recomputed with ten digits


@dataclass(frozen=True)
class Check:
    """A number that must come out.

    What is expected stands in "print", was "recomputed" by a prototype from the corrected text, or is a "goal" that
    this library holds itself to and neither has.
    """

    item: str  # the table or figure it belongs to
    what: str
    expected: float
    source: str
    here: float | None  # None if it is missing
    tolerance: float

    @property
    def held(self) -> bool:
        """Whether it came out."""
        return self.here is not None and abs(self.here - self.expected) <= self.tolerance


def check(paper: str, tables: tuple[Table, ...], sampling: Sampling) -> tuple[Check, ...]:
    """All checks of a paper on its tables."""
    rows = {table.name: table.rows for table in tables}
    return tuple(CHECKS[paper](rows, sampling))


def spread(share: float, drawn: int, before: int) -> float:
    """How far two shares of the same thing may lie apart [%]."""
    p = share / 100.0
    return 100.0 * DEVIATIONS * math.sqrt(p * (1.0 - p) * (1.0 / drawn + 1.0 / before))


def combined_checks(rows: Rows, sampling: Sampling) -> Iterator[Check]:
    """Table II, Figs. 3, 6 and 9."""
    for arm in combined.ARMS:
        for row in rows[f"table-2-{arm.name}"]:
            yield from table_2_checks(arm.label, row, sampling.drawn)
    for row in rows["figure-3-counts"]:
        if row.recomputed is not None:
            yield Check("Fig. 3", f"{row.case}, sweeps", row.recomputed, "recomputed", row.FABRIK, 0.0)
    for row in rows["figure-6"]:
        if row.solver == "UR5, FABRIK":
            yield Check("Fig. 6", f"{row.solver}, sweeps", FABRIK_6[0], "recomputed", row.here, FABRIK_6[1])
        elif row.quantity.startswith("theta"):
            yield Check("Fig. 6", f"{row.solver}, {row.quantity}", row.recomputed, "recomputed", row.here, DIGITS_3)
    for row in rows["iiwa-answer"]:
        yield Check("Fig. 6", f"iiwa, {row.entry}", row.paper, "print", row.here, IIWA_ENTRY)
    for row in rows["figure-9"]:
        for start, (expected, tolerance) in TRACKED.items():
            if row.quantity.startswith(start):
                yield Check("Fig. 9", f"{row.solver}, {row.quantity}", expected, "print", row.here, tolerance)


def table_2_checks(arm: str, row: Figure, drawn: int) -> Iterator[Check]:
    """A row of Table II: the combined method misses nothing, plain FABRIK as much as in print."""
    name = f"{arm}, {row.solver}, {row.quantity}"
    if row.solver.startswith("combined") and row.quantity in (SOLVED, combined.ALL_LIMITS):
        source = "goal" if row.recomputed is None else "recomputed"
        yield Check("Table II", name, 100.0, source, row.here, 0.0)
    elif row.quantity == SOLVED:
        for value, source in ((row.paper, "print"), (row.recomputed, "recomputed")):
            if value is not None:
                tolerance = spread(value, drawn, SPEC_DRAWS["combined"])
                yield Check("Table II", name, value, source, row.here, tolerance)


def fabrik_r_checks(rows: Rows, sampling: Sampling) -> Iterator[Check]:
    """Tables 1, 2, 4, 5 and 6."""
    drawn, before = sampling.drawn, SPEC_DRAWS["fabrik-r"]
    for name, label in (("table-1", "Table 1"), ("table-4", "Table 4")):
        for row in rows[name]:
            what = f"{row.solver}, {row.quantity}"
            if row.quantity in (SOLVED, ITERATIONS) and row.recomputed is not None:
                deviation = (row.standard_error or 0.0) * math.sqrt(drawn)
                of_mean = DEVIATIONS * deviation * math.sqrt(1.0 / drawn + 1.0 / before)
                tolerance = spread(row.recomputed, drawn, before) if row.quantity == SOLVED else of_mean
                yield Check(label, what, row.recomputed, "recomputed", row.here, tolerance)
            elif row.solver == fabrik_r.REFINED.label and row.quantity == SOLVED:
                yield Check(label, what, 100.0, "goal", row.here, 0.0)
    for name, label in (("table-2", "Table 2"), ("table-5", "Table 5")):
        for row in rows[name]:
            for key in ("a", "alpha", "d"):
                corrected = CORRECTED.get((name, row.joint, key))
                expected = getattr(row, f"paper_{key}") if corrected is None else corrected
                source = "print" if corrected is None else "recomputed"
                yield Check(label, f"joint {row.joint}, {key}", expected, source, getattr(row, key), EXACT)
    for row in rows["table-6"]:
        what = f"({row.target_cm}), error of the printed angles (cm)"
        yield Check("Table 6", what, row.paper, "print", row.printed_angles, PRINTED_ERROR)
    for row in rows["table-6-averages"]:
        if row.solver == fabrik_r.FABRIK_R.label and row.quantity in (ITERATIONS, "error (cm)"):
            yield Check("Table 6", f"mean {row.quantity}", row.recomputed, "recomputed", row.here, 5e-4)


def bezier_checks(rows: Rows, sampling: Sampling) -> Iterator[Check]:
    """Table 1, the obstacle figures and the share of the disc."""
    table = {row.row: row for row in rows["table-1"]}
    yield Check("Table 1", "row 3, residual at the root (thousandths)", 0.2432, "print", table[3].at_root, 5e-5)
    yield Check("Table 1", "row 8, residual (thousandths)", 65.5, "print", table[8].residual, 0.05)
    for row in rows["table-1-exact"]:
        name = f"row {row.row}, {row.target}"
        yield Check("Table 1", f"{name}, height of P1", row.recomputed_P1_y, "recomputed", row.P1_y, HEIGHT)
        yield Check("Table 1", f"{name}, error without a grid", 0.0, "goal", row.curve_error, ROUNDING)
        yield Check("Table 1", f"{name}, error of bezier", 0.0, "goal", row.bezier_error, ROUNDING)
    touched = [row.touches for row in rows["figure-9"]]
    agree = sum(a == b for a, b in zip(touched, ("first", "second", "none", "none"), strict=True))
    yield Check("Fig. 9", "attempts that touch what the print shows, ours free", 4.0, "print", float(agree), 0.0)
    drawn = sampling.drawn
    for row in rows["coverage"]:
        if row.recomputed is not None:
            tolerance = spread(row.recomputed, drawn, SPEC_DRAWS["bezier"])
            what = f"{row.solver}, solved (%)"
            yield Check("Section II-E", what, row.recomputed, "recomputed", row.solved_percent, tolerance)


CHECKS: Mapping[str, Callable[[Rows, Sampling], Iterator[Check]]] = {
    "bezier": bezier_checks,
    "combined": combined_checks,
    "fabrik-r": fabrik_r_checks,
}
