"""What kills a real executor at an exact moment: the API server and the way to Postgres, both counting."""
