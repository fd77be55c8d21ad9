"""Skeletons with poles, looks and obstacles, bones that stretch, and targets frame by frame."""
