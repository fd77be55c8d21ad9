"""Options: kernels read what the classes write."""

import importlib
from dataclasses import fields

import numpy as np
import pytest

from forearm.solve.methods.options import DlsOptions
from forearm.solve.methods.table import METHODS


@pytest.mark.parametrize("name", METHODS)
def test_fields_stand_where_the_kernel_reads_them(name):
    row = METHODS[name]
    module = importlib.import_module((row.packed or row.kernel).__module__)
    for place, item in enumerate(fields(row.options)):
        assert getattr(module, item.name.upper()) == place


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
