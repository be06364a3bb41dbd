"""Names that are checked are the names that are kept, on every Python."""

import io
import stat
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.archive import archives, files
from pentathlon_engines.archive.archives import read_archive, unpack
from pentathlon_engines.archive.names import check_names, entry_name
from pentathlon_engines.errors import BadArchive
from tests.engines.archive.packers import HONEST, RawEntry, zip_raw

# Since 3.12, zipfile warns of an empty name in the field; the name itself is checked here.
pytestmark = pytest.mark.filterwarnings("ignore:Empty unicode path extra field")

BOT = [RawEntry(name.encode(), data) for name, data in HONEST.items()]
HOSTILE = [
    "/etc/cron.d/x", "../../up-there", "a/../../b", "C:/x", "C:\\x", "a\0b", "a//b", "./x", "",
    "a\nb", "a\u202eb", "x/" * 9 + "y", "y" * 121,
]  # fmt: skip


class _ZipFileOfLaterPythons(ZipFile):
    """Sets `filename` from the Unicode path field, and leaves `orig_filename`, as since 3.12."""

    def infolist(self) -> list[ZipInfo]:
        infos = super().infolist()
        for info in infos:
            if b"\x75\x70" in info.extra:
                at = info.extra.index(b"\x75\x70") + 9
                info.filename = info.extra[at:].decode().partition("\0")[0]
        return infos


@pytest.fixture(params=["this Python", "later Pythons"])
def _python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "later Pythons":
        for module in (files, archives):
            monkeypatch.setattr(module, "ZipFile", _ZipFileOfLaterPythons)


@pytest.mark.usefixtures("_python")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_name_in_the_unicode_path_field_is_refused(name: str) -> None:
    with pytest.raises(BadArchive) as refusal:
        read_archive(zip_raw([*BOT, RawEntry(b"harmless", unicode_path=name)]))

    assert refusal.value.code == "bad_name"


@pytest.mark.usefixtures("_python")
def test_twin_in_the_unicode_path_field_is_refused() -> None:
    with pytest.raises(BadArchive) as refusal:
        read_archive(zip_raw([*BOT, RawEntry(b"harmless", unicode_path="RUN.sh")]))

    assert refusal.value.code == "duplicate_name"


@pytest.mark.usefixtures("_python")
def test_field_of_another_name_is_ignored() -> None:
    entry = RawEntry(b"aaaaaaaa", unicode_path="/etc/cron.d/x")
    packed = zip_raw([*BOT, entry]).replace(b"aaaaaaaa", b"bbbbbbbb")

    assert set(read_archive(packed).files) == {*HONEST, "bbbbbbbb"}


@given(
    name=st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12)),
    field=st.one_of(st.none(), st.sampled_from(HOSTILE), st.text(max_size=12)),
    says_utf8=st.booleans(),
)
def test_kept_names_are_checked_names(name: str, field: str | None, *, says_utf8: bool) -> None:
    raw = name.encode("utf-8", "surrogatepass")
    entry = RawEntry(raw, unicode_path=field, says_utf8=says_utf8)
    try:
        checked = read_archive(zip_raw([*BOT, entry]))
    except BadArchive:
        return

    check_names(checked.files)
    assert not any(part in {"", ".", ".."} for kept in checked.files for part in kept.split("/"))
    with ZipFile(io.BytesIO(checked.normalised)) as archive:
        assert {info.orig_filename for info in archive.infolist()} >= set(checked.files)


def test_name_is_read_from_the_bytes_whatever_python_made_of_it() -> None:
    info = ZipInfo("main.py")
    info.filename = "/etc/cron.d/x"

    assert entry_name(info) == ("main.py", "")


@pytest.mark.usefixtures("_python")
@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_unpack_refuses_hostile_names_by_itself(name: str, tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    for entry in (
        RawEntry(name.encode(), says_utf8=True),
        RawEntry(b"harmless", unicode_path=name),
    ):
        with pytest.raises(BadArchive):
            unpack(zip_raw([entry]), tmp_path / "bot")

    assert [path.name for path in tmp_path.rglob("*")] == ["bot"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK, 0])
def test_unpack_writes_plain_files_only(kind: int, tmp_path: Path) -> None:
    with pytest.raises(BadArchive):
        unpack(zip_raw([RawEntry(b"x", b"/etc/passwd", mode=kind | 0o777)]), tmp_path)

    assert not list(tmp_path.iterdir())
