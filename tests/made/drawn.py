"""Figures of small studies, and what stands on their axes."""

from matplotlib.figure import Figure

from hype.protocols.hype.answers import protocol_answers
from hype.protocols.hype.figures import drawings
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import check_judgements


def figures_of(frame, **settings):
    (found,) = score(frame, draws=50, **settings)
    return {
        d.name: d for d in drawings(found, protocol_answers(found, check_judgements(frame)))
    }, found


def drawn(drawing, place=0):
    axes = Figure().add_subplot()
    drawing.panels[place].draw(axes)
    return axes


def texts(axes):
    return [text.get_text() for text in axes.texts]
