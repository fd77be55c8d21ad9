"""One bounded step a tick toward a target that moves: the kernels of a servo."""
