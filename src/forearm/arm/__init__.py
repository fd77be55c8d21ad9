"""What an arm's axes and shapes allow, and the tables made of them."""
