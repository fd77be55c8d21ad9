"""What three.js's own loader reads from our glTF: needs node, and three in the node_modules of $FOREARM_THREE."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import forearm as fa

from .made import Made

FOLDER, SCRIPT = os.environ.get("FOREARM_THREE"), Path(__file__).parents[3] / "tools" / "three_check.mjs"


@pytest.mark.skipif(
    FOLDER is None or shutil.which("node") is None,
    reason="FOREARM_THREE names no folder with three, or there is no node",
)
@pytest.mark.parametrize("seed", range(6))
def test_three_js_puts_the_joints_where_we_do(seed, tmp_path):
    made = Made(seed, joints=14, frames=7, roots=1 + seed % 2, moving=seed % 3 == 0)
    (tmp_path / "a.bvh").write_text(made.bvh)
    clip = fa.Clip.from_bvh(tmp_path / "a.bvh")
    clip.write(tmp_path / "a.glb")
    times = [repr(float(time)) for time in clip.times]
    told = subprocess.run(
        ["node", SCRIPT, tmp_path / "a.glb", *times], cwd=FOLDER, capture_output=True, text=True, check=True
    )
    found = {float(time): points for time, points in json.loads(told.stdout).items()}
    for time, points in zip(clip.times.tolist(), clip.points, strict=True):
        theirs = np.array([found[time][name] for name in clip.names])
        assert np.abs(theirs - points).max() < 1e-6 * np.abs(clip.points).max()
