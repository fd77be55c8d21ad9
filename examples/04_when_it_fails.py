"""A target that cannot be met is an answer, not an exception."""

import forearm as fa

arm = fa.load("panda")

far = arm.solve(fa.Position([1.5, 0.0, 0.5]))
print(far.status, "-", far.reason)
print("nearest tip found:", arm.fk(far.q)[:3, 3].round(4))

try:
    far.raise_if_failed()
except fa.errors.NotSolvedError as problem:
    print("as an exception:", problem)

try:
    arm.solve(fa.Position([0.4, 0.0, 0.5]), q0=[0.0] * 7)
except fa.errors.OptionError as problem:
    print("a wrong argument:", problem)
