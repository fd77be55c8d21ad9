"""Robots with several tips: from a mechanism to flat arrays, goals to tasks, parts that share nothing, answers."""
