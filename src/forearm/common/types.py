"""Names for the arrays that cross function borders."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
