# SPDX-License-Identifier: MIT
"""The connection of the processes of ranks=True, which lasts from the first call to the end of the process."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _core
from .configuration import describe, input_error


@contextmanager
def connected_ranks() -> Iterator[None]:
    """Closes the connection of the processes at the end of the block, so that its port is free and other programs may use the launcher's variables. Calls
    with ranks=True connect by themselves, stay connected, and close the connection when the interpreter ends."""
    try:
        yield
    except BaseException:
        _core.close_ranks(failed=True)
        raise
    _core.close_ranks(failed=False)


def _close_at_exit() -> None:
    """The other processes may wait for a call that this one will not make after an exception."""
    _core.close_ranks(failed=getattr(sys, "last_type", None) is not None)


atexit.register(_close_at_exit)


def find_group() -> tuple[str, int, int, int] | None:
    """Returns host and port of the store, rank and size of the default group of torch.distributed; None if there is none."""
    torch: Any = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    store = distributed.distributed_c10d._get_default_store()
    while isinstance(store, distributed.PrefixStore):
        store = store.underlying_store
    if not isinstance(store, distributed.TCPStore):
        raise input_error("ranks", f"the group of torch.distributed has a {describe(type(store).__name__)}", "the processes find each other through a TCPStore",
                          'call torch.distributed.init_process_group() with init_method "env://" or "tcp://HOST:PORT"')
    return store.host, store.port, distributed.get_rank(), distributed.get_world_size()
