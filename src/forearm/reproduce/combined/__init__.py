"""The tables and figures of the combined algorithm's paper."""
