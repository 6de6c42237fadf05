# SPDX-License-Identifier: MIT
"""CPU time of operator calls besides rays: 2,000 different mirrors of four facets with 10 x 10 control points.

    OMP_NUM_THREADS=1 python tests/raytracer/operators/bench_operators.py build/release/lib/libhelioray_torch.so [PIXELS...]

PIXELS: maps have this many rows and columns (16, 256 and 512). A call that shall trace the last of a billion parts prepares everything and
traces nothing.
"""

import statistics
import sys
import time

import torch

HELIOSTATS, FACETS, POINTS = 2000, 4, 10
RAYS = 256  # of each heliostat
NOTHING = [10**9 - 1, 10**9]
CALLS = 15
double = dict(dtype=torch.float64)


def mirrors():
    """Control points [2000, 4, 10, 10, 3]: paraboloids of 2 x 2 facets, every mirror with its own focal length."""
    x, y = torch.meshgrid(torch.linspace(-0.75, 0.75, POINTS, **double), torch.linspace(-0.6, 0.6, POINTS, **double),
                          indexing="ij")
    centre = torch.tensor([[-0.8, -0.65], [0.8, -0.65], [-0.8, 0.65], [0.8, 0.65]], **double).view(4, 1, 1, 2)
    plane = torch.stack([x, y], -1) + centre
    focal_length = torch.linspace(80, 180, HELIOSTATS, **double).view(-1, 1, 1, 1, 1)
    height = plane.square().sum(-1, keepdim=True) / (4 * focal_length)
    return torch.cat([plane.expand(HELIOSTATS, -1, -1, -1, -1), height], -1).contiguous()


class Field:
    """Heliostats in staggered rows north of a tower."""

    def __init__(self, ops):
        self.ops = ops
        i = torch.arange(HELIOSTATS)
        row, column = i // 50, i % 50
        east = (column - 24.5) * 5.5 + (row % 2) * 2.75
        zero = torch.zeros(HELIOSTATS, **double)
        self.positions = torch.nn.functional.pad(torch.stack([east.double(), 40 + 4.5 * row.double(), zero], -1), (0, 13))
        self.points = mirrors()
        self.target_index = torch.zeros(HELIOSTATS, dtype=torch.int64)
        self.targets = torch.tensor([[0, 0, 0, 60, 0, 1, 0, 0, 0, 0, 8, 8, 0]], **double)
        self.sun = torch.tensor([0.1, -0.6, 0.8], **double)
        self.optics = torch.tensor([900, 0.93, 2.1e-3, 1e-3, 0], **double)
        self.generator = torch.Generator().manual_seed(1)

    def orientation(self):
        """Of mirrors that aim at other points than before."""
        aim = torch.tensor([0, 0, 60], **double) + torch.randn(HELIOSTATS, 3, generator=self.generator, **double)
        return self.ops.align(self.positions, self.sun, aim)

    def arguments(self, pixels, **settings):
        tensors = (self.orientation(), self.points, self.target_index, self.targets, self.sun, self.optics)
        return (*tensors, [3, 3], [pixels, pixels], RAYS), settings


def cpu_ms(function, prepare):
    """CPU time of function(prepared): median over calls, of which the first ones are not counted."""
    times = []
    for _ in range(CALLS + 3):
        prepared = prepare()
        begin = time.process_time()
        function(prepared)
        times.append(1e3 * (time.process_time() - begin))
    return statistics.median(times[3:])


def measure(ops, pixels):
    """Prints the CPU time of calls with maps of pixels x pixels."""
    field = Field(ops)
    grad = torch.rand(1, pixels, pixels, generator=field.generator, **double)

    def forward(prepare=lambda: None, **settings):
        def arguments():
            prepare()
            return field.arguments(pixels, **settings)
        return cpu_ms(lambda given: ops.trace_flux(*given[0], **given[1]), arguments)

    def backward(**settings):
        def arguments():
            given = field.arguments(pixels, **settings)
            ops.trace_flux(*given[0], **given[1])
            return given
        return cpu_ms(lambda given: ops.trace_flux_backward(grad, *given[0], **given[1]), arguments)

    def bend():
        field.points[..., 2] *= 1.0001

    open_field = dict(shading=False, blocking=False)
    cases = {"forward, new orientations": forward,
             "backward of it": backward,
             "forward, new orientations, no occlusion": lambda **part: forward(**open_field, **part),
             "backward of it, no occlusion": lambda **part: backward(**open_field, **part),
             "forward, all control points new": lambda **part: forward(bend, **part)}
    print(f"maps of {pixels} x {pixels}")
    for name, call in cases.items():
        print(f"  {name:40} {call(part=NOTHING):7.1f} ms, with {RAYS} rays of each heliostat {call():7.1f} ms", flush=True)


def main():
    torch.ops.load_library(sys.argv[1])
    torch.set_num_threads(1)
    for pixels in map(int, sys.argv[2:] or (16, 256, 512)):
        measure(torch.ops.helioray, pixels)


if __name__ == "__main__":
    main()
