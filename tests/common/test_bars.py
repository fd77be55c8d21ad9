"""Where no one watches a bar, lines say how far a long command is."""

import pytest

from forearm.common import bars


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by ten seconds a look."""
    ticks = iter(range(0, 10_000, 10))
    monkeypatch.setattr(bars.time, "monotonic", lambda: float(next(ticks)))


def test_a_log_gets_a_line_now_and_then_with_what_is_left(clock, capfd):
    with bars.drawing("map of ur5", "poses") as draw:
        for done in (1000, 2000, 3000, 4000):
            draw(done, 4000)
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err == "map of ur5: 2,000 of 4,000 (50%), about 20 s left\n"


def test_a_line_names_what_is_being_done(clock, capfd):
    with bars.drawing("measuring") as draw:
        draw(0, 4)
        draw(0, 4, "ur5 cold")
    assert capfd.readouterr().err == "ur5 cold: 0 of 4 (0%)\n"


def test_what_is_done_soon_says_nothing(capfd):
    with bars.drawing("targets of a.csv", "targets") as draw:
        draw(1, 2)
        draw(2, 2)
    assert capfd.readouterr().err == ""
