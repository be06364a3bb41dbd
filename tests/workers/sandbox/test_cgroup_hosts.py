"""Kernels that the tests do not run on, as folders that look like them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.workers.sandbox.namespaces import run_apart
from workers.sandbox.errors import LayerMissing
from workers.sandbox.resources import cgroups
from workers.sandbox.resources.cgroup_files import V1, V2
from workers.sandbox.resources.cgroup_hosts import LEAF, CgroupHost, find_host, outlive_bots
from workers.sandbox.resources.cgroups import Cgroups, Group, _sweep, own_prefix

ONE_GIBIBYTE = 1 << 30
SETTING = "memory.oom.group"


class FakeKernel:
    """Folders in the place of hierarchies; the kernel's part, making files, is done here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mounts = ""
        self.memberships = ""

    def mount_v2(self, *, own: str, controllers: str = "cpu memory pids") -> Path:
        at = self.folder / "unified"
        self.mounts += f"41 31 0:38 / {at} rw,relatime - cgroup2 cgroup2 rw\n"
        self.memberships += f"0::{own}\n"
        group = at / own.lstrip("/")
        group.mkdir(parents=True)
        (group / "cgroup.controllers").write_text(controllers)
        (group / "cgroup.subtree_control").write_text("")
        (group / "cgroup.procs").write_text("")
        return group

    def mount_v1(self, names: str, *, root: str = "/", own: str = "/") -> Path:
        at = self.folder / names
        at.mkdir()
        self.mounts += f"35 31 0:32 {root} {at} rw,relatime - cgroup cgroup rw,{names}\n"
        self.memberships += f"4:{names}:{own}\n"
        return at

    def find(self) -> CgroupHost:
        return find_host(mounts=self.mounts, memberships=self.memberships)


@pytest.fixture
def kernel(tmp_path: Path) -> FakeKernel:
    return FakeKernel(tmp_path)


def make_files(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_worker_goes_into_a_leaf_before_version_2_is_shared_out(kernel: FakeKernel) -> None:
    own = kernel.mount_v2(own="/pod/worker")
    make_files(own / LEAF, {"cgroup.procs": ""})

    host = kernel.find()

    assert host.interface is V2
    assert set(host.parents.values()) == {own}
    assert (own / LEAF / "cgroup.procs").read_text() == str(os.getpid())
    assert (own / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_all_processes_of_a_container_go_into_the_leaf(kernel: FakeKernel) -> None:
    own = kernel.mount_v2(own="/")
    (own / "cgroup.procs").write_text("1\n4242\n")
    make_files(own / LEAF, {"cgroup.procs": ""})

    kernel.find()

    # The kernel takes one process at a time; the fake file keeps the last one.
    assert (own / LEAF / "cgroup.procs").read_text() == "4242"


def test_worker_in_the_leaf_shares_out_the_group_above(kernel: FakeKernel) -> None:
    leaf = kernel.mount_v2(own=f"/pod/worker/{LEAF}")
    (leaf.parent / "cgroup.subtree_control").write_text("cpu memory pids")

    assert set(kernel.find().parents.values()) == {leaf.parent}


def test_shared_group_of_version_2_is_left_as_it_was(kernel: FakeKernel) -> None:
    own = kernel.mount_v2(own="/session")
    # A folder stands in for the kernel's refusal: not even root can write to it.
    (own / LEAF / "cgroup.procs").mkdir(parents=True)

    with pytest.raises(LayerMissing, match=f"other processes share {own}") as caught:
        kernel.find()

    assert (own / "cgroup.subtree_control").read_text() == ""
    assert (own / "cgroup.procs").read_text() == str(os.getpid())
    assert caught.value.layer == "cgroup"
    assert "Delegate=yes" in caught.value.remedy


def test_version_2_without_controllers_leaves_version_1(kernel: FakeKernel) -> None:
    kernel.mount_v2(own="/", controllers="hugetlb")
    folders = {name: kernel.mount_v1(name) for name in ("memory", "pids", "cpuacct", "freezer")}

    host = kernel.find()

    assert host.interface is V1
    assert host.parents == folders


def test_group_of_version_1_is_found_below_what_is_mounted(kernel: FakeKernel) -> None:
    kernel.mount_v1("cpu,cpuacct", root="/docker/abc", own="/docker/abc")
    kernel.mount_v1("freezer", root="/docker/abc", own="/docker/abc")
    kernel.mount_v1("pids", root="/docker/abc", own="/docker/abc")
    memory = kernel.mount_v1("memory", root="/docker/abc", own="/docker/abc/slot")
    (memory / "slot").mkdir()

    parents = kernel.find().parents

    assert parents["cpuacct"] == kernel.folder / "cpu,cpuacct"
    assert parents["memory"] == memory / "slot"


def test_missing_hierarchy_is_named(kernel: FakeKernel) -> None:
    kernel.mount_v1("memory")

    with pytest.raises(LayerMissing) as caught:
        kernel.find()

    assert "version 2: there is no cgroup hierarchy with memory and pids" in caught.value.reason
    assert "version 1: there is no cgroup hierarchy with pids" in caught.value.reason


def test_group_of_version_2_speaks_its_files(tmp_path: Path) -> None:
    folder = make_files(
        tmp_path / "bot",
        {
            "memory.swap.max": "max",
            "memory.stat": "anon 1000\nfile 5\nshmem 200\n",
            "memory.peak": "4096\n",
            "memory.events": "low 0\noom 3\noom_kill 2\n",
            "pids.current": "7\n",
            "pids.events": "max 4\n",
            "cpu.stat": "usage_usec 1500000\nuser_usec 1\n",
            "cgroup.procs": "",
        },
    )
    group = Group(V2, dict.fromkeys(V2.controllers, folder))

    group.limit(memory_bytes=ONE_GIBIBYTE, tasks=9)
    group.admit(77)
    group.freeze()

    written = {
        name: (folder / name).read_text()
        for name in ("memory.max", "memory.swap.max", "pids.max", "cgroup.procs", "cgroup.freeze")
    }
    assert written == {
        "memory.max": str(ONE_GIBIBYTE),
        "memory.swap.max": "0",
        "pids.max": "9",
        "cgroup.procs": "77",
        "cgroup.freeze": "1",
    }
    assert group.cpu_s() == 1.5
    assert group.memory_bytes() == 1200
    assert group.memory_peak_bytes() == 4096
    assert (group.memory_kills(), group.tasks(), group.tasks_refused()) == (2, 7, 4)


def test_folders_of_a_dead_worker_are_swept(kernel: FakeKernel) -> None:
    names = {name: kernel.mount_v1(name) for name in V1.controllers}
    gone = f"{own_prefix()}1".replace(f"-{os.getpid()}-", "-999999999-")
    other = f"{own_prefix()}1"
    for folder in names.values():
        (folder / gone).mkdir()
        (folder / other).mkdir()

    _sweep(kernel.find())

    assert {path.name for folder in names.values() for path in folder.iterdir()} == {other}


def test_folders_of_a_worker_in_another_namespace_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / f"{own_prefix()}1"
    folder.mkdir()
    sweep = f"""
import os
from pathlib import Path
from workers.sandbox.resources.cgroup_files import V1
from workers.sandbox.resources.cgroup_hosts import CgroupHost
from workers.sandbox.resources.cgroups import _sweep
assert os.getpid() < 100, "this is a namespace of its own"
_sweep(CgroupHost(interface=V1, parents={{"memory": Path({str(tmp_path)!r})}}))
"""

    run_apart(sweep, "--pid", "--fork", "--mount-proc")

    assert folder.exists()


def test_half_made_group_is_removed(kernel: FakeKernel) -> None:
    memory, pids = kernel.mount_v1("memory"), kernel.mount_v1("pids")
    kernel.mount_v1("cpuacct")
    kernel.mount_v1("freezer").rmdir()
    host = CgroupHost(
        interface=V1, parents={name: kernel.folder / name for name in V1.controllers}
    )

    with pytest.raises(LayerMissing):
        Cgroups(host)

    assert [*memory.iterdir(), *pids.iterdir()] == []


def test_worker_is_not_ended_with_its_bots(kernel: FakeKernel) -> None:
    leaf = kernel.mount_v2(own=f"/pod/worker/{LEAF}")
    settings = [make_files(each, {SETTING: "1\n"}) / SETTING for each in (leaf, leaf.parent)]

    assert outlive_bots(mounts=kernel.mounts, memberships=kernel.memberships)
    assert [each.read_text() for each in settings] == ["0", "0"]


def test_worker_that_will_be_ended_with_its_bots_knows(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_files(kernel.mount_v2(own="/pod"), {SETTING: "1\n"})

    def refuse(path: Path, text: str) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_text", refuse)

    assert not outlive_bots(mounts=kernel.mounts, memberships=kernel.memberships)


def test_kernel_without_the_setting_ends_one_by_one(kernel: FakeKernel) -> None:
    kernel.mount_v2(own="/pod")

    assert outlive_bots(mounts=kernel.mounts, memberships=kernel.memberships)


def test_group_that_stays_in_use_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_files(tmp_path / "group", {"cgroup.procs": "", "held": ""})
    monkeypatch.setattr(cgroups, "_LONGEST_REMOVAL_S", 0.0)

    with pytest.raises(TimeoutError, match="is still in use after 0 s"):
        Group(V2, dict.fromkeys(V2.controllers, folder)).remove()


def test_folder_of_a_living_worker_of_another_user_is_left_alone(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = kernel.mount_v1("memory")
    left = memory / f"{cgroups.PREFIX}{cgroups._namespace()}-4242-ab"
    left.mkdir()

    def refuse(pid: int, number: int) -> None:
        raise PermissionError(pid)

    monkeypatch.setattr("os.kill", refuse)
    _sweep(CgroupHost(interface=V1, parents={"memory": memory}))

    assert left.is_dir()


def test_hierarchy_that_this_worker_is_no_member_of_is_not_used(kernel: FakeKernel) -> None:
    for name in ("memory", "pids", "cpuacct", "freezer"):
        kernel.mount_v1(name)
    kernel.memberships = kernel.memberships.replace(":pids:", ":other:")

    with pytest.raises(LayerMissing, match="there is no cgroup hierarchy with pids"):
        kernel.find()


def test_folder_that_nobody_may_write_to_is_named(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = kernel.mount_v2(own="/pod")
    for name in ("memory", "pids", "cpuacct", "freezer"):
        kernel.mount_v1(name)
    monkeypatch.setattr("os.access", lambda path, mode: False)

    with pytest.raises(LayerMissing) as caught:
        kernel.find()

    assert f"version 2: {own} is not writable" in caught.value.reason
    first = kernel.folder / V1.controllers[0]
    assert f"version 1: {first} is not writable" in caught.value.reason
