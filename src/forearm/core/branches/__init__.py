"""Every branch of six revolute axes: one joint hidden, five eliminated, the roots of a determinant isolated."""
