"""The main job's parts: the network written for each engine, and the programme that runs and compares them."""
