"""Self-motion curves of seven revolute axes: slices by elimination, curves traced through them, arcs inside limits."""
