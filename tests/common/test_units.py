"""Units: sentences of the library in the units that were chosen."""

from forearm.common.units import Units, with_unit


def test_lengths_and_angles_of_a_sentence_are_told_in_the_chosen_units():
    told = "the target is 0.0747 m and 1.13 rad off, 'joint 3 m' moves by 1e-05 rad, a step of 0.1 rad or m, 5 ms"
    both = "the target is 74.7 mm and 64.7 deg off, 'joint 3 m' moves by 0.000573 deg, a step of 0.1 rad or m, 5 ms"
    assert Units().words(told) == told
    assert Units(deg=True, mm=True).words(told) == both
    assert Units(mm=True).words("-0.5 m from 'a'; 2 rad") == "-500 mm from 'a'; 2 rad"


def test_a_column_has_its_unit_behind_its_name():
    assert (with_unit("q_elbow", "deg"), with_unit("status", "")) == ("q_elbow [deg]", "status")


def test_a_joint_value_has_no_negative_zero():
    assert Units(False, False).show_joint(-1e-12, "revolute") == "0.000000"
    assert Units(True, False).show_joint(-1e-9, "revolute") == "0.000"
