"""`python -m tests.engines.tash_kalar.oracle`."""

import sys

from tests.engines.tash_kalar.oracle.compare import main

if __name__ == "__main__":
    sys.exit(main())
