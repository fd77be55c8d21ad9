"""A motion from a BVH file: hold a hand for some frames, write the clip for other programs."""

import tempfile
from pathlib import Path

import numpy as np

import forearm as fa

ARM = """HIERARCHY
ROOT Shoulder
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Elbow
  {
    OFFSET 30 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Hand
    {
      OFFSET 26 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
    }
  }
}
MOTION
Frames: 40
Frame Time: 0.04
"""

angles = 25.0 * np.sin(np.linspace(0.0, 2.0 * np.pi, 40))
numbers = np.zeros((40, 12))
numbers[:, 3], numbers[:, 6] = angles, 50.0 + angles  # shoulder and elbow [deg]

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "wave.bvh")
    path.write_text(ARM + "\n".join(" ".join(map(str, row)) for row in numbers))
    clip = fa.Clip.read(path)
    held = clip.pin("Hand", [32.0, 25.0, 8.0], frames=(12, 24), blend=6)
    print(clip)
    print(held)
    print("the hand in frame 18:", held.clip.points[18, clip.index("Hand")].round(3))
    held.clip.write(path.with_suffix(".glb"))
    held.clip.write(path.with_suffix(".json"))
    body = fa.Skeleton.from_bvh(path, scale=0.01)
    print(body, body.solve({"Hand": [0.3, 0.2, 0.1]}).status)
