"""Threads over a range of work: what one of them raises ends all, and what is given up ends soon."""

import threading
import time

import pytest

from forearm.common.threads import FIRST_PIECE, Stopped, attend, heed, share_out, working_for


def test_work_that_was_given_up_ends_at_its_next_look():
    given_up = threading.Event()
    with working_for(given_up.is_set):
        heed()
        given_up.set()
        with pytest.raises(Stopped):
            heed()
    heed()  # whoever comes next works for somebody else


@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_worker_raises_is_what_the_caller_sees(threads):
    done, before = [], threading.active_count()

    def work(first, last):
        if first == 20:
            raise ZeroDivisionError("bug")
        for _ in range(200):
            heed()
            time.sleep(0.001)
        done.append(first)

    with pytest.raises(ZeroDivisionError, match="bug"):
        share_out(work, 1000, threads, None, fixed=10)
    assert len(done) < 6
    assert threading.active_count() <= before


def test_a_batch_inside_given_up_work_ends_too():
    given_up, begun = threading.Event(), []

    def work(first, last):
        begun.append(first)
        given_up.set()

    with working_for(given_up.is_set), pytest.raises(Stopped):
        share_out(work, 1000, 2, None, fixed=10)
    assert len(begun) <= 2


def test_a_long_call_is_given_up_by_what_ends_it():
    ended, given_up = threading.Event(), threading.Event()
    assert attend(lambda: 7, ended.set) == 7
    assert not ended.is_set()
    threading.Timer(0.05, given_up.set).start()
    with working_for(given_up.is_set), pytest.raises(Stopped):
        attend(lambda: ended.wait(10.0), ended.set)
    assert ended.is_set()


@pytest.mark.parametrize(("how", "first"), [({}, FIRST_PIECE), ({"begin": 512}, 512), ({"fixed": 7, "begin": 512}, 7)])
def test_a_worker_begins_with_a_piece_of_so_many(how, first):
    """Work that hears no interrupt between its targets begins with few of them."""
    taken = []
    share_out(lambda begin, end: taken.append(end - begin), 2000, 1, None, **how)
    assert (taken[0], sum(taken)) == (first, 2000)
