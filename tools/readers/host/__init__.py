"""Reads what tools of the host print: disks, memory, limits, devices, processes, services, clocks, packages."""
