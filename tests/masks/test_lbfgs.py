"""Minimising finds known minima, and reports the search correctly."""

from collections.abc import Callable
from itertools import islice, pairwise

import numpy as np
import pytest

from hype.masks.lbfgs import SHORTEST_STEP, Step, minimise

Value = tuple[float, np.ndarray]
MOST = 300
"""The highest number of steps that any of these functions needs to reach its minimum."""


class Counted:
    """A function with a count of its calls."""

    def __init__(self, function: Callable[[np.ndarray], Value]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, x: np.ndarray) -> Value:
        self.calls += 1
        return self.function(x)


def quadratic(size: int = 30, precision: type = np.float64) -> tuple[Counted, np.ndarray]:
    """Return a convex quadratic (condition number 100, lowest value 0), and where it is lowest."""
    rng = np.random.default_rng(1)
    axes, _ = np.linalg.qr(rng.standard_normal((size, size)))
    matrix = ((axes * np.geomspace(0.01, 1, size)) @ axes.T).astype(precision)
    lowest = rng.standard_normal(size).astype(precision)

    def function(x: np.ndarray) -> Value:
        gradient = matrix @ (x.ravel() - lowest)
        return 0.5 * float(gradient @ (x.ravel() - lowest)), gradient.reshape(x.shape)

    return Counted(function), lowest


def rosenbrock(x: np.ndarray) -> Value:
    a, b = x
    gradient = [2 * (a - 1) - 400 * a * (b - a**2), 200 * (b - a**2)]
    return float((1 - a) ** 2 + 100 * (b - a**2) ** 2), np.array(gradient)


def until(steps: object, value: float) -> list[Step]:
    """Return the steps until a value is reached."""
    found = []
    for step in islice(steps, MOST):
        found.append(step)
        if step.value <= value:
            break
    return found


def test_the_minimum_of_a_quadratic() -> None:
    function, lowest = quadratic()
    steps = until(minimise(function, np.zeros((5, 6))), 1e-20)

    assert steps[-1].value <= 1e-20
    assert steps[-1].image.shape == (5, 6)
    assert np.allclose(steps[-1].image.ravel(), lowest, rtol=0, atol=1e-8)
    assert len(steps) < 125


@pytest.mark.parametrize("name", ["quadratic", "rosenbrock"])
def test_values_never_rise_and_are_those_of_the_images(name: str) -> None:
    function, start = (
        (quadratic()[0], np.zeros(30)) if name == "quadratic" else (rosenbrock, -np.ones(2))
    )
    steps = list(islice(minimise(function, start), 60))

    assert len(steps) > 10
    assert all(after.value <= before.value for before, after in pairwise(steps))
    assert [step.value for step in steps] == [function(step.image)[0] for step in steps]


@pytest.mark.parametrize("name", ["quadratic", "rosenbrock"])
def test_evaluations_are_counted(name: str) -> None:
    """Evaluations for steps that were too long count too."""
    function, start = (
        (quadratic()[0], np.zeros(30))
        if name == "quadratic"
        else (Counted(rosenbrock), np.array([-1.2, 1.0]))
    )
    steps = [(step, function.calls) for step in islice(minimise(function, start), 30)]

    assert all(step.evaluations == calls for step, calls in steps)
    if name == "rosenbrock":
        assert steps[-1][1] > len(steps)


def test_the_search_ends_when_no_step_makes_it_better() -> None:
    """If the gradient is wrong, each try is shorter, down to the shortest step."""
    function = Counted(lambda x: (float(x @ x), -2 * x))
    steps = list(islice(minimise(function, np.ones(3)), MOST))

    assert [step.value for step in steps] == [3.0]
    assert function.calls < 2 - np.log2(SHORTEST_STEP)


def test_the_search_keeps_to_where_the_function_is_a_number() -> None:
    """The search stays where the value is a number, and does not try for ever to leave."""

    def rising(x: np.ndarray) -> Value:
        assert function.calls < MOST
        return (float(x @ x), 2 * x) if x[0] > 0.5 else (np.nan, np.nan * x)

    function = Counted(rising)
    steps = list(islice(minimise(function, np.array([1.0, 1.0])), 10))

    assert steps[-1].value < steps[0].value
    assert all(np.isfinite(step.value) for step in steps)
