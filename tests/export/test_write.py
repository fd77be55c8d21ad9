import re

import numpy as np
import pytest

import forearm as fa
from forearm.core import codes
from forearm.errors import ForearmError, OptionError
from forearm.export import pieces
from forearm.export.statuses import STATUSES
from forearm.export.tables import roads_of
from forearm.export.write import export_c, prefix_of

ELIMINATED = pytest.param("so101", marks=pytest.mark.compiled)  # whose table takes half a minute in plain Python
ARMS = ["ur5", "iiwa14", "panda", "scara", "fabrik-r-10dof", ELIMINATED]


def texts(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.suffix != ".o" and path.is_file()}


# a closed form, one over a swivel angle, a held joint, elimination, parallel axes, a long chain, couplings
@pytest.mark.parametrize("name", ARMS)
def test_nothing_of_a_template_is_left_open(name, empty_kernels, tmp_path):
    out = tmp_path / "out"
    files = export_c(fa.load(name), out, seeds=256)
    assert {path.name for path in files} == {path.name for path in out.iterdir()}
    for file, text in texts(out).items():
        assert not re.search(r"@[A-Z_]+@|\brobot_|\bROBOT_", text), file


@pytest.mark.parametrize(
    ("name", "road"),
    [("ur5", "form"), ("iiwa14", "swivels"), ("panda", "held"), ("fabrik-r-10dof", "search")],
)
def test_branches_are_found_as_python_finds_them(name, road):
    assert roads_of(fa.load(name)._prepared, 2048).listing == road


def test_tables_keep_every_bit(empty_kernels, tmp_path):
    robot = fa.load("ur5")
    export_c(robot, tmp_path / "out", seeds=256)
    text = (tmp_path / "out" / "ur5_data.c").read_text()
    numbers = re.search(r"ur5_links\[\d+\] = \{([^}]*)\}", text)[1]
    assert np.array([float.fromhex(word) for word in numbers.split(",")]).tobytes() == robot.model.links.tobytes()
    words = re.search(r"ur5_seeds\[(\d+)\]", text)[1]
    assert int(words) == 256 * (6 + 9) + 128 * 15  # joint values and a rotation; 15 keys in single precision


def test_names_from_a_file_end_no_comment_and_no_string(empty_kernels, tmp_path):
    text = """<robot name="robot */ int x; /*"><link name="a"/><link name="b"/><link name="c"/>
      <joint name='robot_"1\\n??/' type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1"/></joint>
      <joint name="é|2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
        <origin xyz="0.3 0 0"/><limit lower="-1" upper="1"/></joint></robot>"""
    robot = fa.Robot.from_urdf(text)
    export_c(robot, tmp_path / "out", "two", seeds=256)
    written = texts(tmp_path / "out")
    assert not any("*/ int x" in text for text in written.values())
    assert r'{"robot_\0421\134n\077\077/", "\303\251|2"}' in written["two_data.c"]


def test_a_closed_form_alone_brings_no_search(empty_kernels, tmp_path):
    files = {path.name for path in export_c(fa.load("ur5"), tmp_path / "out", seeds=0)}
    assert "parallel.o" in files
    assert "general.o" not in files
    assert "#define UR5_HAS_SEEDS 0" in (tmp_path / "out" / "ur5_data.h").read_text()


@pytest.mark.parametrize("seeds", [1, 255, 4096, 300.0, -1])
def test_a_table_too_small_or_too_large_is_refused(seeds, empty_kernels, tmp_path):
    with pytest.raises(OptionError, match="it takes 0, or 256 to 2048"):
        export_c(fa.load("ur5"), tmp_path, seeds=seeds)


@pytest.mark.parametrize("name", ["panda", "fabrik-r-10dof"])
def test_an_arm_whose_form_does_not_solve_needs_seeds(name, empty_kernels, tmp_path):
    with pytest.raises(OptionError, match="no closed form that solves"):
        export_c(fa.load(name), tmp_path, seeds=0)


@pytest.mark.parametrize("name", ["2 arms", "my-arm", "int", "robot", "", "Arm"])
def test_names_that_c_does_not_take_are_refused(name, empty_kernels, tmp_path):
    with pytest.raises(OptionError, match="such as 'my_arm'"):
        export_c(fa.load("ur5"), tmp_path, name)


@pytest.mark.parametrize(("name", "prefix"), [("UR5e", "ur5e"), ("fabrik-r 10", "fabrik_r_10"), ("6dof", "arm_6dof")])
def test_robots_names_become_names_of_c(name, prefix):
    assert prefix_of(name, given=False) == prefix


def test_missing_kernels_name_the_command(tmp_path):
    with pytest.raises(ForearmError, match="make c"):
        pieces.find_kernels(tmp_path)


def test_kernels_of_other_sources_are_refused(empty_kernels, monkeypatch):
    monkeypatch.setattr(pieces, "stamps", lambda name: ["edited"])
    with pytest.raises(ForearmError, match="edited since"):
        pieces.find_kernels(empty_kernels)


def test_statuses_are_those_of_kernels():
    names = ("SOLVED", "OUT_OF_REACH", "LIMITS", "WRONG_ORIENTATION", "COLLISION", "NOT_CONVERGED", "BAD_TARGET")
    kernels = {getattr(codes, name) for name in (*names, "BAD_START", "INEXACT")}
    assert kernels < {number for _, number, _ in STATUSES}
    assert len({number for _, number, _ in STATUSES}) == len(STATUSES)
