"""What does pure judgement say? Values in, values out: words, quantities, dates, slots, signals, time, policy."""
