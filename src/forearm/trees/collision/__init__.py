"""A whole robot among obstacles and beside itself: its shapes, charts of pairs that mostly touch, what a call keeps."""
