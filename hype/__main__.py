"""The entry point of `hype` and `python -m hype`."""

import atexit
import gc

from hype.cli.main import main


def run() -> None:
    # Modules stay loaded; looking through them for garbage took a fifth of `hype status`.
    gc.disable()
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)

    main()


if __name__ == "__main__":
    run()
