"""Controls post what was wished, and no more than that."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from forearm.viewer.shared.controls import on_drag


class Handle:
    """A frame that is dragged, with what listens to it."""

    wxyz, position = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.1, 0.2, 0.3])

    def on_update(self, listener):
        self.listener = listener


@pytest.mark.parametrize(("phase", "count"), [("start", 0), ("update", 1), ("end", 0)])
def test_a_handle_that_is_gripped_or_let_go_asks_for_nothing(phase, count):
    posted, handle = [], Handle()
    worker = SimpleNamespace(post=lambda name, action: posted.append(action))
    on_drag(handle, worker, posted.append)
    asyncio.run(handle.listener(SimpleNamespace(target=handle, phase=phase)))
    assert len(posted) == count
