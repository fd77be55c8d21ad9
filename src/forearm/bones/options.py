"""The options of methods for chains; each field says its meaning, unit and range."""

import math
from dataclasses import dataclass

from forearm.common.checks import as_switch
from forearm.common.options import Options, choice, option

MOST = 10_000_000  # of anything that is counted
# The options of either mode of the Bezier method that mean nothing in the other.
PAPER_ONLY = ("grid", "steps", "linear", "shift", "reflect")
EXACT_ONLY = ("max_turn", "max_tries", "max_swivel", "rng_seed")


@dataclass(frozen=True)
class BoneOptions(Options):
    """What every method for chains takes."""

    max_tries: int | None = option(
        None,
        "starts at most, where limits or obstacles are in the way; a skeleton takes 10, a chain 100",
        low=1,
        high=MOST,
    )
    max_swivel: float = option(
        0.1, "with start: the most an elbow turns toward its pole in one solve", low=1e-12, high=1e6, unit="rad"
    )
    rng_seed: int = option(0, "seed of the further starts", low=0, high=MOST)


@dataclass(frozen=True)
class FabrikOptions(BoneOptions):
    """Options of FABRIK for chains and skeletons."""

    refine: bool = option(True, "whether Gauss-Newton finishes what a few sweeps began", low=0, high=1)
    max_sweeps: int | None = option(None, "sweeps at most; 5, or 1000 where nothing refines", low=0, high=MOST)
    max_steps: int | None = option(None, "steps of the refiner at most in each try; 100", low=0, high=MOST)

    def __post_init__(self) -> None:
        """Refuses a switch that is neither True nor False, and numbers out of range."""
        as_switch(self.refine, "refine")
        super().__post_init__()
        if not self.refine:
            self.refuse_idle(("max_steps",), "refine=False", "refine=True")


@dataclass(frozen=True)
class BezierOptions(BoneOptions):
    """Options of the Bezier method for chains."""

    mode: str = choice("exact", "the curve by roots, or the published search", ("exact", "paper"))
    max_turn: float = option(
        0.25, "with start: what a link may turn more than it must", low=1e-6, high=math.pi, unit="rad"
    )
    grid: int = option(
        5001, 'mode="paper": points on the curve, the paper\'s n; 0 solves without a grid', low=0, high=1e7
    )
    steps: int = option(900, 'mode="paper": heights of P1, the paper\'s k', low=2, high=1e7)
    linear: int = option(0, 'mode="paper": 1 searches linearly, 0 by bisection', low=0, high=1)
    shift: float = option(0.0, 'mode="paper": P1 is moved to the right by this', low=-1e9, high=1e9, unit="m")
    reflect: int = option(0, 'mode="paper": 1 reflects P1 to the other side of the base', low=0, high=1)

    def __post_init__(self) -> None:
        """Refuses numbers out of range, and what the other mode alone reads."""
        super().__post_init__()
        idle, other = (PAPER_ONLY, "paper") if self.mode == "exact" else (EXACT_ONLY, "exact")
        self.refuse_idle(idle, f"mode='{self.mode}'", f"mode='{other}'")
