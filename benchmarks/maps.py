"""Reachability maps: do they agree with brute force, how fast are they made, what would larger ones take.

python benchmarks/maps.py                                # agreement on 1,000 voxels and rates, UR5 and Panda
python benchmarks/maps.py --robot panda --agree 100      # fewer voxels
python benchmarks/maps.py --agree 0 --cluster            # rates only, also with two Dask workers as processes
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import forearm as fa
from forearm.scale import load_map, make_map
from forearm.scale.map_chunk import targets_at
from forearm.scale.map_plan import plan_map
from forearm.scale.run import connected
from judge import solved
from report import machine

SAMPLE_SEED = 5
THOROUGH = 2000  # starts of the general solver that stands for brute force
RESTARTS = 40  # of damped least squares, which looks where that found nothing
ROUNDS = 2
SECONDS_PER_HOUR = 3600.0
LARGE = (10**9, 10**12)  # poses
WORKERS = (1, 2, 100, 1000)


def agreement(robot, path, voxels, orientations, resolution):
    """Compares a map with brute force on voxels drawn at random; prints how many differ."""
    plan = plan_map(robot, resolution=resolution, orientations=orientations)
    share = load_map(path).array("share")
    cells = np.argwhere(np.isfinite(share))
    picked = cells[np.random.default_rng(SAMPLE_SEED).choice(len(cells), voxels, replace=False)]
    points = np.stack([plan.coordinates(k)[picked[:, k]] for k in range(3)], axis=1)
    poses = targets_at(plan, points).goals
    met = np.zeros(len(poses), bool)
    claimed = robot.solve_batch(poses, max_tries=plan.tries)
    met |= solved(robot, claimed.q, poses)
    sound = met.sum() == claimed.success.sum()
    for call in ({"max_tries": THOROUGH, "rng_seed": 9}, {"method": "dls", "restarts": RESTARTS, "rng_seed": 9}):
        left = np.flatnonzero(~met & (claimed.status_names != "out_of_reach"))
        met[left] |= solved(robot, robot.solve_batch(poses[left], **call).q, poses[left])
    beyond = np.flatnonzero(claimed.status_names == "out_of_reach")
    beyond = np.random.default_rng(SAMPLE_SEED).permutation(beyond)[: max(1, len(beyond) // 20)]
    late = solved(robot, robot.solve_batch(poses[beyond], method="dls", restarts=RESTARTS).q, poses[beyond])
    truth = met.reshape(voxels, orientations).mean(axis=1).astype(np.float32)
    told = share[tuple(picked.T)]
    differ = truth != told
    largest = np.abs(truth - told).max() * orientations
    print(
        f"{robot.name}: {voxels - differ.sum()} of {voxels} voxels agree with brute force; "
        f"{met.sum()} of {len(met)} poses reachable, {met.sum() - round(float(told.sum()) * orientations)} missed; "
        f"largest difference {largest:.0f} of {orientations} orientations; "
        f"answers {'all' if sound else 'NOT all'} confirmed; {late.sum()} of {len(beyond)} refused poses reached"
    )
    return int(differ.sum()) + int(late.sum()) + (not sound)


def timed_map(robot, folder, name, **how):
    """Seconds of the best round, and the map."""
    best = np.inf
    for _ in range(ROUNDS):
        shutil.rmtree(folder / name, ignore_errors=True)
        begin = time.perf_counter()
        made = make_map(robot, folder / name, **how)
        best = min(best, time.perf_counter() - begin)
    return best, made


def rates(robot, folder, cluster, **how):
    """Poses a second by the number of workers, and bytes of the map for each voxel."""
    make_map(robot, folder / "warm.zarr", resolution=0.5, orientations=10)  # compiles
    found, size = {}, 0.0
    for workers in (1, 2):
        seconds, made = timed_map(robot, folder, f"{workers}.zarr", workers=workers, **how)
        voxels = int(np.prod(made.shape))
        found[workers] = voxels * how["orientations"] / seconds
        size = sum(file.stat().st_size for file in made.path.rglob("*") if file.is_file()) / voxels
        print(
            f"{robot.name}, {workers} thread(s): {found[workers]:,.0f} poses/s, {seconds:.1f} s for {voxels:,} voxels"
        )
    print(f"{robot.name}: two threads against one {found[2] / found[1]:.2f}; {size:.1f} bytes of files a voxel")
    if cluster:
        for workers in (1, 2):
            seconds = on_cluster(robot, folder, workers, **how)
            rate = voxels * how["orientations"] / seconds
            print(f"{robot.name}, {workers} Dask worker process(es): {rate:,.0f} poses/s")
    same = all((load_map(folder / f"{w}.zarr").array() == made.array()).all() for w in (1, 2))
    print(f"{robot.name}: the maps have {'the same' if same else 'DIFFERENT'} bits")
    return found[1], size


def on_cluster(robot, folder, workers, **how):
    """Seconds with a scheduler and workers as processes of their own, all on this machine."""
    port = 18_786 + workers
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = [
        *dask,
        "worker",
        address,
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
        "--local-directory",
        str(folder),
    ]
    running = [subprocess.Popen(scheduler, **quiet)]
    try:
        time.sleep(3.0)
        running += [subprocess.Popen(worker, **quiet) for _ in range(workers)]
        with connected(address) as client:
            client.wait_for_workers(workers, timeout=60)
        make_map(robot, folder / f"warm-{workers}.zarr", resolution=0.5, orientations=10, scheduler=address)
        return timed_map(robot, folder, f"dask-{workers}.zarr", scheduler=address, **how)[0]
    finally:
        for process in running:
            process.kill()
            process.wait()


def arithmetic(name, rate, size, orientations):
    """Prints what large maps take at the measured rate of one processor."""
    print(f"\n{name}: what larger maps take at {rate:,.0f} poses/s of one processor and {orientations} orientations")
    print("| poses | voxels | bytes | " + " | ".join(f"hours with {w:,}" for w in WORKERS) + " |")
    print("|---|---|---|" + "---|" * len(WORKERS))
    for poses in LARGE:
        voxels = poses / orientations
        hours = [poses / rate / w / SECONDS_PER_HOUR for w in WORKERS]
        cells = " | ".join(f"{h:,.3g}" for h in hours)
        print(f"| {poses:.0e} | {voxels:.0e} | {voxels * size / 1e9:,.3g} GB | {cells} |")


def main() -> int:
    """Prints the figures; 1 if a voxel differs from brute force."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="ur5,panda")
    parser.add_argument("--agree", type=int, default=1000, help="voxels compared with brute force")
    parser.add_argument("--resolution", type=float, default=0.1)
    parser.add_argument("--orientations", type=int, default=50)
    parser.add_argument("--cluster", action="store_true")
    options = parser.parse_args()
    print(machine())
    how = {"resolution": options.resolution, "orientations": options.orientations}
    differ = 0
    with tempfile.TemporaryDirectory() as place:
        for name in options.robot.split(","):
            robot, folder = fa.load(name), Path(place) / name
            folder.mkdir()
            rate, size = rates(robot, folder, options.cluster, **how)
            if options.agree:
                differ += agreement(robot, folder / "2.zarr", options.agree, options.orientations, options.resolution)
            arithmetic(name, rate, size, options.orientations)
    return 0 if differ == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
