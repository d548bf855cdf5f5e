"""The rules engine: settles rounds again. No stream, HTTP, clock or locale in here."""
