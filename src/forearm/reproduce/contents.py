"""Every table and figure the three papers have: what it shows, what stands for it here, and why that differs.

An item is *shown* if a table or a picture of ours stands for it, or *needs hardware*, with the reason. What
the print shows is told in words; the papers themselves are not part of the library.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper."""

    label: str  # as the paper calls it
    what: str  # the print shows
    why: str  # ours differs from it, and how
    tables: tuple[str, ...] = ()  # names of ours for it
    pictures: tuple[str, ...] = ()
    hardware: str = ""  # why it cannot be done without the authors' hardware; empty if it can

    @property
    def verdict(self) -> str:
        """Whether it is shown, or why not."""
        return f"needs hardware: {self.hardware}" if self.hardware else "shown"

    @property
    def anchor(self) -> str:
        """Its place in a page."""
        return "".join(c if c.isalnum() else "-" for c in self.label.lower()).strip("-").replace("--", "-")


# label: what, why, and the names of our tables
COMBINED = {
    "Table I": ("notation", "Nothing is measured; the last column is ours.", "table-1-notation"),
    "Table II": (
        "success and mean time of the combined method and of plain FABRIK, 10,000 queries on UR5 and iiwa 14",
        "Plain FABRIK meets the print within what chance does to 10,000 draws. The print's combined method misses "
        "up to 0.36 %, and so does the same algorithm here ('as published'), with n_l 5 more: the print's seed was "
        "another than its Eq. (24) gives, and from that one the shares come out. The library's own misses none: it "
        "seeds the refiner by the signs that limits disturb least, so that one start is enough, and offers both elbow "
        "sides. Times are of another machine and language.",
        "table-2-ur5",
        "table-2-iiwa14",
        "table-2-seed",
    ),
    "Fig. 1": (
        "the scheme of the algorithm",
        "Redrawn, with the number of queries that took either way in a run here.",
    ),
    "Fig. 2": (
        "the planar 2-DOF and the spherical-revolute 4-DOF chain",
        "Drawn from the two links that the reduction leaves of a UR5 and an iiwa, with the print's start and target.",
    ),
    "Fig. 3": (
        "configurations after 10, 100 and all iterations of FABRIK, four cases",
        "Printed vectors have three digits, so counts differ by a few (641 for 659). As printed the third target lies "
        "0.024 mm out of reach and is pulled in; the second and fourth are not printed and were searched for.",
        "figure-3-counts",
    ),
    "Fig. 4": (
        "distance to the target against iterations in these cases",
        "The same curves on logarithmic axes, with the refined method beside them.",
    ),
    "Fig. 5": (
        "the kinematic chains of UR5 and KUKA iiwa",
        "Drawn from the models by forward kinematics; the two links that iterate stand out.",
    ),
    "Fig. 6": (
        "joint angles against iterations on two printed targets, and the answers",
        "Printed targets and answers have three digits; 490 sweeps for 546, and angles within 0.007 rad of the print. "
        "The iiwa's printed target is out of reach by its rounding, so the pose of its printed answer is taken; the "
        "printed answer is another swivel of the same pose, that of a seed which Eq. (24) does not give.",
        "figure-6",
        "figure-6-seed",
        "iiwa-answer",
    ),
    "Fig. 7": (
        "box plot of the logarithm of the solution times",
        "The print has no numbers; ours are times of calls from Python on this machine.",
        "figure-7",
    ),
    "Fig. 8": (
        "the paths of P2, P3 and the tool in both phases of the tracking test",
        "The same 80 and 100 points from the printed start and end; a repeated number in the printed end was dropped.",
    ),
    "Fig. 9": (
        "joint angles and errors along these paths",
        "As in print every point is met below 1e-6 m without an error of rotation. With n_l = 5 the refiner is "
        "active on most of the UR5's points, not only where the arm is straight or must fold; its error is "
        "smaller there.",
        "figure-9",
    ),
}

FABRIK_R = {
    "Table 1": (
        "5-DOF arm: time and iterations, 200 targets",
        "The print's 19.4706 can be the mean of at most 187 whole numbers, not of 200. It says that all targets "
        "are solved; plain sweeps miss some seven in a thousand near full reach or near the first axis. Refined, "
        "none is missed.",
        "table-1",
    ),
    "Table 2": ("Denavit-Hartenberg rows of the 10-DOF arm", "The catalog's arm has exactly these rows.", "table-2"),
    "Table 3": (
        "iterations of five methods on chains of 10 joints",
        "All rows but FABRIK-R's come from another paper's chain without constraints. FABRIK is run on such a "
        "chain too, the others on the 10-DOF arm: so these are another experiment, not a repetition.",
        "table-3",
    ),
    "Table 4": (
        "FABRIK-R and CCD on the 10-DOF arm",
        "The print's means can be of at most 128 and 196 whole numbers, not of 200, and its times per iteration "
        "do not follow from its totals. CCD is slower here too, by less. The mean of the iterations depends much "
        "on a few targets near full reach.",
        "table-4",
    ),
    "Table 5": (
        "Denavit-Hartenberg rows of the Pioneer arm",
        "Two entries are corrected, alpha 6 and d 1; with them the ten printed errors of Table 6 follow.",
        "table-5",
    ),
    "Table 6": (
        "ten targets of the Pioneer arm: calculated and measured angles, and their errors",
        "The printed errors of the calculated angles agree within 0.0002 cm; our own angles lead to other points "
        "within the tolerance of 1 cm. The measured angles were read off a real arm; the errors printed for them "
        "do not follow from them.",
        "table-6",
        "table-6-averages",
        "table-6-measured",
    ),
    "Section VII": (
        "orientation, left to future work",
        "Sweeps to a pose, alone and refined, by the shares of several arms.",
        "orientation",
    ),
    "Fig. 1": (
        "an iteration of FABRIK on four joints",
        "A run of the library's FABRIK; the print's points are not given.",
    ),
    "Fig. 2": (
        "the older rule for hinges, after Aristidou et al.",
        "The rule carried out on three points of ours by the steps of the caption.",
    ),
    "Fig. 3": (
        "where that rule fails: parallel hinges",
        "Shown on the paper's 5-DOF arm, with how far p2 lies outside the plane.",
    ),
    "Fig. 4": ("a plane that the rule does not define", "Shown as several of the planes that hold both points."),
    "Fig. 5": ("the older rule for pivots", "The rule carried out on three points of ours."),
    "Fig. 6": (
        "where that rule fails: a pivot, then hinges",
        "Shown on the paper's 5-DOF arm, with how far p2' lies from where p2 can be.",
    ),
    "Fig. 7": (
        "a step of FABRIK-R in six parts",
        "The step that places p4 on the 5-DOF arm; in part (e) the plane holds the line, the caption says across it.",
    ),
    "Fig. 8": (
        "the possible places of p4, and the two solutions of Eq. (6)",
        "Both roots by plain geometry; the library takes the first, to rounding: the one with the smaller circle.",
    ),
    "Fig. 9": (
        "the 5-DOF arm and its target",
        "The print gives neither its table nor the target; the rows are those of its length and of section VI-A.",
    ),
    "Fig. 10": ("placing p5", "From the library's trace. The caption projects p4; it is p5 that is placed."),
    "Fig. 11": ("placing p4", "From the library's trace, with the root not taken."),
    "Fig. 12": ("the rest of the forward stage", "From the library's trace."),
    "Fig. 13": (
        "the first steps of the backward stage",
        "From the library's trace; Eq. (6) has a closed form, so no random point is drawn.",
    ),
    "Fig. 14": (
        "the rest of the backward stage, and the solution after 3 iterations",
        "From the library's trace; with this target the tip is within a millimetre after three iterations too.",
    ),
    "Fig. 15": ("the 10-DOF arm", "Drawn from Table 2 by forward kinematics."),
}
PHOTOGRAPHS = (
    Item(
        "Fig. 16",
        "photograph of the Pioneer arm at its start",
        "The model in that pose is drawn instead: its tip stands at 59.4 cm, printed as 59.",
        pictures=("figure-16",),
        hardware="a photograph of the real arm",
    ),
    Item(
        "Fig. 17",
        "photograph of the Pioneer arm at a target",
        "The second half of the picture of Fig. 16 is the model at the first target of Table 6.",
        hardware="a photograph of the real arm touching a whiteboard",
    ),
)

BEZIER = {
    "Table 1": (
        "iterations, residual and time of twelve runs on six joints",
        "Rows 3 and 8 agree with the print, since they depend neither on the tolerance (not printed) nor on where "
        "the search stops; the others do, and cannot agree. The printed mean leaves out the failed row 8. Rows 10 "
        "and 11 repeat rows 1 and 2, so they were computed on their grid. With the interval printed for step 8b "
        "four of nine targets are missed.",
        "table-1",
        "table-1-exact",
        "table-1-interval",
    ),
    "Fig. 1": (
        "a quadratic and a cubic Bezier curve",
        "Drawn from the Bernstein basis: the middle term of Eq. (4) is 2t(1-t), which the print lacks.",
    ),
    "Fig. 2": ("linear interpolation", "The same, with even steps of t marked."),
    "Fig. 3": ("joints that turn about z, x and y", "A chain of five unit links turned by even angles."),
    "Fig. 4": (
        "the procedure: first curve, links laid on it, P1 moved down",
        "The published search on its own grid; the target is ours, (3, 2) of Table 1.",
    ),
    "Fig. 5": (
        "a pose made smoother by a shift of P1",
        "At (4, 1.5) a shift by 1 makes the sharpest bend gentler. This is no rule: at (3, 2) the same shift "
        "makes it sharper.",
    ),
    "Fig. 6": ("P1 shifted to avoid an obstacle", "With the obstacle of Fig. 9a; P1 shifted by -1.5 is free of it."),
    "Fig. 7": (
        "P1 reflected and shifted where shifting fails",
        "With both obstacles of Fig. 9b: the shift touches the second one, the reflected P1 is free.",
    ),
    "Fig. 8": (
        "nine poses",
        "The published search, its curves without a grid, and the library's own; full reach, (4, 3) and (3, 4), needs "
        "'<=' where the print has '<'.",
    ),
    "Fig. 9": (
        "three attempts round one and two obstacles (its caption says Figure 10)",
        "The second and third attempt hold only for roots with P1 below the base and a radius from 0.222 to 0.283, "
        "which is not printed; 0.25 here. The procedure of section III-G, followed with the printed linear search, "
        "passes one obstacle to the left and both with P1 reflected.",
        "figure-9",
        "section-3g",
    ),
    "Section II-E": (
        "the critical zone",
        "The search interval does not contain the answer: (2, 2) needs P1 above the tip, and the search only "
        "moves down. So half of the disc is never met; the library's curves meet all of it.",
        "coverage",
    ),
}


def item(label: str, what: str, why: str, *tables: str) -> Item:
    """A table or figure that needs no hardware; a figure has our picture of its number."""
    number = label.removeprefix("Fig. ")
    return Item(label, what, why, tables, () if number == label else (f"figure-{number}",))


CONTENTS = {
    "bezier": tuple(item(label, *words) for label, words in BEZIER.items()),
    "combined": tuple(item(label, *words) for label, words in COMBINED.items()),
    "fabrik-r": (*(item(label, *words) for label, words in FABRIK_R.items()), *PHOTOGRAPHS),
}
