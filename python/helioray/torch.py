# SPDX-License-Identifier: MIT
"""Gradients of the flux: a plant as tensors of PyTorch, and a field as torch.nn.Module.

    import helioray.torch

    field = helioray.torch.Field(plant, sun=(180, 45), rays=1e4, parameters=["aim_points"])
    flux, energy = field()
    flux.square().mean().backward()      # field.aim_points.grad

Needs PyTorch of the version that HelioRay was built with, and the library of operators, libhelioray_torch.so, which wheels built with
HELIORAY_TORCH=1 contain. `import helioray` alone loads neither.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from . import _core
from ._input.configuration import describe, input_error, number, several, switch
from ._input.keywords import RUN_KEYS, with_keys
from ._plant import Plant
from ._tensors import FLOATS, Mirrors, Tensors, check_form, torch
from ._tensors import tensors as _make_tensors

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._input.typed_keys import RunKeys, TensorKeys

# Parameters that a field can optimize.
PARAMETERS = ("aim_points", "kinematics", "drives", "motor_positions", "surfaces", "optics")


def operators() -> Any:
    """Returns torch.ops.helioray; the first call loads its library."""
    if not hasattr(torch.ops.helioray, "trace_field"):
        file = os.fsdecode(_core.module_file("helioray_torch"))
        try:
            torch.ops.load_library(file)
        except OSError as error:
            raise ImportError(f"{file} cannot be loaded with PyTorch {torch.__version__}: {error}; it belongs to the PyTorch that it was built "
                              "with") from None
    return torch.ops.helioray


@contextlib.contextmanager
def _convert_refusals(where: str) -> Iterator[None]:
    """Converts the RuntimeError of operators for bad input to an InputError with its text. Failures of the machine are unchanged."""
    try:
        yield
    except RuntimeError as error:
        # Torch appends a stack trace if TORCH_SHOW_CPP_STACKTRACES is set.
        text = str(error).partition("\nException raised from ")[0]
        # The argument `parameters` of operators is `kinematics` in a Field.
        text = re.sub("^parameters\\b", "kinematics", text)
        # NotImplementedError and errors of GPU memory and devices are subclasses; errors of CPU memory are not.
        if type(error) is not RuntimeError or "allocate memory" in text:
            raise
        raise input_error(where, text) from None


@with_keys(RUN_KEYS)
def tensors(source: Plant | str | os.PathLike[str], **keys: Unpack[RunKeys]) -> Tensors:
    """Returns the tensors of a plant or of a run configuration. source, keys: as for helioray.trace(); bitmap.filter is bilinear by default,
    which gradients need. No position of the sun is needed."""
    return _make_tensors(source, keys, Plant)


def _sum_over_ranks(values: Any) -> Any:
    """Returns the sum of the tensors of all processes. torch.distributed.all_reduce() on a tensor of Python may abort the interpreter when it ends,
    see rank_sum.cpp."""
    return operators().sum_over_ranks(values, torch.distributed.group.WORLD.group_name)


class _SumOverRanks(torch.autograd.Function):  # type: ignore[misc]
    """Adds up the flux of the rays of all ranks. Every rank computes the same loss, and its backward pass covers its own rays.
    DistributedDataParallel averages the gradients, so they are multiplied by the number of ranks here."""

    @staticmethod
    def forward(context: Any, own: Any, quantum: Any) -> Any:
        # The sum of integers does not depend on the distribution of the rays.
        quanta = _sum_over_ranks((own / quantum.view(-1, 1, 1)).round().to(torch.int64))
        return quanta.to(torch.float64) * quantum.view(-1, 1, 1)

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        return gradient * torch.distributed.get_world_size(), None


class Field(torch.nn.Module):  # type: ignore[misc]
    """A field of heliostats as a module: calling it gives flux [T, H, W] in W/m2 (see map_names) and energy [N, E] in W (see energy_terms).

    source, keys: a plant or run configuration as for tensors(), or Tensors.
    parameters: the members that become torch.nn.Parameter: aim_points [N, 3] in metres, kinematics [N, 16] (Tensors.parameters), drives [N, 2, 7] and
        motor_positions [N, 2] (for heliostats that the configuration turns by motor positions), surfaces (control points of B-spline mirrors)
        and optics [5] (DNI, reflectivity, widths of sun, slope and specularity errors). The others are buffers of the same names.
    ranks: every process of torch.distributed's group traces a part of the rays and gets the flux of all, with equal bits for any number of
        processes. Wrap the module in torch.nn.parallel.DistributedDataParallel, which adds up the gradients.
    device: device of the results, which also traces the rays: cpu or cuda.
    devices: indices of CUDA devices that trace the rays together in place of `device`, with equal bits for any number of them.
    edge_reach: metres; above 0, gradients include light that is gained or lost at the edges of obstacles and at the rims of targets, not at
        the windows of apertures and the edges of other mirrors. It is estimated from the rays that pass an edge within this distance: a larger
        reach has less noise, and an error that grows with its square. A tenth of the mirrors' width is a good compromise. On the CPU only.

    Flux is differentiable in the parameters and in the sun. Gradients are those of the traced rays: without light that is gained or lost at
    edges when something moves (rims of targets, shading and blocking), unless edge_reach includes it. Energy has no gradient; power(flux) is the power on each target with its gradient.

    Receivers of several surfaces have a map for each surface: what it absorbs, and if surfaces reflect light, another one
    of all light that meets its front. Gradients cover light that meets its first surface, also after mirrors, on planes, discs, cylinders,
    cones, annuli, spheres, conics and concentrators. They exclude light that crosses the edges of these surfaces, so that edge_reach is refused,
    and a field whose absorbers reflect light (bounces above 0) has none. Meshes are refused.
    """

    @with_keys(RUN_KEYS)
    def __init__(self, source: Plant | Tensors | str | os.PathLike[str], *, parameters: str | Iterable[str] = ("aim_points",), ranks: bool = False,
                 device: Any = "cpu", devices: Sequence[int] = (), edge_reach: float = 0.0, **keys: Unpack[TensorKeys]) -> None:
        super().__init__()
        self._operators = operators()
        if isinstance(source, Tensors) and keys:
            raise input_error("helioray.torch.Field", f"{', '.join(keys)} cannot be set any more", "the tensors have their configuration",
                              "give the keys to plant.tensors()")
        made = source if isinstance(source, Tensors) else tensors(source, **keys)
        made._check((torch.float64,))
        self.tensors = made
        self.edge_reach = number(edge_reach, "helioray.torch.Field: edge_reach", "give metres, or 0 to leave edges out")
        self.ranks = switch(ranks, "helioray.torch.Field: ranks")
        if self.ranks and not (torch.distributed.is_available() and torch.distributed.is_initialized()):
            raise input_error("helioray.torch.Field: ranks", "there is no group of processes", "each of them traces a share",
                              "call torch.distributed.init_process_group() first")
        learnt = _names(parameters)
        by_motors = made.motor_positions.isfinite().all(1) & (made.target_index >= 0)
        if not by_motors.any() and {"drives", "motor_positions"} & learnt:
            raise input_error("helioray.torch.Field: parameters", "no heliostat is turned by motor positions", "drives have no influence on aim points",
                              "set aim.heliostats.<name>.motor_positions")
        base = torch.eye(4, dtype=torch.float64).repeat(len(made.heliostats), 1, 1)
        base[:, :3, 3] = made.parameters[:, :3]
        with _convert_refusals("helioray.torch.Field"):
            self._field = torch.classes.helioray.Field(made.config, made.targets, made.target_index, _placed(base, device))
            if indices := _indices(devices):
                self._field.set_devices(indices)
            self._learnt_mirrors = self._set_mirrors("surfaces" in learnt)
        self._rows = [(kind, turned, rows) for kind in sorted(set(made.kinematics)) for turned, chosen in ((False, ~by_motors), (True, by_motors))
                      if len(rows := _find_rows(made, kind, chosen))]
        values = {"aim_points": made.aim_points, "kinematics": made.parameters, "drives": made.drives, "motor_positions": made.motor_positions,
                  "optics": self._field.optics()}
        if self._learnt_mirrors is not None:
            values["surfaces"] = self._learnt_mirrors.rows
        for name, value in values.items():
            if name in learnt:
                self.register_parameter(name, torch.nn.Parameter(value.clone()))
            else:
                self.register_buffer(name, value.clone())
        self._shapes = {name: tuple(value.shape) for name, value in values.items()}
        self.register_buffer("sun", made.sun)
        self.register_buffer("_base", base)

    def _set_mirrors(self, learnt: bool) -> Mirrors | None:
        """Sets all mirrors of the field. Those that are optimized come last, because gradients refer to the last ones."""
        splines = [group for group in self.tensors.mirrors if group.degrees is not None]
        if learnt and len(splines) != 1:
            raise input_error("helioray.torch.Field: parameters", "surfaces are the control points of B-spline mirrors of one size",
                              f"the plant has {len(splines)} kinds of them", "leave surfaces out")
        for group in sorted(self.tensors.mirrors, key=lambda group: group.degrees is not None):
            if group.degrees is None:
                self._field.set_facets(group.rows, heliostats=group.heliostats)
            else:
                self._field.set_control_points(group.rows, list(group.degrees), heliostats=group.heliostats)
        return splines[-1] if learnt else None

    @property
    def map_names(self) -> list[str]:
        """Names of the maps of the flux: those of tensors.target_names; if surfaces of receivers reflect light, then the names of these surfaces with
        ", incident", for the light that meets them before absorption."""
        names = list(self.tensors.target_names)
        # Either no surface of receivers has a second map, or all of them, which are the last targets.
        incident: int = self._field.flux_shape()[0] - len(names)
        return names + [f"{name}, incident" for name in names[len(names) - incident:]]

    @property
    def energy_terms(self) -> list[str]:
        """Names of the columns of energy: the first one, solar_power, is the sum of the others."""
        terms: list[str] = self._field.energy_terms()
        return terms

    def power(self, flux: Any) -> Any:
        """Returns the power on each map [T] in W for the flux of a call: the sum over the pixels times their area, with the gradient of the flux."""
        areas, shape = self._field.pixel_areas(), self._field.flux_shape()
        if not isinstance(flux, torch.Tensor) or list(flux.shape) != shape or not flux.is_floating_point():
            found = f"a tensor of {flux.dtype}, shape {list(flux.shape)}," if isinstance(flux, torch.Tensor) else describe(flux)
            raise input_error("helioray.torch.Field: power", f"{found} is no flux of this field", f"its shape is {shape}: maps, height, width",
                              "give it what the field returned")
        return flux.sum((1, 2)) * areas.to(flux.device)

    def orientations(self, sun: Any = None) -> Any:
        """Returns the transforms [N, 4, 4] from the mirror frames to east-north-up, differentiable. sun: direction [3] to the sun; None: that of the
        configuration."""
        to_sun = self._to_sun(sun)
        self._check_members()
        with _convert_refusals("helioray.torch.Field"):
            return self._oriented(to_sun)

    def _oriented(self, to_sun: Any) -> Any:
        result = self._base
        for kind, turned, rows in self._rows:
            if turned:
                own = self._operators.orient(self.kinematics[rows], self.motor_positions[rows], self.drives[rows], kind)
            else:
                own = self._operators.align(self.kinematics[rows], to_sun, self.aim_points[rows], kind)
            result = result.index_copy(0, rows, own)
        return result

    def _check_members(self) -> None:
        """Raises InputError if the form of a parameter or buffer has changed since the field was created, by half() or by assignment of another tensor."""
        for name, shape in self._shapes.items():
            check_form(getattr(self, name), f"helioray.torch.Field: {name}", shape, (torch.float64,))

    def _to_sun(self, sun: Any) -> Any:
        if sun is None and self.sun is None:
            raise input_error("helioray.torch.Field", "the sun has no position", "", "give field(sun=...) a direction to the sun, or sun=(180, 45) "
                              "to the field")
        if sun is None:
            return self.sun
        if isinstance(sun, torch.Tensor):
            if sun.shape != (3,):
                raise input_error("helioray.torch.Field: sun", f"a tensor of shape {list(sun.shape)} is no direction", "",
                                  "give a direction to the sun: east, north, up")
            return check_form(sun, "helioray.torch.Field: sun", (3,), (*FLOATS, torch.int64, torch.int32)).to(torch.float64)
        return torch.tensor(several(sun, 3, "helioray.torch.Field: sun", "give a direction to the sun: east, north, up"), dtype=torch.float64)

    def forward(self, sun: Any = None) -> tuple[Any, Any]:
        """Returns flux [T, H, W] in W/m2 and energy [N, E] in W. sun: direction [3] to the sun, of any length; None: that of the configuration."""
        to_sun = self._to_sun(sun)
        part = [torch.distributed.get_rank(), torch.distributed.get_world_size()] if self.ranks else [0, 1]
        self._check_members()
        with _convert_refusals("helioray.torch.Field"):
            flux, energy = self._operators.trace_field(self._field, self._oriented(to_sun), self.surfaces if self._learnt_mirrors is not None else None,
                                                       to_sun, self.optics, part, self.edge_reach)
        energy = energy.detach()
        if self.ranks:
            flux = _SumOverRanks.apply(flux, self._field.flux_per_quantum().to(flux.device))
            energy = _sum_over_ranks(energy)
        return flux, energy

    def __reduce__(self) -> NoReturn:
        raise TypeError("a helioray.torch.Field cannot be pickled, because its rays are traced by an object of this process; save state_dict() and "
                        "field.tensors, make the field from the tensors again and call load_state_dict()")

    def learnt(self) -> Tensors:
        """Returns the tensors with the present values of the parameters; .plant() and .aim convert them to a plant."""
        mirrors = [dataclasses.replace(group, rows=self.surfaces.detach().clone()) if group is self._learnt_mirrors else group
                   for group in self.tensors.mirrors]
        return dataclasses.replace(self.tensors, parameters=self.kinematics.detach().clone(), drives=self.drives.detach().clone(),
                                   aim_points=self.aim_points.detach().clone(), motor_positions=self.motor_positions.detach().clone(), mirrors=mirrors)


def _indices(devices: Any) -> list[int]:
    """Returns the indices of CUDA devices as a list."""
    where, advice = "helioray.torch.Field: devices", "give a list of indices such as [0, 1]"
    if isinstance(devices, str) or not isinstance(devices, Iterable):
        raise input_error(where, f"{describe(devices)} is not a list", "", advice)
    indices = list(devices)
    for index in indices:
        if isinstance(index, bool) or not isinstance(index, int):
            raise input_error(where, f"{describe(index)} is not an index of a CUDA device", "", advice)
    return indices


def _placed(base: Any, device: Any) -> Any:
    """Returns base on the device that traces the rays."""
    where, advice = "helioray.torch.Field: device", "give cpu or cuda; devices=[0, 1] traces on several CUDA devices"
    try:
        placed = base.to(device)
    except (RuntimeError, AssertionError, TypeError) as error:
        if isinstance(error, torch.OutOfMemoryError):
            raise
        raise input_error(where, f"{describe(device)} cannot be used", str(error).partition("\n")[0], advice) from None
    if placed.device.type not in ("cpu", "cuda") or placed.dtype != base.dtype:
        raise input_error(where, f"no rays are traced on {describe(device)}", "", advice)
    return placed


def _names(parameters: str | Iterable[str]) -> set[str]:
    names = [parameters] if isinstance(parameters, str) else parameters
    if not isinstance(names, (Sequence, set, frozenset)):
        raise input_error("helioray.torch.Field: parameters", f"{describe(parameters)} is no list of names", "", f"choose of {', '.join(PARAMETERS)}")
    for name in names:
        if name not in PARAMETERS:
            raise input_error("helioray.torch.Field: parameters", f"{describe(name)} is unknown", "", _core.suggest(describe(name), list(PARAMETERS)))
    return set(names)


def _find_rows(made: Tensors, kind: str, chosen: Any) -> Any:
    """Returns the active heliostats of a kind among the chosen ones."""
    same = torch.tensor([kinematics == kind for kinematics in made.kinematics])
    return torch.nonzero(same & chosen & (made.target_index >= 0)).flatten()
