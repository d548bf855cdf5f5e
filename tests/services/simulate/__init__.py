"""The floor simulator: repeatable, clean where it is to be, and wrong just where it says."""
