"""The documentation: its Python runs, its links lead somewhere, its pages cover what there is."""

import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.solve.methods.table import METHODS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
LARGEST_PICTURE = 500_000  # bytes
NOT_RUN = ("viewer",)  # whose Python opens a page; tests/viewer looks at it
QUIET = ("bezier", "chains", "untrusted-files")  # pages whose Python prints nothing
DRAWN = ("tutorial", "cookbook", "teaching", "plots", "scaling")  # need matplotlib


def blocks_of(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


# Every page with Python but those above; a block that is not run (ROS, Blender, a file of its own) has a title.
RUN = [path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES if blocks_of(path, "python")]
RUN = [name for name in RUN if name not in NOT_RUN]


@pytest.mark.compiled
@pytest.mark.parametrize("name", RUN)
def test_the_python_of_a_page_runs_from_top_to_bottom(name, tmp_path, monkeypatch, capsys):
    if name in DRAWN:
        pytest.importorskip("matplotlib")
    if name == "scaling":
        pytest.importorskip("dask")
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks_of(DOCS / f"{name}.md", "python"):
        exec(compile(block, f"{name}.md", "exec"), namespace)
    assert name in QUIET or capsys.readouterr().out.strip()


def test_the_pages_that_people_begin_with_have_python_that_runs():
    assert {"index", "tutorial", "loading", "cookbook", "plots", "collision", "branches", "clips", "servo"} <= set(RUN)


@pytest.mark.compiled
def test_the_tutorials_failures_are_those_it_tells_of(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks_of(DOCS / "tutorial.md", "python"):
        exec(compile(block, "tutorial.md", "exec"), namespace)
    assert namespace["far"].status == fa.Status.OUT_OF_REACH
    assert namespace["tight"].status == fa.Status.LIMITS
    assert "elbow_joint" in namespace["tight"].reason
    assert namespace["s"].method == "closed-form (three parallel axes)"
    assert (tmp_path / "pose.png").stat().st_size > 10_000


def test_the_commands_of_the_tutorial_run():
    lines = [line for block in blocks_of(DOCS / "tutorial.md", "sh") for line in block.splitlines()]
    assert len(lines) == 3
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "forearm"
        assert CliRunner().invoke(app, arguments).exit_code == 0, line


def test_the_toml_of_the_loading_page_is_a_robot(tmp_path):
    (text,) = blocks_of(DOCS / "loading.md", "toml")
    (tmp_path / "arm.toml").write_text(text)
    assert fa.Robot.from_toml(tmp_path / "arm.toml").n == 3


@pytest.mark.compiled
def test_the_goals_of_the_page_on_trees_are_met_by_the_robot_that_it_names(tmp_path):
    (text,) = blocks_of(DOCS / "tree.md", "toml")
    (tmp_path / "goals.toml").write_text(text)
    (line,) = blocks_of(DOCS / "tree.md", "bash")
    program, command, robot, flag, name = shlex.split(line)
    assert (program, command, flag, name) == ("forearm", "solve", "--goals", "goals.toml")
    assert CliRunner().invoke(app, [command, str(ROOT / robot), flag, str(tmp_path / name)]).exit_code == 0


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=lambda path: path.name)
def test_links_lead_to_files_that_exist(path):
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        if not link.startswith(("http", "#")):
            assert (path.parent / link.split("#")[0]).exists(), f"{path.name}: {link}"


def test_every_method_has_a_page_with_its_picture_and_where_it_fails():
    for name in (*METHODS, "fabrik", "bezier"):
        text = (DOCS / "methods" / f"{name}.md").read_text(encoding="utf-8")
        assert f"(../pictures/methods/{name}.png)" in text
        assert "## Where it fails" in text
        assert 10_000 < (DOCS / "pictures" / "methods" / f"{name}.png").stat().st_size < LARGEST_PICTURE
        assert f"[`{name}`]({name}.md)" in (DOCS / "methods" / "index.md").read_text(encoding="utf-8")


def test_every_public_name_is_in_the_reference():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md"))
    for name in fa.__all__:
        assert re.search(rf"::: forearm\.{name}\b", text), name


def test_every_command_is_listed_on_one_page_and_no_other():
    text = (DOCS / "api" / "cli.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `forearm ([\w-]+)", text, re.MULTILINE)
    there = [command.name for command in app.registered_commands]
    assert sorted(listed) == sorted(there)


@pytest.mark.compiled
def test_the_first_question_of_the_faq_has_a_target_that_fails_by_its_orientation(capsys):
    namespace = {}
    exec(compile(blocks_of(DOCS / "faq.md", "python")[0], "faq.md", "exec"), namespace)
    assert namespace["s"].status == fa.Status.ORIENTATION


def test_blocks_that_are_not_run_say_what_they_need():
    for name in RUN:
        for title in re.findall(r"```python title=\"(.*?)\"", (DOCS / f"{name}.md").read_text(encoding="utf-8")):
            assert "ROS" in title or "Blender" in title or title.endswith(".py"), title


def test_search_works_from_a_disk_and_asks_for_nothing():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "\n  - offline\n" in settings
    assert "polyfills: [iframe-worker.js]" in settings  # without it the plugin loads one from the net
    assert "http" not in (DOCS / "iframe-worker.js").read_text(encoding="utf-8")


def test_the_readme_of_the_package_has_no_link_that_leads_nowhere():
    builders = pytest.importorskip("hatchling.metadata.core")
    from hatchling.plugin.manager import PluginManager

    text = builders.ProjectMetadata(str(ROOT), PluginManager()).core.readme
    assert "inverse kinematics" in text.lower()
    assert [link for link in LINK.findall(text) if not link.startswith(("http", "#"))] == []
    assert 'src="docs' not in text
    assert "(`docs/tutorial.md`)" in text


def test_with_an_address_the_links_of_the_readme_lead_there(monkeypatch):
    pytest.importorskip("hatchling")
    monkeypatch.syspath_prepend(str(ROOT))
    from hatch_build import readme_for_index

    text = readme_for_index((ROOT / "README.md").read_text(encoding="utf-8"), "https://example.org/files/")
    assert "](https://example.org/files/docs/tutorial.md)" in text
    assert 'src="https://example.org/files/docs/pictures/ur5-eight.svg"' in text
    assert all(link.startswith(("http", "#")) for link in LINK.findall(text))


def test_the_citation_has_the_version_of_the_package():
    assert f"\nversion: {fa.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_example_is_shown():
    text = (DOCS / "examples.md").read_text(encoding="utf-8")
    shown = re.findall(r'--8<-- "examples/(.*?)"', text)
    assert shown == sorted(path.name for path in (ROOT / "examples").glob("*.py"))


def test_every_page_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in PAGES:
        assert f" {path.relative_to(DOCS).as_posix()}\n" in text, path.name


def test_the_animated_arm_is_small_whole_and_asks_for_nothing(tmp_path):
    text = (DOCS / "pictures" / "ur5-eight.svg").read_text(encoding="utf-8")
    assert len(text) < LARGEST_PICTURE
    reader = HTMLParser()
    reader.feed(text)
    assert text.count("<animate") > 10
    assert "href" not in text
    assert "<script" not in text
