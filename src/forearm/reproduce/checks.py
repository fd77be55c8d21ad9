"""What of the papers must come out again, and how near: one `Check` for each number that can be judged.

Tolerances are fixed beforehand, each derived in the line where it stands: half a unit of the last printed digit, with
the digits of printed inputs carried through to the result; or, for shares and means over random draws, so many standard
errors of the print's draw and ours together. None comes from the run that is judged. Times are not judged: they are of
another machine. A printed number that is known not to come out is judged all the same, and carries the reason.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from forearm.reproduce import ITERATIONS, SOLVED, Figure, Sampling, Table
from forearm.reproduce.bezier import tables as bezier
from forearm.reproduce.combined import tables as combined
from forearm.reproduce.fabrik_r import tables as fabrik_r

Rows = Mapping[str, tuple[Any, ...]]

# what a number is held against
PRINT, DATA, PROTOTYPE, GOAL = "print", "data", "prototype", "goal"
SOURCES = {
    PRINT: "the print, by an algorithm",
    DATA: "the print's own data",
    PROTOTYPE: "our prototype",
    GOAL: "our goals",
}
DEVIATIONS = 4.0  # chance exceeds it once in 16,000 checks
# Behind the prototype's figures; of the combined method's the number is not on record, the print's is taken.
SPEC_DRAWS = {"bezier": 2_000, "combined": 10_000, "fabrik-r": 4_000}
# Standard deviation of one target's iterations, in means: 20 draws of 200 by the prototype ranged from 20.8 to 34.6
# about 27.0; 20 normal numbers range over 3.73 deviations, so a draw has 3.7, a target sqrt(200) times that, 52.
TAIL = 2.0
# Over how many targets the print's means are at most.
MEANS_OVER = {("table-1", "FABRIK-R"): 187, ("table-4", "FABRIK-R"): 128, ("table-4", "CCD"): 196}
# Positions that the prototype's sweeps met alone [%].
SWEPT, SWEPT_DRAWS = {"fabrik-r-5dof": 99.51, "pioneer": 99.99, "ur5": 89.59, "iiwa14": 99.70}, 20_000
REACHED = 1.0  # thousandths of a link: what the print calls reached is below (rows 1 to 12 but 8, at most 0.90282)
DIGITS_3 = 5e-4  # [rad] rounding of a third digit
FABRIK_6 = (492.0, 2.0)  # sweeps on the UR5's printed target: recomputed 490 to 494, by how it is rounded
# Entries of the iiwa's pose [1 or m]: 5e-4 for the entry's own third digit, and of each of the seven printed angles
# 5e-4 times how much a radian of it moves the entry there.
IIWA_ENTRY = (
    (2.23e-3, 1.60e-3, 2.30e-3, 0.94e-3),
    (2.08e-3, 2.24e-3, 1.55e-3, 1.06e-3),
    (1.63e-3, 1.96e-3, 1.43e-3, 0.99e-3),
)
# The UR5's printed angles [rad]: their own third digit, and what the third digit of its target's entries moves them.
UR5_ANGLES = (1.32e-3, 1.56e-2, 3.12e-2, 1.70e-2, 1.42e-3, 2.08e-3)
CORRECTED = {("table-5", 1, "d"): 148.9, ("table-5", 6, "alpha"): -90.0}  # where the print is wrong
EXACT = 1e-6  # [mm or deg] read back from frames
# [cm] the error's fourth digit, and of each angle 5e-5 deg on the longest arm from its axis to the tip (Table 5).
PRINTED_ERROR = 5e-5 + math.radians(5e-5) * (44.5 + 44.5 + 29.5 + 29.5 + 15.0 + 15.0 + 7.5)
ROUNDING = 1e-12  # [m or rad] of exact poses
# of Fig. 9: what must come out, and the tolerance; rotation errors are rounding, the wrist is closed form
TRACKED = {"points reached": (100.0, 0.0), "largest position": (0.0, 1e-6), "largest rotation": (0.0, ROUNDING)}
HEIGHT = 5e-10  # of P1: recomputed with nine decimals

NO_DIGITS = "The target is printed with three digits, and the count depends on more."
NOT_PRINTED = "The target is not printed. Ours was chosen to come near the count, so it proves nothing about the print."
BEYOND = "As printed the target lies 0.024 mm beyond reach, where sweeps never end."
OWN_REFINER = "Steps of our refiner, which needs fewer than SLSQP's."
SWIVELLED = "Another answer to the same pose: the printed elbow is 83 degrees away from the plane of the sweeps."
UNDIVIDED = (
    "The print did not start from Eq. (24) as written. Its answer is met to 0.001 rad from theta 3 = acos of the "
    "equation's right side, not divided by l3 sin theta 4, and from there its shares are met too (rows \"print's "
    'seed").'
)
FREE_MOTION = "Where a descent ends along the arm's free motion depends on its steps."
CRAWLS = (
    "Plain sweeps are slow near full reach and may repeat themselves near the first axis; no limit on them is printed."
)
OTHER_CHAIN = (
    "In the print this row is from another paper, on a chain without constraints; here it is on the 10-DOF arm."
)
AS_WRITTEN = "A ratio of times of two programs, which depends on how each was written."
CORRECTED_ENTRY = (
    "With the printed entry the print's own errors in Table 6 do not follow; the corrected entry is used here."
)
NOT_OF_ANGLES = "The errors printed for the Measured angles do not follow from these angles."
WITHIN_CM = "Any error within the tolerance of 1 cm is allowed, and other sweeps end at another one."
UNKNOWN_STOP = "The tolerance at which the search ends is not printed; 1e-3 of a link here."
TOO_COARSE = (4, 10)  # rows
COARSE = (
    "Joints stand on points of the grid, a thousandth of a link and more apart, and P1 moves in k steps: what the last "
    "link misses cannot be chosen. With n = 5001 row 4 misses by more than 1e-3 with P1 at its exact root."
)
NO_SHIFT = "With P1 above the base and shifted so far to the right, the curve is too short for the chain."


@dataclass(frozen=True)
class Check:
    """A number that must come out, or of which is known why it does not."""

    item: str  # the table or figure it belongs to
    what: str
    expected: float
    source: str  # one of SOURCES
    here: float | None  # None if it is missing
    tolerance: float
    reason: str = ""  # why it is known not to come out; empty if it must

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


def count_spread(mean: float, drawn: int, before: int) -> float:
    """How far two means of iterations over random targets may lie apart."""
    return DEVIATIONS * TAIL * mean * math.sqrt(1.0 / drawn + 1.0 / before)


def last_digit(value: float, digits: int) -> float:
    """Half a unit of the last of so many significant digits."""
    return 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)


# -- combined ------------------------------------------------------------------------------------


def combined_checks(rows: Rows, sampling: Sampling) -> Iterator[Check]:
    """Table II, Figs. 3, 6 and 9."""
    for arm in combined.ARMS:
        for row in rows[f"table-2-{arm.name}"]:
            yield from table_2_checks(arm.label, row, sampling.drawn)
    for row in rows["figure-3-counts"]:
        what = f"{row.case}, sweeps"
        if row.recomputed is not None:
            yield Check("Fig. 3", what, row.paper, PRINT, row.FABRIK, 0.0, NO_DIGITS)
            yield Check("Fig. 3", what, row.recomputed, PROTOTYPE, row.FABRIK, 0.0)
        elif row.paper is not None:
            yield Check("Fig. 3", what, row.paper, PRINT, None, 0.0, BEYOND if "far" in what else NOT_PRINTED)
    for row in rows["figure-6"]:
        yield from figure_6_checks(row)
    for row, tolerance in zip(rows["iiwa-answer"], (one for entries in IIWA_ENTRY for one in entries), strict=True):
        yield Check("Fig. 6", f"iiwa, {row.entry}", row.paper, DATA, row.here, tolerance)
    for row in rows.get("table-2-seed", ()):
        tolerance, name = spread(row.paper, row.queries, SPEC_DRAWS["combined"]), f"print's seed, n_l {row.n_l}"
        yield Check("Table II", f"{combined.IIWA.label}, {name}, {SOLVED}", row.paper, PRINT, row.here, tolerance)
    for row in rows.get("figure-6-seed", ()):
        reason = FREE_MOTION if row.angle.startswith("theta 3") else ""
        yield Check("Fig. 6", f"iiwa, print's seed, {row.angle}", row.paper, PRINT, row.here, DIGITS_3, reason)
    for row in rows["figure-9"]:
        for start, (expected, tolerance) in TRACKED.items():
            if row.quantity.startswith(start):
                yield Check("Fig. 9", f"{row.solver}, {row.quantity}", expected, PRINT, row.here, tolerance)


def table_2_checks(arm: str, row: Figure, drawn: int) -> Iterator[Check]:
    """A row of Table II: ours misses nothing, plain FABRIK and the published algorithm as much as in print."""
    name = f"{arm}, {row.solver}, {row.quantity}"
    if row.solver.startswith("combined") and row.quantity in (SOLVED, combined.ALL_LIMITS):
        yield Check("Table II", name, 100.0, GOAL if row.recomputed is None else PROTOTYPE, row.here, 0.0)
    elif row.quantity == SOLVED:
        published = row.solver.startswith("as published") and row.solver.endswith("n_l 5") and arm != combined.UR5.label
        for value, source in ((row.paper, PRINT), (row.recomputed, PROTOTYPE)):
            if value is not None:
                tolerance, reason = spread(value, drawn, SPEC_DRAWS["combined"]), UNDIVIDED if published else ""
                yield Check("Table II", name, value, source, row.here, tolerance, reason)


def figure_6_checks(row: Figure) -> Iterator[Check]:
    """The counts and the answers of Fig. 6."""
    name = f"{row.solver}, {row.quantity}"
    if row.quantity == ITERATIONS and row.paper is not None:
        plain = row.solver.endswith("FABRIK")
        reason = OWN_REFINER if not plain else BEYOND if row.recomputed is None else NO_DIGITS
        here = None if reason is BEYOND else row.here
        yield Check("Fig. 6", name, row.paper, PRINT, here, 0.0, reason)
        if row.recomputed is not None:
            yield Check("Fig. 6", name, FABRIK_6[0], PROTOTYPE, row.here, FABRIK_6[1])
    elif row.quantity.startswith("theta") and "+" not in row.quantity:
        ours, joint = row.recomputed, int(row.quantity.split()[1])
        tolerance, reason = (DIGITS_3, SWIVELLED) if ours is None else (UR5_ANGLES[joint - 1], "")
        yield Check("Fig. 6", name, row.paper or 0.0, PRINT, row.here, tolerance, reason)
        if ours is not None:
            yield Check("Fig. 6", name, ours, PROTOTYPE, row.here, DIGITS_3)


# -- FABRIK-R ------------------------------------------------------------------------------------


def fabrik_r_checks(rows: Rows, sampling: Sampling) -> Iterator[Check]:
    """Tables 1 to 6."""
    drawn = sampling.drawn
    for name in ("table-1", "table-4"):
        for row in rows[name]:
            yield from sweep_checks(name, row, drawn)
    for row in rows["table-3"]:
        if row.quantity == ITERATIONS and row.paper is not None and row.solver != fabrik_r.FABRIK_R.label:
            yield Check("Table 3", f"{row.solver}, iterations", row.paper, PRINT, row.here, 5e-4, OTHER_CHAIN)
    for row in rows["orientation"]:
        yield Check("Section VII", f"{row.arm}, poses refined (%)", 100.0, GOAL, row.refined_percent, 0.0)
        share, what = SWEPT.get(row.arm), f"{row.arm}, positions by sweeps alone (%)"
        if share is not None:
            tolerance = spread(share, row.targets, SWEPT_DRAWS)
            yield Check("Section VII", what, share, PROTOTYPE, row.positions_percent, tolerance)
    for name, label in (("table-2", "Table 2"), ("table-5", "Table 5")):
        for row in rows[name]:
            for key in ("a", "alpha", "d"):
                corrected, what = CORRECTED.get((name, row.joint, key)), f"joint {row.joint}, {key}"
                reason = "" if corrected is None else CORRECTED_ENTRY
                yield Check(label, what, getattr(row, f"paper_{key}"), DATA, getattr(row, key), EXACT, reason)
                if corrected is not None:
                    yield Check(label, what, corrected, PROTOTYPE, getattr(row, key), EXACT)
    yield from table_6_checks(rows)


def sweep_checks(name: str, row: Figure, drawn: int) -> Iterator[Check]:
    """A row of Table 1 or 4: shares and means over random targets."""
    label, what, before = name.replace("table-", "Table "), f"{row.solver}, {row.quantity}", SPEC_DRAWS["fabrik-r"]
    if row.solver == fabrik_r.REFINED.label and row.quantity == SOLVED:
        yield Check(label, what, 100.0, GOAL, row.here, 0.0)
    elif row.quantity == SOLVED:
        if row.paper is not None:
            yield Check(label, what, row.paper, PRINT, row.here, 0.0, CRAWLS)
        if row.recomputed is not None:
            yield Check(label, what, row.recomputed, PROTOTYPE, row.here, spread(row.recomputed, drawn, before))
    elif row.quantity == ITERATIONS and (name, row.solver) in MEANS_OVER:
        over_print = MEANS_OVER[name, row.solver]
        for value, source, over in ((row.paper, PRINT, over_print), (row.recomputed, PROTOTYPE, before)):
            if value is not None:
                yield Check(label, what, value, source, row.here, count_spread(value, drawn, over))
    elif row.quantity == fabrik_r.RATIO:
        yield Check(label, what, row.paper or 0.0, PRINT, row.here, 0.05, AS_WRITTEN)


def table_6_checks(rows: Rows) -> Iterator[Check]:
    """The Pioneer arm: errors of printed angles, and the averages of section VI-B."""
    for name, key, reason in (("table-6", "printed_angles", ""), ("table-6-measured", "here", NOT_OF_ANGLES)):
        which = "Measured" if reason else "Calculated"
        for row in rows[name]:
            what = f"({row.target_cm}), error of the {which} angles (cm)"
            yield Check("Table 6", what, row.paper, DATA, getattr(row, key), PRINTED_ERROR, reason)
    for name, mean in (("table-6", 0.2752), ("table-6-measured", 1.6368)):
        here = math.fsum(row.paper for row in rows[name]) / len(rows[name])
        # the fourth digit of the mean, and of what it is a mean of
        yield Check("Table 6", f"{name}, mean of the printed errors (cm)", mean, DATA, here, 1e-4)
    for row in rows["table-6-averages"]:
        if row.solver == fabrik_r.FABRIK_R.label and row.quantity in (ITERATIONS, "error (cm)"):
            what, counts = f"mean {row.quantity}", row.quantity == ITERATIONS  # 1.7 and 0.2752, 1.3 and 0.269
            yield Check("Table 6", what, row.paper or 0.0, PRINT, row.here, 0.05 if counts else 5e-5, WITHIN_CM)
            yield Check("Table 6", what, row.recomputed or 0.0, PROTOTYPE, row.here, 0.05 if counts else 5e-4)


# -- Bezier --------------------------------------------------------------------------------------


def bezier_checks(rows: Rows, sampling: Sampling) -> Iterator[Check]:
    """Table 1, the obstacle figures and the share of the disc."""
    for row in rows["table-1"]:
        yield from table_1_checks(row)
    mean = 1e3 * math.fsum(bezier.TABLE_1[k - 1][4] for k in (*range(1, 8), 9, 12)) / 9
    yield Check("Abstract", "mean residual of rows 1 to 7, 9 and 12 (thousandths)", 0.50180, DATA, mean, 5e-5)
    for row in rows["table-1-exact"]:
        name = f"row {row.row}, {row.target}"
        yield Check("Table 1", f"{name}, height of P1", row.recomputed_P1_y, PROTOTYPE, row.P1_y, HEIGHT)
        yield Check("Table 1", f"{name}, error without a grid", 0.0, GOAL, row.curve_error, ROUNDING)
        yield Check("Table 1", f"{name}, error of bezier", 0.0, GOAL, row.bezier_error, ROUNDING)
    touched = [row.touches for row in rows["figure-9"]]
    agree = sum(a == b for a, b in zip(touched, ("first", "second", "none", "none"), strict=True))
    what = "attempts with P1 below the base that touch what the print shows, ours free"
    yield Check("Fig. 9", what, 4.0, PRINT, float(agree), 0.0)
    for count, shift in ((1, 1.3), (2, 2.0)):
        laid = [row for row in rows["section-3g"] if row.obstacles == count]
        met = any(row.free and abs(row.shift - shift) < 0.05 and row.P1_y > 0.0 for row in laid)
        what = f"free with P1 above the base, shifted by {shift:g}"
        yield Check(f"Fig. 9{'ab'[count - 1]}", what, 1.0, PRINT, float(met), 0.0, NO_SHIFT)
        yield Check("Section III-G", f"{count} obstacles passed in the end", 1.0, PRINT, float(laid[-1].free), 0.0)
    reflected = [row.P1_y < 0.0 for row in rows["section-3g"] if row.free]
    yield Check("Section III-G", "of them by reflection", 1.0, GOAL, float(sum(reflected)), 0.0)
    for row, (target, *_) in zip(rows["table-1-interval"], bezier.FIGURE_8, strict=True):
        what, tolerance = f"{row.target}, gap of the last link at the root (m)", on_grid(target, row.P1_y)
        yield Check("Step 8b", what, 0.0, GOAL, row.gap_behind_joint, tolerance)
    for row in rows["coverage"]:
        if row.recomputed is not None:
            tolerance = spread(row.recomputed, sampling.drawn, SPEC_DRAWS["bezier"])
            what = f"{row.solver}, solved (%)"
            yield Check("Section II-E", what, row.recomputed, PROTOTYPE, row.solved_percent, tolerance)


def table_1_checks(row: Any) -> Iterator[Check]:
    """A row of Bezier's Table 1: two residuals hang on nothing that is not printed."""
    name, digits = f"row {row.row}", last_digit(row.paper_residual, 3 if row.row == 8 else 5)
    if row.row == 3:
        yield Check("Table 1", f"{name}, residual at the root", row.paper_residual, PRINT, row.at_root, digits)
    else:
        reason = "" if row.row == 8 else UNKNOWN_STOP
        yield Check("Table 1", f"{name}, residual", row.paper_residual, PRINT, row.residual, digits, reason)
    yield Check("Table 1", f"{name}, iterations", row.paper_iterations, PRINT, row.iterations, 0.0, UNKNOWN_STOP)
    if row.row != 8:
        what, reason = f"{name}, reached: residual (thousandths)", COARSE if row.row in TOO_COARSE else ""
        yield Check("Table 1", what, 0.0, PRINT, row.residual, REACHED, reason)


def on_grid(target: tuple[float, float], height: float) -> float:
    """The most that four joints miss together, each by half a point of the grid where the curve is fastest [m]."""
    speed = 2.0 * max(height, math.dist(target, (0.0, height)))  # a quadratic curve's, at one of its ends
    return 4 * 0.5 * speed / float(bezier.BINARY_GRID["grid"] - 1)


CHECKS: Mapping[str, Callable[[Rows, Sampling], Iterator[Check]]] = {
    "bezier": bezier_checks,
    "combined": combined_checks,
    "fabrik-r": fabrik_r_checks,
}
