"""The program: what `hype` and `python -m hype` start."""

import gc

from hype.cli.main import main


def run() -> None:
    # What is imported stays to the end: to look through it for garbage took a fifth of a start.
    gc.set_threshold(50_000)

    main()


if __name__ == "__main__":
    run()
