"""Loading data. PyTorch: torch.utils."""
