"""Options that many commands share."""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SiteOption = Annotated[
    str | None,
    typer.Option(
        "--site", metavar="ADDRESS", help="The site to ask; else the one you signed in to."
    ),
]
