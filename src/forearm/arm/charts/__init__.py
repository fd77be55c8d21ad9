"""Charts of joint values: pairs of links whose capsules mostly touch, held apart by their true shapes."""
