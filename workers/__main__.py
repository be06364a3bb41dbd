"""`python -m workers`: the command `pentathlon-worker`, where nothing is installed."""

import sys

from workers.standalone import main

sys.exit(main())
