"""What has been measured, all in one report? `python -m bench.whole` writes it, `--compare` holds two side by side.

The single benches measure; here their results are only gathered, shown with what made them, and compared.
"""
