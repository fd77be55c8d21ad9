"""Jobs on a cluster: one that nobody waits for any more ends where it is done."""

import time

import pytest

from forearm.common.threads import heed
from forearm.errors import OptionError
from forearm.scale.run import ClusterPool, connected

SOON = 30.0  # seconds: a test fails rather than hangs
ANY_PORT = "127.0.0.1:0"  # of its pages: the usual one may be in use by a cluster of another test


def until_given_up(started, ended):
    """Works until it is given up; says so in files, since it may run anywhere."""
    started.touch()
    until = time.monotonic() + SOON
    try:
        while time.monotonic() < until:
            heed()
            time.sleep(0.005)
    finally:
        ended.write_text("late" if time.monotonic() >= until else "soon")


def wait_for(file):
    until = time.monotonic() + SOON
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert file.exists()


def test_a_job_that_nobody_waits_for_ends_on_its_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    started, ended = tmp_path / "started", tmp_path / "ended"
    with (
        distributed.LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=ANY_PORT) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        pool = ClusterPool(client, cluster.scheduler_address)
        future = pool.submit(until_given_up, started, ended)
        wait_for(started)
        assert not pool.ended(future)
        del future  # as a client that leaves does
        wait_for(ended)
        time.sleep(0.05)  # written whole
        assert ended.read_text() == "soon"


@pytest.mark.parametrize("address", ["foo", "tcp://", "http://x:1"])
def test_what_is_no_address_is_refused_before_a_client_is_made_of_it(address, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("its end would be told with a traceback"))
    with pytest.raises(OptionError, match="no Dask scheduler answers at"), connected(address):
        pass
