"""Charts of joint values, made: where two links touch by their surfaces."""
