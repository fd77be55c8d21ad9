"""Which files a description may read: below its own folders, links followed."""

import pytest

from forearm.common.folders import folders_of
from forearm.errors import ModelError


@pytest.fixture
def place(tmp_path):
    """A workspace: a package with a robot, one beside it, one without a manifest, and what is no package."""
    for name in ("arm/urdf/arm.urdf", "arm/meshes/a.stl", "tools/meshes/t.stl", "bare/urdf/b.xacro", "secret/key.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "bare" / "key.txt").write_text("x")
    (tmp_path / "arm" / "package.xml").write_text("<package><name>my_arm</name></package>")
    (tmp_path / "tools" / "package.xml").write_text("<package>\n  <name> wanted </name></package>")
    (tmp_path / "wanted" / "urdf").mkdir(parents=True)
    return tmp_path


def folders(place, **more):
    return folders_of(place / "arm" / "urdf" / "arm.urdf", **more)


@pytest.mark.parametrize("name", ["arm/urdf/arm.urdf", "arm/meshes/a.stl", "tools/meshes/t.stl", "bare/urdf/b.xacro"])
def test_packages_around_a_description_may_be_read(place, name):
    assert folders(place).read(place / name, "test", 100).decode() == name
    assert folders(place).admit(place / "arm" / "urdf" / ".." / ".." / name, "test") == place / name


@pytest.mark.parametrize("name", ["secret/key.txt", "bare/key.txt", "arm/../secret/key.txt"])
def test_what_is_in_no_package_may_not(place, name):
    with pytest.raises(ModelError, match=r"lies outside of the folders .* or name its folder in folders=\[...\]"):
        folders(place).read(place / name, "test", 100)
    assert folders(place, more=[place]).read(place / name, "test", 100)


def test_links_are_followed_before_it_is_decided(place):
    (place / "arm" / "urdf" / "link.txt").symlink_to(place / "secret" / "key.txt")
    with pytest.raises(ModelError, match="lies outside"):
        folders(place).read(place / "arm" / "urdf" / "link.txt", "test", 100)


def test_a_declared_name_counts_before_a_folders_name(place):
    assert folders(place).package("wanted") == place / "tools"
    assert folders(place).package("my_arm") == place / "arm"
    assert folders(place).package("bare") == place / "bare"
    for name in ("secret", "..", "/etc", "", "a/b", ".ssh"):
        assert folders(place).package(name) is None


def test_ros_knows_packages_too(place, monkeypatch):
    (place / "ros" / "share" / "far" / "meshes").mkdir(parents=True)
    (place / "ros" / "share" / "far" / "meshes" / "f.stl").write_text("f")
    (place / "deep" / "a" / "b" / "c" / "d" / "e" / "f").mkdir(parents=True)
    file = place / "deep" / "a" / "b" / "c" / "d" / "e" / "f" / "arm.urdf"
    assert folders_of(file).find("package://far/meshes/f.stl", "mesh") is None
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(place / "ros"))
    assert (
        folders_of(file).find("package://far/meshes/f.stl", "mesh")
        == place / "ros" / "share" / "far" / "meshes" / "f.stl"
    )


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("package://my_arm/meshes/a.stl", "arm/meshes/a.stl"),
        ("package://renamed/meshes/a.stl", "arm/meshes/a.stl"),
        ("package://wanted/meshes/t.stl", "tools/meshes/t.stl"),
        ("model://my_arm/meshes/a.stl", "arm/meshes/a.stl"),
        ("../meshes/a.stl", "arm/meshes/a.stl"),
        ("meshes/a.stl", "arm/meshes/a.stl"),
        ("nowhere.stl", None),
        ("", None),
        ("package://", None),
        ("a\0b", None),
        ("x" * 5000, None),
    ],
)
def test_meshes_are_found_by_path_and_by_package(place, name, found):
    assert folders(place).find(name, "mesh") == (None if found is None else place / found)


def test_a_mesh_outside_is_refused_by_name(place):
    for name in ("../../secret/key.txt", f"file://{place}/secret/key.txt", "/etc/passwd"):
        with pytest.raises(ModelError, match="lies outside"):
            folders(place).find(name, "mesh")


@pytest.mark.parametrize("more", ["/tmp", 5, ["/no/such/folder"], [5]])
def test_folders_are_a_list_of_folders(more):
    with pytest.raises(ModelError, match="folders"):
        folders_of(None, more)
