"""A cluster for the tests of this folder, and their way to `processes.py`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from processes import Cluster


@pytest.fixture
def cluster(tmp_path):
    pytest.importorskip("distributed")
    made = Cluster(tmp_path)
    try:
        made.start_scheduler()
        made.start_worker()
        made.start_worker()
        yield made
    finally:
        made.stop()
