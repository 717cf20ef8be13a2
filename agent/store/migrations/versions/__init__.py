"""One file a revision, named `vNNNN_what.py`; revision ids are the four digits and order as text."""
