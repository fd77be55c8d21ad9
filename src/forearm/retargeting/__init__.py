"""Motions of skeletons carried over to robots: which bone is which link, where its goals are, when it may be there."""
