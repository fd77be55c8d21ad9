"""Work that outgrows one call: reachability maps and files of targets, in chunks that survive a kill.

Chunks are solved by threads here or by the workers of a Dask cluster, through the same function; the
process that was started writes each as it finishes. `make_map`, `solve_file` and `load_map` are the doors.
"""

from forearm.scale.maps import make_map
from forearm.scale.reach_map import ReachMap, load_map
from forearm.scale.solve_files import solve_file

__all__ = ["ReachMap", "load_map", "make_map", "solve_file"]
