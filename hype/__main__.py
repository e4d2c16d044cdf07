"""The entry point of `hype` and `python -m hype`."""

import atexit
import gc
import signal

from hype.cli.main import main


def run() -> None:
    # Modules stay loaded; looking through them for garbage took a fifth of `hype status`.
    gc.disable()
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)

    # Who is told to end ends as by Ctrl-C: worker processes go first, and leave nothing behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()


if __name__ == "__main__":
    run()
