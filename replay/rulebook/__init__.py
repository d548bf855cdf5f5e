"""The rules as dated data (editions, paytables, limits, house ways, readings) and their loader."""
