"""Several tips of one robot: placing, goals of many kinds, the step, starts and levels."""
