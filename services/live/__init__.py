"""Live operation: events from Kafka into a history, findings out of it to Kafka."""
