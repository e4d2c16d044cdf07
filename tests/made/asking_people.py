"""Questions about the evaluator, one of every kind."""

ABOUT_PEOPLE = {
    "age": {"question": "How old are you?", "kind": "number", "lowest": 18.0, "highest": 99.0},
    "eyes": {"question": "Do you wear glasses?", "options": ["yes", "no"]},
    "work": {"question": "What do you do for a living?", "kind": "text", "longest": 30},
}
