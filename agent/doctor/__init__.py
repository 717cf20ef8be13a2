"""What `firstfault doctor` concludes from looks at the sources. Pure."""
