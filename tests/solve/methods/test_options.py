"""Options: kernels read what the classes write."""

from dataclasses import fields

import numpy as np
import pytest

from forearm.core.arm.problem import SETTINGS
from forearm.core.closed_form import scratch
from forearm.core.combined import codes
from forearm.core.general import solve as general
from forearm.core.iterative import ccd, dls, fabrik_r, jacobian_transpose
from forearm.solve.methods.options import DlsOptions
from forearm.solve.methods.table import METHODS

# where each method's kernels name the places of their settings
READERS = {
    "auto": general,
    "general": general,
    "closed-form": scratch,
    "fabrik-r": fabrik_r,
    "combined": codes,
    "dls": dls,
    "jacobian-transpose": jacobian_transpose,
    "ccd": ccd,
}


@pytest.mark.parametrize("name", METHODS)
def test_fields_stand_where_the_kernel_reads_them(name):
    places = [item.name.upper() for item in fields(METHODS[name].options)]
    assert len(places) <= SETTINGS
    if name == "auto":  # closed forms read the last setting, as when they are asked for by name
        assert places.pop() == "NORM"
        assert METHODS["closed-form"].reads_from == -1
    for place, item in enumerate(places):
        assert getattr(READERS[name], item) == place


@pytest.mark.parametrize("name", METHODS)
def test_every_option_says_what_it_means(name):
    for item in fields(METHODS[name].options):
        assert item.metadata["meaning"]
        if "names" in item.metadata:
            assert item.default in item.metadata["names"]
            continue
        assert item.metadata["low"] <= item.default <= item.metadata["high"]


def test_rotation_weight_of_the_arm_fills_in_for_zero():
    assert DlsOptions().pack(0.3)[-1] == 0.3
    assert DlsOptions(rotation_weight=0.7).pack(0.3)[-1] == 0.7
    assert DlsOptions(damping=np.float64(0.1), max_iterations=np.int64(5)).pack(0.3)[1] == 0.1
