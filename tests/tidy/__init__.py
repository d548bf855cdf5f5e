"""The layout, the style and the packaging, checked as data."""
