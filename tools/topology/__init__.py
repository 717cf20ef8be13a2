"""What nodes share: switches, racks, NVLink domains, drivers, images, pools."""
