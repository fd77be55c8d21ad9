"""Where can an arm get, and in how many orientations? A map on disk that can be made in pieces and asked later."""

from pathlib import Path

import numpy as np

import forearm as fa
from forearm.scale import make_map

arm = fa.load("ur5")
path = Path("ur5.zarr")

# A coarse map of the space in front of the arm: 20 orientations, roll included, at each voxel.
# On the command line: forearm map ur5 --resolution 0.2 --orientations 20 --bounds "0,-0.6,0,0.8,0.6,0.8" --out ur5.zarr
where = {"resolution": 0.2, "bounds": [[0.0, -0.6, 0.0], [0.8, 0.6, 0.8]]}
made = make_map(arm, path, orientations=20, **where)
print(made)

# The same call goes on where a killed one stopped; here nothing is left to do. Add scheduler="tcp://..." for a
# Dask cluster: the numbers are the same to the last bit.
made = make_map(arm, path, orientations=20, resume=True, **where)

print(f"at x 0.4, y 0, z 0.4 m it gets {made.share_at([0.4, 0.0, 0.4]):.0%} of the orientations")
for place in made.best_places(3):
    x, y, z = place.point
    print(f"x {x:.1f} y {y:.1f} z {z:.1f} m: {place.share:.0%}, manipulability {place.manipulability:.3f}")

# A plane through it, as numbers or as a picture.
plane = made.slice("z", 0.4)
print(f"at z = {plane.at:.1f} m the share is {np.nanmean(plane.values):.0%} on average")

# Open it any time later, or with the zarr or xarray packages.
again = fa.load_map(path)
print(f"{again.volume(least=0.5):.2f} m^3 are reached in more than half of the orientations")
