"""Figures of small studies, and the texts on their axes."""

from matplotlib.figure import Figure

from hype.protocols.hype.figures import drawings
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import check_judgements, drop_spoiled


def figures_of(frame, **settings):
    """Score a table of one protocol; return its figures by name, and the score."""
    (found,) = score(frame, draws=50, **settings)
    rows = check_judgements(frame)
    scored = drop_spoiled(rows) if settings.get("spoiled") == "leave-out" else rows
    return {drawing.name: drawing for drawing in drawings(found, rows, scored)}, found


def drawings_of(found, frame):
    """Return the figures of one protocol from a table that may have several."""
    own = check_judgements(frame[frame["task"].eq(found.protocol)])
    return drawings(found, own, own)


def drawn(drawing, place=0):
    axes = Figure().add_subplot()
    drawing.panels[place].draw(axes)
    return axes


def texts(axes):
    return [text.get_text() for text in axes.texts]
