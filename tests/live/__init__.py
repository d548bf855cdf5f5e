"""Tests against a real Apache Kafka."""
