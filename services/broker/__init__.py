"""A real Apache Kafka for development and tests, run from its jars without a container engine."""
