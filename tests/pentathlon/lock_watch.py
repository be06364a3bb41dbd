"""Rows that several people change are changed only by who has locked the row that guards them.

After Eraser (Savage and others, 1997): no two transactions need to meet. In tests of services that
roll back, each statement that changes a guarded table must come after a `FOR UPDATE` of its guard,
in the same transaction. Whoever drops such a lock fails the first test that comes by.
"""

import re
import sys
from collections.abc import Callable
from typing import Any, Final

_CUP: Final = "tournaments_tournament"
GUARDS: Final[dict[str, tuple[str, ...]]] = {
    "accounts_accountdeletion": ("accounts_accountdeletion",),
    "accounts_oauthapp": ("accounts_oauthapp",),
    "friendlies_friendly": ("friendlies_friendly",),
    "ladders_division": (_CUP,),
    "ladders_fieldline": (_CUP,),
    "ladders_laddermember": (_CUP, "bots_bot"),
    "ladders_season": ("ladders_season",),
    "matches_attempt": ("matches_match",),
    "matches_matchseat": ("matches_match",),
    "ratings_ledgerrow": ("matches_match", "ratings_pool"),
    "ratings_pool": ("ratings_pool",),
    "ratings_rating": ("ratings_pool",),
    "ratings_ratingchange": ("ratings_pool",),
    "tournaments_block": (_CUP,),
    "tournaments_challenge": ("tournaments_challenge",),
    "tournaments_coorganiser": (_CUP, "accounts_user"),
    "tournaments_entry": (_CUP, "accounts_user"),
    "tournaments_finalrow": (_CUP,),
    "tournaments_handover": (_CUP, "accounts_user"),
    "tournaments_replacement": (_CUP,),
    "tournaments_team": ("tournaments_team",),
    "tournaments_teammember": ("tournaments_team",),
    "tournaments_tournament": (_CUP,),
    "tournaments_tournamentmatch": (_CUP, "matches_match"),
    "webhooks_webhookendpoint": ("webhooks_webhookendpoint", "accounts_user"),
}
"""By table: those of which a row, of one at least, is locked before a row is changed.

A row that is deleted is gone for whoever comes later, so deleting is not watched. Where a person
is among them, an account that is deleted leaves its rows, under its own lock.
"""
GUARDS_OF_NEW: Final[dict[str, tuple[str, ...]]] = {
    "accounts_apitoken": ("accounts_user",),
    "accounts_oauthapp": ("accounts_user",),
    "bots_archive": ("bots_archive",),
    "bots_botversion": ("bots_archive",),
    "friendlies_friendly": ("accounts_user",),
    "ladders_fieldline": (_CUP,),
    "ladders_laddermember": ("bots_bot",),
    "matches_replay": ("matches_match",),
    "ratings_ledgerrow": (_CUP, "ratings_pool"),
    "ratings_rating": ("ratings_pool",),
    "ratings_scoreline": ("ratings_pool",),
    "tournaments_batch": (_CUP,),
    "tournaments_block": (_CUP,),
    "tournaments_challenge": ("accounts_user",),
    "tournaments_coorganiser": (_CUP,),
    "tournaments_finalrow": (_CUP,),
    "tournaments_handover": (_CUP,),
    "tournaments_replacement": (_CUP,),
    "tournaments_team": ("accounts_user",),
    "tournaments_teammember": ("accounts_user", "tournaments_team"),
    "tournaments_tournamentmatch": (_CUP,),
    "webhooks_delivery": ("webhooks_webhookendpoint",),
    "webhooks_deliveryattempt": ("webhooks_webhookendpoint",),
    "webhooks_subscription": ("accounts_user",),
    "webhooks_webhookendpoint": ("accounts_user",),
}
"""The same for rows that are added, as by whoever counts them first."""

_LOCK: Final = re.compile(r' FOR (?:NO KEY )?UPDATE(?: OF (".*"))?(?: SKIP LOCKED)?$')
_FROM: Final = re.compile(r' FROM ("\w+")')
_INNER: Final = re.compile(r"\([^()]*\)")
_CHANGE: Final = re.compile(r'(?:UPDATE|(INSERT INTO)) "(\w+)"')
_PRODUCT: Final = "/platform/pentathlon/"


class LockWatch:
    """What a connection executes, for `execute_wrapper`, and what was changed without a lock."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._locked: list[set[str]] = []
        """Tables with locked rows, by savepoint; the first is a transaction of the product."""

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:  # Any: Django's own signature
        self._see(sql)
        return execute(sql, params, many, context)

    def _see(self, sql: str) -> None:
        match sql.partition(" ")[0]:
            case "SAVEPOINT":
                self._locked.append(set())
            case "RELEASE" if self._locked:
                ended = self._locked.pop()
                if self._locked:
                    self._locked[-1] |= ended
            case "ROLLBACK" if self._locked:
                self._locked[-1].clear()
            case "SELECT" if self._locked and (lock := _LOCK.search(sql)):
                tables = lock[1].split(", ") if lock[1] else _FROM.findall(_outermost(sql))
                self._locked[-1] |= {table.strip('"') for table in tables}
            case "UPDATE" | "INSERT" if self._locked:
                self._see_change(sql)

    def _see_change(self, sql: str) -> None:
        change = _CHANGE.match(sql)
        if change is None:
            return
        table = change[2]
        guards = (GUARDS_OF_NEW if change[1] else GUARDS).get(table)
        if guards and set().union(*self._locked).isdisjoint(guards) and (caller := _caller()):
            self.found.append(f"{caller} changes {table} without a lock of {' or '.join(guards)}")
        if change[1]:
            self._locked[-1].add(table)  # nobody else can see what is new


def _outermost(sql: str) -> str:
    """Return a statement without what stands in its parentheses."""
    while (shorter := _INNER.sub("", sql)) != sql:
        sql = shorter
    return sql


def _caller() -> str:
    """Return the function of the product that asks for a statement; nothing for a test."""
    frame = sys._getframe(3)
    while frame.f_back is not None:
        _, product, path = frame.f_code.co_filename.rpartition(_PRODUCT)
        if product and not path.startswith("core/"):
            return f"{path}:{frame.f_code.co_qualname}"
        frame = frame.f_back
    return ""
