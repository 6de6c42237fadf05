# SPDX-License-Identifier: MIT
"""PyTorch and helioray.torch for the tests of gradients, and the reason where one of them is missing."""

from package import needs

torch = ht = None
reason = needs("torch")
if not reason:
    import torch

    import helioray.torch as ht
    try:
        ht.operators()
    except ImportError as absent:
        reason = str(absent)

double = {"dtype": torch.float64} if torch else {}
