"""One robot as C: its tables, functions with plain names, and the compiled kernels that it needs (`write.export_c`)."""
