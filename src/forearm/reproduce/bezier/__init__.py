"""The tables and figures of the Bezier paper."""
