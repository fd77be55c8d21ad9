import json
import shutil

import pytest

import forearm as fa
from forearm.errors import ForearmError
from forearm.export import pieces


@pytest.fixture
def empty_kernels(tmp_path, monkeypatch):
    """Pieces of nothing, for tests of the text alone."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    for name in pieces.PIECES:
        (folder / f"{name}.o").write_bytes(name.encode())
    (folder / pieces.DECLARATIONS).write_text("/* none */\n")
    numbers = dict.fromkeys(pieces.PIECES, 1000)
    stamps = {name: pieces.stamps(name) for name in pieces.PIECES}
    facts = {"processor": "any", "platform": "none", "stamps": stamps, "code": numbers, "stack": numbers}
    (folder / pieces.FACTS).write_text(json.dumps(facts))
    monkeypatch.setattr("forearm.export.write.find_kernels", lambda: pieces.find_kernels(folder))
    return folder


@pytest.fixture(scope="session")
def kernels():
    """The pieces that `make c` built; skips where there are none, or no C compiler."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler is installed")
    try:
        return pieces.find_kernels()
    except ForearmError as fault:
        pytest.skip(str(fault))


@pytest.fixture(scope="session")
def built(kernels, tmp_path_factory):
    """A robot by name, exported and built once."""
    from c_export import Exported

    made = {}

    def build(name):
        if name not in made:
            made[name] = Exported(fa.load(name), tmp_path_factory.mktemp(name), name)
        return made[name]

    return build
