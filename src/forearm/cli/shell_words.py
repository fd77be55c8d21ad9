"""The library's messages in the words of the shell: a flag instead of a Python call where there is one."""

import re

# What the library says, as a pattern, and what the command line says instead.
REWORDED = (
    (r"use Robot\.from_urdf\(path\) or Robot\.from_toml\(path\)", "give its path"),
    (r"list_robots\(\) gives the names", "`forearm robots` lists the names"),
    (r"load it with from_xacro, which expands it", "give it a name that ends in .xacro"),
    (r"choose (base|tip)=\.\.\. from", r"choose --\1 from"),
    (r"choose base='([^']*)'", r"choose --base '\1'"),
    (r", or pass limits=\{[^}]*\}", ""),
    (r"give its value in args=\{\.\.\.\}", "give it a default in the file"),
    (r" in limits=", " in --limit"),
    (r" in locked=", " in --lock"),
    (r"robot\.clip\(q0\) moves it inside", "choose --q0 inside them"),
    (r"fa\.nearest_rigid\(T\) gives the nearest one", "give more digits of its rotation part"),
    (r"use fa\.Position\(p\) for a point alone", "for a point alone, give --xyz alone"),
    (r"use fa\.Orientation\(\.\.\.\) for an orientation alone", "for an orientation alone, leave --xyz out"),
    (r"math\.inf leaves an axis free", "inf leaves it free"),
    (r"use robot\.with_geometry\(radius=\.\.\.\) for a skeleton", "give --radius for a skeleton"),
    (r"method='([^']*)' solves it", r"--method \1 solves it"),
    (r"use method='auto'", "use --method auto"),
    (r"insert=True", "--insert"),
    (r"max_joint_step", "--max-joint-step"),
    (r"halfway_tol", "--halfway-tol"),
)


def for_shell(message: str) -> str:
    """A message of the library for someone who has flags, not Python."""
    for pattern, words in REWORDED:
        message = re.sub(pattern, words, message)
    return message
