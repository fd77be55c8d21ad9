"""The fuzzer of `tools/fuzz.py`: its corpus, a few hundred of its inputs, and that it sees what it is there to see."""

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forearm.errors import ForearmError

TOOLS = Path(__file__).parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
fuzz, inputs = importlib.import_module("fuzz"), importlib.import_module("fuzz_inputs")
sys.path.remove(str(TOOLS))

CORPUS = sorted(inputs.CORPUS.glob("*/*"))
FOUND = [path for path in CORPUS if path.parent.name == "found"]
# What is in the corpus to be refused.
HOSTILE = {"attach.xml", "files.toml", "hostile.xacro", "part.xml"}


@pytest.fixture
def folder():
    here = Path.cwd()
    with fuzz.workshop() as folder:
        yield folder
    os.chdir(here)


@pytest.mark.parametrize("path", [path for path in CORPUS if path.parent.name in inputs.KINDS], ids=lambda p: p.name)
def test_the_corpus_is_read_but_for_what_is_hostile(path, folder):
    read = fuzz.readers()[path.parent.name]
    if path.name in HOSTILE:
        with pytest.raises(ForearmError):
            read(folder / path.name)
        return
    made = read(folder / path.name)
    if path.name == "outside.urdf":  # a mesh that must not be read is replaced
        assert "was not found" in made.notes[0]


@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.name)
@pytest.mark.filterwarnings("error")
def test_what_fuzzing_found_is_read_or_refused_in_one_line(path, folder):
    try:
        fuzz.readers()[path.name.split("-")[0]](folder / path.name)
    except ForearmError as problem:
        told = str(problem)
        assert told.isprintable() and len(told) < 3000  # noqa: PT018


def test_the_same_seed_makes_the_same_inputs():
    assert [inputs.make_input(3, k) for k in range(40)] == [inputs.make_input(3, k) for k in range(40)]
    assert {inputs.make_input(3, k).kind for k in range(200)} == set(inputs.KINDS)


def fuzzed(*flags):
    command = [sys.executable, str(TOOLS / "fuzz.py"), *map(str, flags)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_no_input_is_found_guilty(tmp_path):
    done = fuzzed("--count", 300, "--seed", 5, "--workers", 1, "--keep", tmp_path / "found")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 inputs of seed 5" in done.stdout
    assert not (tmp_path / "found").exists()


def test_a_process_that_waits_for_its_turn_is_not_said_to_hang():
    assert not fuzz.hangs(19.0, 19.0)
    assert not fuzz.hangs(60.0, 4.0)  # a busy machine gave it little
    assert fuzz.hangs(21.0, 15.0)
    assert fuzz.hangs(21.0, 0.0)  # it waits for what never comes
    before = fuzz.seconds_of(os.getpid()), time.process_time()
    while time.process_time() < before[1] + 0.3:
        pass
    assert fuzz.seconds_of(os.getpid()) - before[0] == pytest.approx(0.3, abs=0.1)


def open_outside(_):
    Path("/etc/hostname").read_bytes()


def start_process(_):
    os.system("true")


def run_code(_):
    exec("1 + 1")


def write_file(path):
    Path(path).with_suffix(".new").write_text("x")


def never_end(_):
    while True:
        pass


def wait(path):
    os.mkfifo(Path(path).with_suffix(".pipe"))
    Path(path).with_suffix(".pipe").read_bytes()


def take_memory(_):
    return len(b"x" * 700_000_000)  # written, so that it is really taken


def fail(_):
    raise KeyError("x")


GUILTY = {
    open_outside: "it reads '/etc/hostname'",
    start_process: "os.system",
    run_code: "exec '<string>'",
    write_file: "it writes",
    never_end: "it takes more than 0.2 s",
    wait: "it waits more than 0.2 s",
    take_memory: "MB",
    fail: "KeyError: 'x'",
}


@pytest.mark.parametrize("read", GUILTY, ids=lambda read: read.__name__)
def test_the_judge_sees_what_it_is_there_to_see(read, folder):
    code = "import test_fuzz as t, sys; t.judged(sys.argv[1], sys.argv[2])"
    place = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run(  # in a process of its own: an audit hook is never taken away
        [sys.executable, "-c", code, read.__name__, str(folder)],
        capture_output=True, text=True, env=os.environ | place, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("guilty"), done.stderr
    assert GUILTY[read] in done.stdout


def judged(name, folder):
    """Prints the verdict on a reader by its name."""
    fuzz.SECONDS = 60.0 if name == "take_memory" else 0.2  # a busy machine takes long to fill memory
    watch = fuzz.Watch(Path(folder))
    given = inputs.Input("csv", "input.csv", b"x")
    print(*fuzz.judge(given, Path(folder), watch, globals()[name]))
