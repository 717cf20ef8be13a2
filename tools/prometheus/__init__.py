"""Metrics servers that speak the Prometheus API (Prometheus, Mimir, Thanos, VictoriaMetrics)."""
