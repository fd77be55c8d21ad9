"""The thread of a page: the newest wish wins, presses are never lost, failures are shown."""

import threading
import time
from types import SimpleNamespace

from forearm.viewer.shared.worker import Worker

PATIENCE = 20.0  # [s]; nothing here takes that long


class Desk:
    """A page that notes what happens to it."""

    def __init__(self):
        self.notes, self.problems = [], []
        self.settled = threading.Event()
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.ticks = 0
        self.host = SimpleNamespace(flush=lambda: self.notes.append("flush"))

    def refresh(self):
        self.notes.append("refresh")

    def settle(self):
        self.settled.set()

    def tick(self):
        if self.ticks:
            self.ticks -= 1
            self.notes.append("tick")
            return 0.0
        return None

    def complain(self, problem):
        self.problems.append(str(problem))
        self.settled.set()

    def hold(self):
        """A slow wish: it lasts until the gate opens."""
        self.entered.set()
        assert self.gate.wait(PATIENCE)


def start(desk, quiet=0.0):
    worker = Worker(desk, rate=1000.0, quiet=quiet)
    worker.start()
    return worker


def wait_for(desk, text):
    while text not in desk.notes:
        assert desk.settled.wait(PATIENCE)
        desk.settled.clear()


def test_the_newest_wish_of_a_name_wins_and_presses_are_kept():
    desk = Desk()
    worker = start(desk)
    worker.post("slow", desk.hold)
    assert desk.entered.wait(PATIENCE)
    for number in range(5):
        worker.post("target", lambda number=number: desk.notes.append(f"target {number}"))
        worker.add(lambda number=number: desk.notes.append(f"press {number}"))
    assert len(worker._wishes) == 6  # they wait
    desk.gate.set()
    wait_for(desk, "target 4")
    worker.close()
    assert [note for note in desk.notes if note.startswith("target")] == ["target 4"]
    assert [note for note in desk.notes if note.startswith("press")] == [f"press {k}" for k in range(5)]


def test_a_failure_is_shown_and_the_page_lives_on():
    desk = Desk()
    worker = start(desk)

    def fail():
        raise ValueError("this went wrong")

    worker.add(fail)
    assert desk.settled.wait(PATIENCE)
    assert desk.problems == ["this went wrong"]
    desk.settled.clear()
    worker.add(lambda: desk.notes.append("alive"))
    wait_for(desk, "alive")
    worker.close()


def test_a_page_settles_once_no_wish_has_come_for_a_while_and_not_between_two_moves_of_a_drag():
    desk = Desk()
    worker = start(desk, quiet=3600.0)
    for number in range(3):
        drawn = desk.notes.count("refresh")
        worker.post("target", lambda number=number: desk.notes.append(f"target {number}"))
        until = time.monotonic() + PATIENCE
        while desk.notes.count("refresh") == drawn and time.monotonic() < until:
            time.sleep(0.005)
    worker.close()
    assert desk.notes == ["target 0", "refresh", "target 1", "refresh", "target 2", "refresh"]
    assert not desk.settled.is_set()
    worker = start(desk, quiet=0.01)
    worker.post("target", lambda: None)
    assert desk.settled.wait(PATIENCE)
    worker.close()


def test_what_moves_by_itself_is_drawn_each_time():
    desk = Desk()
    desk.ticks = 3
    worker = start(desk)
    worker.add(lambda: desk.notes.append("go"))
    while desk.notes.count("tick") < 3:
        assert desk.settled.wait(PATIENCE)
        desk.settled.clear()
    worker.close()
    assert desk.notes.count("refresh") >= 3
    worker.close()  # a second time does no harm


def test_the_round_in_which_it_stops_is_drawn_too():
    desk = Desk()
    desk.ticks = 2
    moves = desk.tick

    def tick():
        wait = moves()
        if wait is None and "end" not in desk.notes and "tick" in desk.notes:
            desk.notes.append("end")  # the last move is made here
        return wait

    desk.tick = tick
    worker = start(desk)
    worker.add(lambda: desk.notes.append("go"))
    wait_for(desk, "end")
    worker.close()
    assert desk.notes == ["go", "tick", "refresh", "tick", "refresh", "end", "refresh"]


class Slider:
    """A slider that notes what the page wrote into it."""

    step = 1.0

    def __init__(self):
        self.__dict__.update(value=0.0, written=[])

    def __setattr__(self, _, value):
        self.__dict__["value"] = value
        self.written.append(value)


def test_a_slider_belongs_to_the_user_until_they_let_go():
    desk, slider = Desk(), Slider()
    worker = start(desk)
    worker.show(slider, 5.0)
    worker.show(slider, 5.2)  # less than half a step
    assert slider.written == [5.0]
    slider.__dict__["value"] = 80.0  # as viser notes what a user types
    worker.touch(slider)
    worker.show(slider, 6.0)  # older than that
    assert slider.value == 80.0
    worker.post("typed", lambda: worker.show(slider, 75.0))  # what the figure makes of it: a limit
    until = time.monotonic() + PATIENCE
    while "flush" not in desk.notes and time.monotonic() < until:
        time.sleep(0.01)
    worker.close()
    assert slider.value == 75.0
    assert 6.0 not in slider.written
