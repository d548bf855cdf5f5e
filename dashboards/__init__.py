"""What people watch: the Grafana dashboards."""
