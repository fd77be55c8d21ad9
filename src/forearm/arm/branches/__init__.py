"""Every branch of an arm: the table by which it is found, and what postures are called."""
