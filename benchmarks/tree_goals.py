"""What each line of `benchmarks/tree.py` has to show, and in what it misses that."""

ABOVE = 5.0  # [us] that Python may add to the kernel
FASTER = 10.0  # than the fastest peer, from near starts


def faults_of(line):
    """What a line misses of its goals, in words; nothing where it meets them, or is a peer's."""
    if "peer" in line:
        return []
    count = line.get("count")
    wanted = {  # exactly
        "solved": 100 if "100 targets" in line else line.get("free goals", count),
        "near solved": count,
        "level 1 kept": count,
        "within 5 %": line.get("level 2 against SLSQP, compared"),
        "right": count,
        "false": 0,
    }
    asked = [(key, right) for key, right in wanted.items() if right is not None and key in line]
    told = [f"{key} {line[key]}, not {right}" for key, right in asked if line[key] != right]
    return told + [f"{key} {line[key]:.1f}, not at most {most:g}" for key, most in most_of(line) if line[key] > most]


def most_of(line):
    """The times of a line and what they may be at most."""
    if "recipe's kernel, cold and near [us]" in line:
        cold, near = line["recipe's kernel, cold and near [us]"]
        return [("kernel [us]", cold), ("near, kernel [us]", near), ("near, above the kernel [us]", ABOVE)]
    if "100 targets" in line:
        return [("one core, median of 5 [ms]", float(line["cuRobo, published, a GPU, 5 mm [ms]"]))]
    return []


def beside_peers(own, peers):
    """How much faster near starts are than the fastest peer that met all of them, and whether that holds."""
    skipped = [line["peer"] for line in peers if "skipped" in line]
    met = [line for line in peers if "skipped" not in line and len({*line["near solved"].split(" of ")}) == 1]
    told = {"beside peers": own["robot"]}
    more = f", skipped: {', '.join(skipped)}" if skipped else ""
    if not met:
        return {**told, "misses": f"no peer met all near starts{more}"}
    fastest = min(met, key=lambda line: line["near, median [us]"])
    ratio = fastest["near, median [us]"] / own["near, python [us]"]
    verdict = "holds" if ratio >= FASTER and not skipped else "misses"
    words = f"near {ratio:.1f} times faster than the fastest peer, {fastest['peer']}; asked for {FASTER:g}{more}"
    return {**told, verdict: words}
