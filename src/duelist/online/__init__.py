"""Learn the weights of a ranker from clicks, one impression at a time."""
