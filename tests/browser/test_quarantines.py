"""Staff find a worker in quarantine, look at its results, decide, and let it work again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.models import Match, MatchState
from pentathlon.trust.models import Quarantine, Verdict
from pentathlon.trust.quarantine import begin_quarantine, revoke_reviewed
from tests.browser.access import find_flaws
from tests.browser.test_pages import sign_in
from tests.factories import make_staff
from tests.pentathlon.trust.acting import join, played_by


@pytest.fixture
def quarantine(transactional_db: None) -> Quarantine:
    token = join()
    WorkerToken.objects.filter(pk=token.pk).update(name="cellar-2")
    played_by(token, times=3)
    begin_quarantine(
        token_id=token.pk, reason="Two other workers played match 1 alike, and otherwise."
    )
    return Quarantine.objects.get()


def decide(page: Page, verdict: Verdict, *, reason: str, button: str) -> None:
    page.get_by_label("Verdict").select_option(verdict)
    page.get_by_label("Reason", exact=True).fill(reason)
    page.get_by_role("button", name=button).click()


def test_staff_review_results_and_end_a_quarantine(page: Page, quarantine: Quarantine) -> None:
    first, second, third = Match.objects.order_by("pk")
    sign_in(page, make_staff())
    page.goto("/workers/")
    expect(page.get_by_role("main")).to_contain_text("1 worker token is in quarantine.")
    page.get_by_role("link", name="Quarantines").click()
    expect(page.get_by_role("row", name="cellar-2")).to_contain_text("in force")
    page.get_by_role("link", name="cellar-2").click()
    assert find_flaws(page) == []

    page.get_by_label("Why it may work again").fill("A broken fan.")
    page.get_by_role("button", name="Let it work again").click()
    expect(page.get_by_role("main")).to_contain_text("Decide first")

    page.get_by_label(f"Choose match {first.pk}").check()
    decide(page, Verdict.REVOKE, reason="Its record is a lie.", button="Decide on the chosen")
    expect(page.locator("body")).to_contain_text("Decided on 1 result.")
    decide(page, Verdict.KEEP, reason="Seen by eye.", button="Decide on all 2")
    expect(page.locator("body")).to_contain_text("Decided on 2 results.")
    page.get_by_label("Why it may work again").fill("A new fan.")
    page.get_by_role("button", name="Let it work again").click()

    expect(page.locator("body")).to_contain_text("may work again")
    assert find_flaws(page) == []
    expect(page.get_by_role("region", name="Decided")).to_contain_text("Seen by eye.")
    while revoke_reviewed():
        pass
    revoked = dict(Match.objects.values_list("pk", "is_revoked"))
    assert revoked == {first.pk: True, second.pk: False, third.pk: False}
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.DONE}
    assert WorkerToken.objects.get().quarantined_at is None
    page.goto("/audit/")
    expect(page.get_by_role("main")).to_contain_text("cellar-2")
