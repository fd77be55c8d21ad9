"""Every robot file of the packages that are installed, loaded as the command line loads it: a table of counts.

    python benchmarks/loading.py                              # of this environment
    python benchmarks/loading.py --site DIR                   # of another one's site-packages
    python benchmarks/loading.py --only robosuite --files     # every file of one package, and what was said of it

A file *loads* without a word, or *asks* in one line which tip to choose. Then it is loaded again with the first choice
it was offered, which must succeed, or end with one line again (*refused*: a loop that ties the chain, a fault on it).
What is *no robot* is counted apart: parts that others include, scenes and objects without a joint, other XML.
"""

import argparse
import logging
import re
import sysconfig
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from forearm.cli.robots import FileFlags, read_robot
from forearm.cli.shell_words import for_shell
from forearm.common.units import Units
from forearm.errors import ForearmError

PACKAGES = {  # where the files of a package lie, by what installs it
    "example-robot-data": "cmeel.prefix/share/example-robot-data",
    "rtb-data": "rtbdata",
    "robosuite": "robosuite",
    "gymnasium-robotics": "gymnasium_robotics",
    "gymnasium": "gymnasium",
    "gym-aloha": "gym_aloha",
    "gym-hil": "gym_hil",
    "dm-control": "dm_control",
    "metaworld": "metaworld",
    "myosuite": "myosuite",
    "musclemimic-models": "musclemimic_models",
    "genesis-world": "genesis",
    "mani-skill": "mani_skill",
    "mujoco-warp": "mujoco_warp",
    "brax": "brax",
    "pybullet": "pybullet_data",
}
ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf")
OUTCOMES = ("loads", "asks", "refused", "crashes", "no robot")
# What is said of files that hold no robot: parts for others to include, objects, other XML.
NO_ROBOT = re.compile(
    r"no root link|no body but the world|has the root <|no joint that moves|no joint of this one moves|not well-formed"
)
OFFERED = re.compile(r"choose --tip from: (.+?)(?: \(carries the gripper\))?(?:,|$| and \d+ more)")


def load_as_the_shell_does(path: Path) -> tuple[str, str]:
    """What becomes of a file, and what is said."""
    try:
        robot = read_robot(str(path), FileFlags(), Units())
        return "loads", f"{robot.n} joints from '{robot.model.base}' to '{robot.model.tip}'"
    except ForearmError as problem:
        said = for_shell(problem.message)
    except Exception as problem:  # the row that must stay 0
        return "crashes", repr(problem)
    if NO_ROBOT.search(said):
        return "no robot", said
    choice = OFFERED.search(said)
    if choice is None:
        return "refused", said
    try:
        read_robot(str(path), FileFlags(tip=choice.group(1)), Units())
    except ForearmError as problem:
        return "refused", f"with --tip {choice.group(1)}: {for_shell(problem.message)}"
    return "asks", said


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, default=Path(sysconfig.get_paths()["purelib"]), help="site-packages")
    parser.add_argument("--only", nargs="*", default=list(PACKAGES), choices=list(PACKAGES))
    parser.add_argument("--files", action="store_true", help="name every file and what is said of it")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    console, sums = Console(width=160), Counter[str]()
    table = Table("package", "files", *OUTCOMES, "slowest (CPU s)")
    for name in asked.only:
        files = sorted(path for path in (asked.site / PACKAGES[name]).rglob("*") if path.suffix.lower() in ENDINGS)
        counts, slowest = Counter[str](), 0.0
        for path in files:
            begin = time.process_time()
            outcome, said = load_as_the_shell_does(path)
            slowest = max(slowest, time.process_time() - begin)
            counts[outcome] += 1
            if asked.files or outcome in ("refused", "crashes"):
                console.print(f"{outcome}: {path.relative_to(asked.site)}: {said}", markup=False, soft_wrap=True)
        sums += counts
        if files:
            table.add_row(name, str(len(files)), *(str(counts[each]) for each in OUTCOMES), f"{slowest:.2f}")
    table.add_section()
    table.add_row("all", str(sums.total()), *(str(sums[each]) for each in OUTCOMES), "")
    console.print(table)


if __name__ == "__main__":
    main()
