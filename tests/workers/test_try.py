import pytest
from pathlib import Path
from pentathlon.matches.models import *
from tests.factories import *
from tests.workers.running import running_platform
from tests.workers.sites import make_worker_token
pytestmark=[pytest.mark.django_db(transaction=True)]
@pytest.mark.parametrize("shape",["direct","redis","poll"])
def test_try(tmp_path, shape):
    import time
    token, secret = make_worker_token()
    versions = [make_version(), make_version(like="greedy")]
    for _ in range(12):
        make_match(versions, rated=True)
    with running_platform(tmp_path) as platform:
        t=time.monotonic()
        platform.start_reconciler()
        if shape=="direct":
            w=platform.start_worker(slots=2)
        else:
            site=platform.start_web()
            var={}
            if shape=="redis":
                import re; var={"PENTATHLON_WORKER_BROKER": "x"}
            w=platform.start_remote_worker(site, secret, slots=2, **var)
        platform.eventually(lambda: not Match.objects.unfinished().exists(), patience_s=150)
        print(platform.all_logs(), time.monotonic()-t)
        t=time.monotonic()
        w.terminate(); print("code", w.wait(20), time.monotonic()-t)
