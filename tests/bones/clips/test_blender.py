"""What Blender's own importers read from our files: needs the package bpy in the folder $FOREARM_BLENDER."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa

from .made import Made

FOLDER, SCRIPT = os.environ.get("FOREARM_BLENDER"), Path(__file__).parents[3] / "tools" / "blender_check.py"
SINGLE = 2e-6  # Blender holds places in single precision; as a share of the largest


@pytest.mark.skipif(FOLDER is None, reason="FOREARM_BLENDER names no folder with bpy")
@pytest.mark.parametrize("ending", [".bvh", ".glb", ".gltf"])
@pytest.mark.parametrize("seed", range(4))
def test_blender_puts_the_joints_where_we_do(seed, ending, tmp_path):
    made = Made(seed, joints=14, frames=7, moving=seed % 2 == 0)
    (tmp_path / "a.bvh").write_text(made.bvh)
    clip = fa.Clip.from_bvh(tmp_path / "a.bvh")
    out = tmp_path / f"b{ending}"
    clip.write(out)
    words = [sys.executable, SCRIPT, out, str(1.0 / clip.frame_time), str(len(clip))]
    told = subprocess.run(words, env=os.environ | {"PYTHONPATH": FOLDER}, capture_output=True, text=True, check=True)
    frames = json.loads(told.stdout.strip().splitlines()[-1])
    own = [name for name in clip.names if not name.endswith(" end")]  # which Blender's reader of BVH has no bones for
    size = np.abs(clip.points).max()
    for points, found in zip(clip.points, frames, strict=True):
        theirs = np.array([found[name] for name in own])
        assert np.abs(theirs - points[[clip.index(name) for name in own]]).max() < SINGLE * size * np.sqrt(len(own))
