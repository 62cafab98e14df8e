"""Speed, as ratios in one run and with quality beside it: one file a bench."""
