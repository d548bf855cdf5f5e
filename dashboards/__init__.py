"""What people watch: the console and the Grafana dashboards."""
