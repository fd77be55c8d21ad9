"""What MuJoCo is given of an MJCF, and what it makes of that."""
