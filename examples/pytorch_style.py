"""A network on handwritten digits, as a PyTorch user writes it.

Apart from loading the data this runs on PyTorch: write `import torch` and `import torch.nn as nn` for the imports.
"""

import minigrad as torch
import minigrad.nn as nn
from minigrad.datasets import mnist

x_train, y_train, x_test, y_test = [torch.tensor(part) for part in mnist(flatten=True)]

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.002)

for epoch in range(5):
    order = torch.randperm(len(x_train))
    total = 0.0
    for start in range(0, len(x_train), 64):
        batch = order[start:start + 64]
        loss = loss_function(model(x_train[batch]), y_train[batch])  # a good place for breakpoint()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    with torch.no_grad():
        predicted = model(x_test).argmax(1)
        accuracy = (predicted == y_test).float().mean().item()
    print(f"epoch {epoch + 1}: loss {total / len(x_train):.4f}, test accuracy {accuracy:.1%}")
