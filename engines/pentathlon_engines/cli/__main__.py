"""`python -m pentathlon_engines.cli`."""

from pentathlon_engines.cli.main import main

main()
