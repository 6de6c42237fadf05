# SPDX-License-Identifier: MIT
"""Processes that trace parts of the rays get the flux and the gradients of one process."""

import multiprocessing
import os
import sys
import tempfile
import unittest

try:
    import torch
    import torch.distributed as dist
except ImportError as absent:
    print(f"SKIP: {sys.executable} has no torch ({absent})")
    sys.exit(77)


def paraboloid(n=6):
    """Control points [1, 1, n, n, 3] of one bent facet."""
    x = torch.linspace(-1.5, 1.5, n, dtype=torch.float64).view(n, 1).expand(n, n)
    y = torch.linspace(-1, 1, n, dtype=torch.float64).view(1, n).expand(n, n)
    return torch.stack([x, y, (x * x + y * y) / 220], -1).reshape(1, 1, n, n, 3)


def trace(rank, world):
    """Flux of all parts and the gradients of a loss that is not linear in it; list of tensors."""
    torch.ops.load_library(os.environ["HELIORAY_OPERATORS"])
    ops, double = torch.ops.helioray, dict(dtype=torch.float64)
    parameters = torch.zeros(5, 16, **double)
    parameters[:, :3] = torch.tensor([[-9.0, 50, 0], [-4, 56, 0], [0, 50, 1], [5, 57, 0], [9, 49, 0]])
    aim_points = torch.tensor([[0.1 * i, 0, 20] for i in range(5)], **double, requires_grad=True)
    mirror = paraboloid().requires_grad_()
    sun = torch.tensor([0.2, -0.7, 0.68], **double, requires_grad=True)
    optics = torch.tensor([900, 0.9, 2.1e-3, 1.5e-3, 1e-3], **double, requires_grad=True)
    target = torch.tensor([[0, 0, 0, 20, 0, 1, 0, 0, 0, 0, 8, 8, 0]], **double)
    own = ops.trace_flux(ops.align(parameters, sun, aim_points), mirror, torch.zeros(5, dtype=torch.int64), target,
                         sun, optics, [3, 3], [24, 24], rays=20000, part=[rank, world])
    flux = own.detach().clone()
    if world > 1:
        dist.all_reduce(flux)
    # d(sum of flux^2) / d flux, the same on every rank; each goes back through its own rays.
    own.backward(2 * flux)
    gradients = [t.grad for t in (aim_points, mirror, sun, optics)]
    if world > 1:
        for gradient in gradients:
            dist.all_reduce(gradient)
    return [flux, *gradients]


def run_rank(rank, world, store, results):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
    torch.set_num_threads(1)
    tensors = trace(rank, world)
    if rank == 0:
        torch.save(tensors, results)
    dist.destroy_process_group()


class Ranks(unittest.TestCase):
    def test_any_number_of_ranks_gives_the_same_gradient(self):
        reference = trace(0, 1)
        for gradient in reference[1:]:
            self.assertGreater(gradient.abs().max(), 0)
        context = multiprocessing.get_context("spawn")
        for world in (2, 4):
            with tempfile.TemporaryDirectory() as folder:
                results = os.path.join(folder, "results.pt")
                ranks = [context.Process(target=run_rank, args=(r, world, os.path.join(folder, "store"), results))
                         for r in range(world)]
                for process in ranks:
                    process.start()
                for process in ranks:
                    process.join(120)
                    self.assertEqual(process.exitcode, 0)
                found = torch.load(results)
            # Integer sums: what differs is the last bit of their conversion to watts.
            for one, other in zip(reference, found):
                self.assertLess((one - other).abs().max() / one.abs().max(), 1e-12)

    def test_parts_are_checked(self):
        for part in ([2, 2], [-1, 2], [0, 0], [0]):
            with self.assertRaisesRegex(RuntimeError, "part must be"):
                torch.ops.load_library(os.environ["HELIORAY_OPERATORS"])
                one = torch.zeros(1, dtype=torch.float64)
                torch.ops.helioray.trace_flux(torch.eye(4, dtype=torch.float64)[None], paraboloid(),
                                              torch.zeros(1, dtype=torch.int64), one.expand(1, 13), one.expand(3),
                                              one.expand(5), [3, 3], [8, 8], rays=100, part=part)


if __name__ == "__main__":
    unittest.main()
