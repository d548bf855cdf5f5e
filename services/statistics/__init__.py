"""The statistical report: drop, win and win over drop, by shift, day, month and year to date."""
