"""Alerts: findings put together by cause, told to people and machines until someone clears them."""
