"""Loading in advance: always the right value, never too many, and no work while paused."""

import gc
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet  # a class of its own before Python 3.11
from contextlib import contextmanager
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.station.pictures import Prefetcher

LONG_S = 20.0
"""A test that takes this long has a deadlock; tests that pass never wait so long."""
A_MOMENT_S = 0.05
"""Time for events that must not happen. A test cannot fail because it is too short."""


@pytest.fixture(autouse=True)
def no_deadlock() -> Iterator[None]:
    """Interrupt a test that waits for ever."""

    def interrupt(*_: object) -> None:
        raise TimeoutError("this would wait for ever")

    earlier = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(int(3 * LONG_S))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, earlier)


class Loader:
    """A load function that logs which keys it started and ended, and in which thread.

    A key of ``closed`` blocks until it is opened. A key in capitals fails.
    """

    def __init__(self, closed: str = "") -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.threads: dict[str, threading.Thread] = {}
        self._changed = threading.Condition()
        self._closed = set(closed)

    def __call__(self, key: str) -> str:
        with self._changed:
            self.begun.append(key)
            self.threads[key] = threading.current_thread()
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: key not in self._closed, LONG_S)
            self.ended.append(key)
            self._changed.notify_all()
        return value_of(key)

    def open(self, key: str) -> None:
        with self._changed:
            self._closed.discard(key)
            self._changed.notify_all()

    def wait_begun(self, key: str) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: key in self.begun, LONG_S)

    def wait_ended(self, key: str) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: key in self.ended, LONG_S)

    def begins_no_more(self) -> bool:
        with self._changed:
            number = len(self.begun)
            return not self._changed.wait_for(lambda: len(self.begun) > number, A_MOMENT_S)

    def was_here(self, key: str) -> bool:
        """Tell whether the key was loaded in the test's own thread."""
        return self.threads[key] is threading.current_thread()


def value_of(key: str) -> str:
    if key.isupper():
        raise InputError(key, "there is no such image")
    return f"picture {key}"


def result_of(call: Callable[[], str]) -> str:
    """Return the result of a call, or the message of its exception."""
    try:
        return call()
    except InputError as error:
        return f"raised {error}"


@contextmanager
def meanwhile(call: Callable[[], object]) -> Iterator["Future[object]"]:
    """Make a call in another thread, and check that it ends."""
    future: Future[object] = Future()
    thread = threading.Thread(target=lambda: future.set_result(call()), daemon=True)
    thread.start()
    yield future
    thread.join(LONG_S)
    assert future.done()


def test_values_are_loaded_in_the_thread_each_once_and_in_order():
    load = Loader()
    with Prefetcher(load, "abcdef", ahead=2) as ahead:
        for key, following in pairwise("abcdef"):
            load.wait_ended(key)
            assert ahead.take(key) == value_of(key)
            load.wait_begun(following)
        assert ahead.take("f") == value_of("f")

    assert load.begun == list("abcdef")
    assert not any(load.was_here(key) for key in "abcdef")


def test_no_more_are_held_than_allowed():
    load = Loader()
    with Prefetcher(load, "abcdef", ahead=3) as ahead:
        load.wait_ended("c")
        assert load.begins_no_more()
        ahead.take("a")
        load.wait_ended("d")
        assert load.begins_no_more()

    assert load.begun == list("abcd")


def test_one_that_is_being_loaded_is_waited_for():
    load = Loader(closed="a")
    with Prefetcher(load, "ab", ahead=1) as ahead:
        load.wait_begun("a")
        with meanwhile(lambda: ahead.take("a")) as taken:
            load.open("a")
        assert taken.result() == value_of("a")

    assert load.begun.count("a") == 1


def test_one_out_of_order_is_loaded_here_and_the_queue_stays():
    load = Loader()
    with Prefetcher(load, "abc", ahead=2) as ahead:
        load.wait_ended("b")

        assert ahead.take("x") == value_of("x")
        assert load.was_here("x")
        assert ahead.take("b") == value_of("b")
        assert load.was_here("b")
        assert load.begun == list("abxb")

        assert [ahead.take(key) for key in "abc"] == [value_of(key) for key in "abc"]
    assert sorted(load.begun) == list("abbcx")


def test_one_not_yet_begun_is_taken_over_and_not_loaded_twice():
    load = Loader()
    ahead = Prefetcher(load, "abc", ahead=2)
    ahead.pause()
    with ahead:
        assert ahead.take("a") == value_of("a")
        assert load.was_here("a")

        ahead.resume()
        load.wait_ended("c")
        assert load.begun == list("abc")
        assert not load.was_here("b")


def test_an_error_is_raised_by_the_take_of_its_key_and_the_thread_goes_on():
    load = Loader()
    with Prefetcher(load, "aBc", ahead=3) as ahead:
        load.wait_ended("c")

        assert ahead.take("a") == value_of("a")
        assert ahead.take("x") == value_of("x")
        with pytest.raises(InputError, match="B: there is no such image"):
            ahead.take("B")
        assert ahead.take("c") == value_of("c")
    assert load.begun == list("aBcx")


def test_pausing_waits_for_the_load_in_progress_and_lets_none_begin():
    load = Loader(closed="a")
    with Prefetcher(load, "abc", ahead=3) as ahead:
        load.wait_begun("a")
        with meanwhile(ahead.pause) as pausing:
            with pytest.raises(NotYet):
                pausing.result(A_MOMENT_S)
            load.open("a")
        assert load.begun == load.ended == ["a"]

        ahead.take("a")  # this makes room but must not restart loading
        ahead.pause()
        assert load.begins_no_more()
        assert load.begun == ["a"]
        ahead.resume()
        ahead.resume()
        load.wait_ended("c")


def test_leaving_waits_for_the_load_in_progress():
    load = Loader(closed="a")
    ahead = Prefetcher(load, "abc", ahead=1)
    ahead.__enter__()
    load.wait_begun("a")
    with meanwhile(lambda: ahead.__exit__(None, None, None)) as leaving:
        with pytest.raises(NotYet):
            leaving.result(A_MOMENT_S)
        load.open("a")

    assert load.begun == load.ended == ["a"]
    assert not load.threads["a"].is_alive()


class Picture:
    """An object that a weak reference can watch."""


def test_what_was_taken_is_not_kept():
    loaded = threading.Event()

    def load(_: str) -> Picture:
        loaded.set()
        return Picture()

    gc.disable()
    try:
        with Prefetcher(load, "ab", ahead=1) as ahead:
            assert loaded.wait(LONG_S)
            ahead.pause()
            picture = weakref.ref(ahead.take("a"))
            assert picture() is None
    finally:
        gc.enable()


KEYS = st.sampled_from("abcDE")


@given(
    order=st.lists(KEYS),
    actions=st.lists(KEYS | st.sampled_from(["pause", "resume"])),
    ahead=st.integers(1, 4),
)
@example(order=list("aabDa"), actions=list("aabDa"), ahead=2)
@example(order=list("abD"), actions=["pause", *"Dab", "resume", *"aD"], ahead=1)
def test_any_sequence_of_takes_gives_what_load_gives(order, actions, ahead):
    load = Loader()
    with Prefetcher(load, order, ahead=ahead) as prefetcher:
        for action in actions:
            if action in ("pause", "resume"):
                getattr(prefetcher, action)()
            else:
                taken = result_of(lambda key=action: prefetcher.take(key))
                assert taken == result_of(lambda key=action: value_of(key))
