"""``python -m linksight`` is ``linksight``."""

from linksight.cli import main

if __name__ == "__main__":
    main(prog_name="linksight")
