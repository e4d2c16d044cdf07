"""How real generated images look to people.

The names here are the library (``docs/library.md``), documented and stable; everything else is
internal and may change. Names are loaded when they are first used.
"""

TYPE_CHECKING = False  # importing typing would take longer than the rest of this file

if TYPE_CHECKING:
    from hype.errors import HypeError as HypeError
    from hype.errors import InputError as InputError
    from hype.library.agreement import alpha as alpha
    from hype.library.agreement import kappa as kappa
    from hype.library.masks import make_mask as make_mask
    from hype.library.masks import make_masks as make_masks
    from hype.library.result import Result as Result
    from hype.library.scores import Scores as Scores
    from hype.library.scores import elo as elo
    from hype.library.scores import example as example
    from hype.library.scores import image_scores as image_scores
    from hype.library.scores import read_table as read_table
    from hype.library.scores import score as score
    from hype.library.studies import Study as Study
    from hype.library.studies import open_study as open_study
    from hype.library.studies import power as power
    from hype.library.studies import simulate as simulate
    from hype.library.thresholds import Staircase as Staircase
    from hype.library.thresholds import fit_threshold as fit_threshold

    __version__: str

_ROOMS = {
    "errors": ("HypeError", "InputError"),
    "library.agreement": ("alpha", "kappa"),
    "library.masks": ("make_mask", "make_masks"),
    "library.result": ("Result",),
    "library.scores": ("Scores", "elo", "example", "image_scores", "read_table", "score"),
    "library.studies": ("Study", "open_study", "power", "simulate"),
    "library.thresholds": ("Staircase", "fit_threshold"),
}
_PLACES = {name: room for room, names in _ROOMS.items() for name in names}
__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 - names, though not spelled out

if not TYPE_CHECKING:  # type checkers do not see it, so they report unknown names

    def __getattr__(name):  # noqa: ANN001, ANN202
        if name == "__version__":
            from importlib.metadata import version

            return version("hype")
        if name not in _PLACES:
            raise AttributeError(f"module 'hype' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"hype.{_PLACES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
