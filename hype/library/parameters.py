"""Parameters of a function of the library, from a declaration of options."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from functools import wraps
from inspect import Parameter, Signature
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, get_args, get_origin

import pandas as pd
from typer.models import OptionInfo

from hype.answers.choices import OWNERS, ShellForm, declared_options, parameter
from hype.errors import InputError
from hype.library.result import in_python, whole
from hype.tables.table_files import FrameTable

P = ParamSpec("P")
SourceT = TypeVar("SourceT")
ChoicesT = TypeVar("ChoicesT")
R = TypeVar("R")

_PYTHON = {"pd": pd}


def takes(
    options: Callable[P, ChoicesT],
) -> Callable[[Callable[[SourceT, ChoicesT], R]], Callable[Concatenate[SourceT, P], R]]:
    """Let a function of a source and options be called with each option as a keyword.

    ``options``: a dataclass of options, whose help goes into the docstring.
    """
    declared = list(declared_options(options, _PYTHON))  # type: ignore[arg-type]
    parameters = [
        Parameter("source", Parameter.POSITIONAL_OR_KEYWORD),
        *(parameter(field, hint) for field, hint, *_ in declared),
    ]

    def decorate(
        function: Callable[[SourceT, ChoicesT], R],
    ) -> Callable[Concatenate[SourceT, P], R]:
        own = function.__annotations__
        parameters[0] = parameters[0].replace(annotation=own["source"])
        signature = Signature(parameters, return_annotation=own["return"])

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> R:
            given = signature.bind(*args, **kwargs).arguments
            source = given.pop("source")
            for field, hint, option, _ in declared:
                if field.name in given:
                    check(field.name, given[field.name], hint, option)
                    given[field.name] = as_named(given[field.name])
            return function(source, options(**given))  # type: ignore[call-arg]

        lines = "".join(
            f"{field.name}\n{textwrap.fill(text, 96, initial_indent=_IN, subsequent_indent=_IN)}\n"
            for field, text in ((f, described(o, t)) for f, _, o, t in declared)
        )
        before, returns, after = (function.__doc__ or "").partition("    Returns\n")
        vars(called)["__signature__"] = signature
        called.__doc__ = f"{before.rstrip()}\n{textwrap.indent(lines, _IN)}\n{returns}{after}"
        return called

    return decorate


_IN = "    "


def described(option: OptionInfo, typed: ShellForm | None) -> str:
    """Say what a parameter means: for which protocols, and with names as Python has them."""
    text = option.help or ""
    if typed:
        text = text.replace(typed.example, f"``{typed.parse([typed.example])}``")
    for in_a_shell in ("may be repeated", "several with commas"):
        text = text.replace(in_a_shell, "or a list")
    of = f"{option.rich_help_panel}: " if option.rich_help_panel in OWNERS else ""
    text = in_python(f"{of}{text}.")
    return text[0].upper() + text[1:]


def as_named(value: Any) -> Any:
    """Give a frame as a table that messages can name."""
    return FrameTable(value) if isinstance(value, pd.DataFrame) else value


def check(name: str, value: Any, hint: Any, option: OptionInfo) -> None:
    """Refuse what a shell would refuse, too."""
    words = [word for words in literals(hint) for word in get_args(words)]
    if words and value is not None and value not in words:
        raise InputError(name, repr(value), f"one of {', '.join(words)}")
    if option.min is not None and value is not None:
        whole(name, value, int(option.min))


def literals(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Literal:
        yield hint
    for part in get_args(hint):
        yield from literals(part)
