"""What every layer shares: checks of input, transforms, files, threads."""
