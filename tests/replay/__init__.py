"""The engine, tested part by part."""
