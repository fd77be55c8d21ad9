"""Figures to look at."""

import pytest

import forearm as fa
from forearm.viewer import view_chain


def test_a_chain_of_no_bones_is_refused():
    with pytest.raises(fa.errors.OptionError, match="1 to 200"):
        view_chain(0)
