"""The process that receives alerts and investigates them: `firstfault serve`."""
