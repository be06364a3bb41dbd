"""Write the test vectors of all games, or of some, into their packages.

python -m pentathlon_engines.tools.vectors tuned
"""

import argparse

from pentathlon_engines import GAMES
from pentathlon_engines.desk.vectors import make_vectors, path_of, to_text


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="keys of games; by default all")
    for key in parser.parse_args().games or GAMES:
        path_of(GAMES[key]).write_text(to_text(make_vectors(GAMES[key])), encoding="utf-8")


if __name__ == "__main__":
    main()
