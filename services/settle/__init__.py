"""One round typed in: for tables without a feed, and rounds put together from the cameras."""
