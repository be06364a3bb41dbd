from datetime import UTC, datetime, timedelta

import pytest

from pentathlon.core.arithmetic import fingerprint
from pentathlon.core.errors import NotFound
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import PRIVATE_KINDS, Match, MatchKind
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.transparency import services
from pentathlon.matches.transparency.models import LogEntry, LogRoot, LogTile
from pentathlon.matches.transparency.services import (
    Tiles,
    append_hashes,
    checkpoint_at,
    consistency_of,
    inclusion_of,
    log_key,
    log_results,
    log_size,
    publish_root,
    to_be_logged,
)
from pentathlon_engines.transparency.merkle import (
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
    root_hash,
)
from pentathlon_engines.transparency.notes import Checkpoint, read_note
from pentathlon_engines.transparency.receipt import read_receipt
from tests.factories import make_user
from tests.pentathlon.matches.transparency.logging_matches import log_matches, play_matches
from tests.plans import copies_of, count_rows

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class TestLogging:
    def test_each_result_is_logged_once_with_its_receipt(self) -> None:
        first, second = play_matches(2)

        assert [log_results(), log_results()] == [2, 0]

        entries = LogEntry.objects.order_by("index")
        assert [(entry.index, entry.match_id) for entry in entries] == [
            (0, first.pk),
            (1, second.pk),
        ]
        note = services.signed_receipt(entries[0])
        assert read_receipt(read_note(note, key=log_key())) == {
            "format": "pentathlon/receipt/2",
            "match": first.pk,
            "game": "tuned",
            "rules": first.rules_version,
            "chain": first.chain,
            "sandbox": "namespaces",
            "finished_at": first.finished_at.astimezone(UTC).isoformat(timespec="milliseconds"),  # type: ignore[union-attr]  # it is done
            "referee_build": "0.1.0",
            "bots_build": "0.1.0",
        }

    def test_receipt_of_a_rated_match_tells_the_arithmetic(self) -> None:
        (match,) = play_matches(1)
        Match.objects.filter(pk=match.pk).update(rated=True)

        log_results()

        receipt = read_receipt(LogEntry.objects.get().receipt)
        assert (receipt["format"], receipt["arithmetic"]) == (
            "pentathlon/receipt/2",
            fingerprint(),
        )

    @pytest.mark.parametrize("kind", PRIVATE_KINDS)
    def test_private_matches_are_nobodys_results(self, kind: MatchKind) -> None:
        play_matches(1, kind=kind)

        assert log_results() == 0
        assert log_size() == 0

    def test_hidden_result_is_logged_when_it_is_out(self) -> None:
        (match,) = play_matches(1, lane=77)
        hidden = HiddenLane.objects.create(lane=77, organiser=make_user())

        assert log_results() == 0

        hidden.delete()
        assert log_results() == 1
        assert inclusion_of(match).index == 0

    def test_only_what_waits_is_looked_at(self) -> None:
        (match,) = play_matches(1)
        copies = Match.objects.bulk_create(copies_of(match, count=400))
        Replay.objects.bulk_create(
            Replay(match=copy, codec="none", data=b"", raw_bytes=0, awaits_log=False)
            for copy in copies
        )
        count_rows(Match, Replay)

        plan = to_be_logged()[:50].explain()

        assert "replays_awaiting_log" in plan, plan
        assert "Seq Scan on matches_replay" not in plan, plan
        assert "Seq Scan on matches_match" not in plan, plan

    def test_many_results_take_several_turns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "AT_ONCE", 2)
        play_matches(3)

        assert [log_results() for _ in range(3)] == [2, 1, 0]
        assert log_size() == 3


class TestProofs:
    def test_receipt_is_proven_to_be_in_the_log(self) -> None:
        played = log_matches(3)
        play_matches(1)
        log_results()

        for match in played:
            proof = inclusion_of(match)

            receipt = read_note(proof.note, key=log_key())
            told = Checkpoint.from_text(read_note(proof.checkpoint, key=log_key()))
            assert (told.size, told.origin) == (4, log_key().name)
            assert is_included(
                leaf_hash(receipt.encode()),
                index=proof.index,
                size=told.size,
                path=proof.path,
                root=told.root,
            )

    def test_older_tree_does_not_hold_what_came_later(self) -> None:
        first, second = log_matches(2)

        assert inclusion_of(first, size=1).path == []
        with pytest.raises(NotFound) as caught:
            inclusion_of(second, size=1)
        assert caught.value.code == "not_logged"

    def test_log_is_proven_to_have_grown(self) -> None:
        log_matches(2)
        old = Checkpoint.from_text(read_note(checkpoint_at(2), key=log_key()))
        log_matches(3)
        new = Checkpoint.from_text(read_note(checkpoint_at(5), key=log_key()))

        path = consistency_of(2, 5)

        roots = (old.root, new.root)
        assert is_consistent(first=2, second=5, roots=roots, path=path)

    def test_no_proof_of_what_is_not_there(self) -> None:
        log_matches(2)

        with pytest.raises(NotFound) as caught:
            consistency_of(1, 3)

        assert caught.value.code == "no_such_size"


class TestRoots:
    def test_one_root_a_day_once_there_is_an_entry(self) -> None:
        assert publish_root(NOON) is None
        log_matches(1)

        assert publish_root(NOON) is not None
        log_matches(1)
        assert publish_root(NOON + timedelta(hours=3)) is None
        assert publish_root(NOON + timedelta(days=1)) is not None

        roots = LogRoot.objects.order_by("day")
        assert [root.size for root in roots] == [1, 2]
        assert roots[1].note == checkpoint_at(2)


class TestTiles:
    @pytest.mark.parametrize("steps", [[600], [1, 255, 256, 88], [256] * 3, [300, 300]])
    def test_tree_is_the_same_however_it_has_grown(self, steps: list[int]) -> None:
        leaves = [leaf_hash(str(number).encode()) for number in range(sum(steps))]
        size = 0
        for step in steps:
            append_hashes(leaves[size : size + step], size=size)
            size += step

        for part in (1, 255, 256, 257, 511, 512, size):
            assert root_hash(part, Tiles().subtree) == root_hash(part, _computed(leaves))
        assert LogTile.objects.filter(level=0).count() == -(-size // 256)

    def test_many_entries_are_proven_from_a_few_rows(
        self, django_assert_max_num_queries: pytest.FixtureRequest
    ) -> None:
        leaves = [leaf_hash(str(number).encode()) for number in range(70_000)]
        append_hashes(leaves, size=0)

        with django_assert_max_num_queries(8):  # type: ignore[operator]  # a fixture
            root_hash(len(leaves), Tiles().subtree)

    def test_hash_that_is_not_stored_is_no_hash(self) -> None:
        append_hashes([leaf_hash(b"a")], size=0)

        with pytest.raises(LookupError, match="level 1, index 0"):
            Tiles().subtree(1, 0)


def _computed(leaves: list[bytes]):  # type: ignore[no-untyped-def]  # a subtree function
    def subtree(level: int, index: int) -> bytes:
        if not level:
            return leaves[index]
        return node_hash(subtree(level - 1, 2 * index), subtree(level - 1, 2 * index + 1))

    return subtree
