"""``python -m ghostsim.study``."""

import sys

if __name__ == "__main__":
    try:
        from ghostsim.study.cli import main

        code = main(prog="python -m ghostsim.study")
    except KeyboardInterrupt:  # so early that main had not begun
        code = 130
    sys.exit(code)
