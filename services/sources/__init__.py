"""Where events come from: files, and what is wrong with them."""
