"""Load an arm by name, ask for a pose, read the verdict."""

import forearm as fa

arm = fa.load("ur5")
target = fa.Pose([0.45, 0.20, 0.35], rpy=[3.14159265, 0.0, 1.5707963])

solution = arm.solve(target)
print(solution)
print("tip:", arm.fk(solution.q)[:3, 3].round(6))
