"""Shows what a benchmark is doing while it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

Say = Callable[[str], None]


@contextmanager
def show_progress(console: Console) -> Iterator[Say]:
    """Give a function that shows a step: on a terminal in its status line, else as a line.

    A log or a pipe would show nothing of a status line until the report is there.
    """
    if console.is_terminal:
        with console.status("Starting") as status:
            yield status.update
    else:
        console.print("Starting")
        yield console.print
