"""What an audit reports: one object, written for people, for programs and for spreadsheets."""
