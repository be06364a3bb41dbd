"""Says that it is ready and hears nothing from then on."""

import time

print('{"type": "ready"}', flush=True)
while True:
    time.sleep(1)
