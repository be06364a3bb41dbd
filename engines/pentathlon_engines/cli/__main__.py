"""`python -m pentathlon_engines.cli`."""

from pentathlon_engines.cli.entry import main

main()
