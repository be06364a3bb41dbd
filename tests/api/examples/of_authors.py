"""Examples of what authors ask: bots, versions, challenges, friendlies, records, webhooks."""

from __future__ import annotations

from typing import Final

from pentathlon.bots.services import disqualify_version
from tests.api.examples.asking import Call, Id, Making, after, at
from tests.api.examples.world import World
from tests.engines.record.random_records import tuned_record
from tests.factories import make_upload
from tests.pentathlon.friendlies.acting import first_legal


def _upload(world: World) -> Call:
    archive = ("bot.zip", make_upload("brave-otter"))
    return Call(who="author", body={"notes": "First try."}, files={"archive": (archive,)})


def _next_version(world: World) -> Call:
    name = world.scene.versions[0].bot.name
    body = {"bot": world.ids["bot"], "notes": "Sees rivers.", "candidate": "true"}
    return Call(
        who="author", body=body, files={"archive": (("bot.zip", make_upload(name, salt="9")),)}
    )


def _batch(world: World) -> Call:
    archives = (("otter.zip", make_upload("brave-otter")), ("notes.zip", b"no zip"))
    return Call(who="author", files={"archives": archives})


def _record(world: World) -> Call:
    record = tuned_record()
    world.author.desk_records.all().delete()
    return Call(who="author", body=record)


def _act(world: World) -> Call:
    friendly = world.author.friendlies.get(pk=world.ids["friendly"])
    body = {"ply": friendly.ply, "action": first_legal(friendly)}
    return Call(who="author", path={"id": friendly.pk}, body=body)


def _disqualify(world: World) -> None:
    disqualify_version(
        actor=world.people["staff"], version=world.scene.versions[1], reason="It reads the seed."
    )


CALLS: Final[dict[str, Making]] = {
    "bots_list": at(query={"game": "tuned", "owner": "author", "page_size": 1}),
    "bots_create": _upload,
    "bots_retrieve": at(id=Id("bot")),
    "bots_against": at(id=Id("bot"), other=Id("rival"), query={"game": "tuned"}),
    "bots_meetings": at(id=Id("bot"), other=Id("rival"), query={"page_size": 1}),
    "bots_opponents": at(id=Id("bot"), query={"game": "tuned"}),
    "bots_rivals": at(id=Id("bot"), query={"game": "tuned"}),
    "challenges_list": at(query={"author": "author", "state": "done"}),
    "challenges_create": at(
        "author", body={"version": Id("spare"), "bot": Id("rival"), "blocks": 2}
    ),
    "challenges_retrieve": at(id=Id("challenge")),
    "challenges_cancel_create": at("author", id=Id("going challenge")),
    "challenges_quota_retrieve": at("author"),
    "desk_records_list": at(query={"author": "author"}),
    "desk_records_create": _record,
    "desk_records_retrieve": at(id=Id("record")),
    "desk_records_destroy": at("author", id=Id("record")),
    "desk_records_board_svg_retrieve": at(id=Id("record"), query={"ply": 3}),
    "desk_records_commentary_retrieve": at(id=Id("record"), query={"count": 2}),
    "desk_records_record_retrieve": at(id=Id("record")),
    "friendlies_list": at("author", query={"state": "done"}),
    "friendlies_create": at("author", body={"game": "tuned", "bots": [Id("rival")], "seat": 0}),
    "friendlies_retrieve": at("author", id=Id("friendly")),
    "friendlies_act_create": _act,
    "friendlies_board_svg_retrieve": at("author", id=Id("friendly")),
    "friendlies_commentary_retrieve": at(id=Id("ended friendly"), query={"count": 2}),
    "friendlies_events_retrieve": at("author", id=Id("ended friendly")),
    "friendlies_record_retrieve": at(id=Id("ended friendly")),
    "friendlies_resign_create": at("author", id=Id("friendly")),
    "versions_list": at(query={"bot": Id("bot"), "state": "eligible"}),
    "versions_create": _next_version,
    "versions_batch_create": _batch,
    "versions_retrieve": at(id=Id("version")),
    "versions_activate_create": at("author", id=Id("candidate")),
    "versions_archive_retrieve": at("author", id=Id("version")),
    "versions_disqualify_create": at(
        "staff", id=Id("version"), body={"reason": "It reads the seed."}
    ),
    "versions_log_retrieve": at("author", id=Id("version")),
    "versions_rating_history": at(id=Id("version"), query={"game": "tuned", "page_size": 1}),
    "versions_ratings": at(id=Id("version")),
    "versions_reinstate_create": after(_disqualify, at("staff", id=Id("second"))),
    "versions_retire_create": at("author", id=Id("spare")),
    "versions_validate_create": at("author", id=Id("unchecked")),
    "webhooks_list": at("author"),
    "webhooks_create": at(
        "author",
        body={"url": "https://ci.example.org/hook", "events": ["version.validated"]},
    ),
    "webhooks_retrieve": at("author", id=Id("webhook")),
    "webhooks_partial_update": at("author", id=Id("webhook"), body={"is_enabled": False}),
    "webhooks_destroy": at("author", id=Id("webhook")),
    "webhooks_deliveries_list": at("author", id=Id("webhook"), query={"state": "waiting"}),
    "webhooks_deliveries_redeliver_create": at(
        "author", id=Id("webhook"), delivery=Id("delivery")
    ),
    "webhooks_ping_create": at("author", id=Id("webhook")),
    "webhooks_rotate_create": at("author", id=Id("webhook")),
    "webhooks_events_list": at(),
}
