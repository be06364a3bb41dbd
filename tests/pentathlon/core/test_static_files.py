"""Our scripts find each other under the names that hold a hash."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders

from pentathlon.core.static_files import HashedStaticFiles

IMPORT = re.compile(r'^import .* from "\./([^"]+)";$', re.MULTILINE)


def test_scripts_import_each_other_by_names_that_hold_a_hash(tmp_path: Path) -> None:
    found = finders.find("pentathlon/viewer.js")
    assert found
    source = Path(found).parent
    (tmp_path / "pentathlon").mkdir()
    for script in source.glob("*.js"):
        (tmp_path / "pentathlon" / script.name).write_text(script.read_text())
    storage = HashedStaticFiles(location=tmp_path, base_url="/static/")
    names = [f"pentathlon/{script.name}" for script in source.glob("*.js")]

    made = list(storage.post_process({name: (storage, name) for name in names}))

    assert not [error for *_, error in made if isinstance(error, Exception)]
    viewer = tmp_path / storage.stored_name("pentathlon/viewer.js")
    assert IMPORT.findall((source / "viewer.js").read_text()) == ["stepper.js"]
    (imported,) = IMPORT.findall(viewer.read_text())
    assert re.fullmatch(r"stepper\.[0-9a-f]{12}\.js", imported)
    assert (viewer.parent / imported).is_file()
