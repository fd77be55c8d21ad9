"""The methods: one row each, their options, and the tables their kernels read."""
