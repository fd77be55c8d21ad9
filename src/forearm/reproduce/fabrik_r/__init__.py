"""The tables and figures of the FABRIK-R paper."""
