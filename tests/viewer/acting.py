"""How a test acts in place of the thread of a page, and what it measures."""

import numpy as np

import forearm as fa

PLANAR = fa.load("planar-3")


def act(page, wish, *values):
    wish(*values)
    page.tick()
    page.refresh()
    page.settle()


def error_of(page):
    tip, goal = PLANAR.fk(page.problem.q), page.problem.T
    return np.linalg.norm(tip[:3, 3] - goal[:3, 3])
