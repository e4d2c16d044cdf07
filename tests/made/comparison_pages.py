"""A report on comparisons with every part that such a report can have."""

from full_report import pictured
from made_comparisons import QUESTION, everything, rows_scored, scored
from page_structure import works_known

from hype.protocols.comparison.report import report_scores
from hype.protocols.prompted.report import AskedQuestion, PageContext
from hype.report.parts import Background

FIGURES = (
    *("comparison-ranking", "comparison-course"),
    "comparison-response-times",
)
REGISTERED = ("Registered on 2026-01-02 as " + "ab" * 32 + "; unchanged since.",)
ASKED = AskedQuestion(question=QUESTION, details=(("Criterion", "alignment"), ("Ties", "none")))
BACKGROUND = Background(
    design=(
        "The study compared images in pairs, after Christodoulou & Kuhlmann-Jørgensen (2024).",
        "The prompt stood above both images.",
    ),
    people=("12 evaluators came; 12 finished.",),
    flow=(("people", 12, 0, 12),),
    flow_columns=("Evaluators", "Came", "Declined", "Complete"),
    works=(works_known("comparison")["Christodoulou2024"],),
    facts=(("Registered", "abababab, unchanged"),),
)


def write_full_comparison_report(out, *, simulated=True, **overrides):
    """Write the report."""
    votes, score = everything(simulated=simulated, arena=True)
    context = PageContext(
        **{
            "title": "Four generators, compared",
            "provenance": {"study": "generators", "hype": "0.1.0 <dev>"},
            "background": BACKGROUND,
            "asked": ASKED,
            "registered": REGISTERED,
            "pictured": pictured,
            **overrides,
        }
    )
    return report_scores(score, rows_scored(votes, score), context).write_page(out)


def written(out, frame, *, title="compared", **options):
    """Score comparisons and write their report; return the page and the score."""
    votes, score = scored(frame, **options)
    context = PageContext(title=title, provenance={"source": "x.csv"})
    report_scores(score, rows_scored(votes, score), context).write_page(out)
    return out.read_text(encoding="utf-8"), score
