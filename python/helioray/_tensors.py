# SPDX-License-Identifier: MIT
"""Plants as tensors of PyTorch. Needs PyTorch, unlike the rest of the package."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._input.calls import make_source, plant_core
from ._input.configuration import describe, input_error, word
from ._input.extras import load
from ._libtorch import require

if TYPE_CHECKING:
    from ._plant import Plant

require("helioray.torch")
torch: Any = load("torch", "helioray.torch")


def check_form(value: Any, where: str, shape: Sequence[int], types: Sequence[Any]) -> Any:
    """Returns the value if it is a tensor of this shape (-1: any size) and of one of the types. Raises InputError for anything else. The numbers are not checked."""
    if not isinstance(value, torch.Tensor):
        raise input_error(where, f"{describe(value)} is no tensor", "", "give a torch.Tensor")
    if value.layout != torch.strided or value.device.type == "meta":
        raise input_error(where, f"is on device {value.device} in layout {value.layout}", "its numbers cannot be read there", "give a dense tensor")
    if value.dim() != len(shape) or any(size not in (-1, found) for size, found in zip(shape, value.shape)):
        raise input_error(where, f"has shape {list(value.shape)}", f"{list(shape)} is needed" + (", -1 for any size" if -1 in shape else ""),
                          "begin with plant.tensors()")
    if value.dtype not in types:
        raise input_error(where, f"is of type {value.dtype}", "", f"convert it with .to({types[0]})")
    return value


FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@dataclasses.dataclass
class Mirrors:
    """Mirrors of one kind. rows has a row for each heliostat, or one that all share."""

    heliostats: Any  #: [M] int64, rows of the plant
    rows: Any  #: B-splines: control points [M or 1, F, nu, nv, 3] in the mirror's frame, metres; formulas: [M or 1, F, 11] in the order of set_facets()
    degrees: tuple[int, int] | None  #: degrees of B-splines; None: facets with formulas


@dataclasses.dataclass
class Tensors:
    """A plant in the form of the operators: float64, SI units, radians, east-north-up. Rows are the heliostats and targets of the plant."""

    origin: Plant  #: plant from which the tensors were created
    config: str  #: configuration of torch.classes.helioray.Field: sun's shape, optics, receivers, obstacles, apertures, rays, pixels
    heliostats: list[str]  #: names
    target_names: list[str]  #: names of the targets that stand alone, then of the surfaces of receivers
    kinematics: list[str]  #: rigid_body or azimuth_elevation for each heliostat
    parameters: Any  #: [N, 16] in the order of align() and orient()
    drives: Any  #: [N, 2, 7] in the order of orient()
    targets: Any  #: [L, 13] of those that stand alone, in the order of trace_flux()
    target_index: Any  #: [N] int64; -1: inactive
    aim_points: Any  #: [N, 3]
    motor_positions: Any  #: [N, 2]; NaN: the heliostat aims at its point
    sun: Any  #: [3] direction to the sun; None: the configuration names no position, or several
    mirrors: list[Mirrors]

    @property
    def aim(self) -> dict[str, Any]:
        """The value of the keyword aim with which helioray.trace() uses these aim points."""
        self._check(FLOATS)
        own: dict[str, Any] = {}
        for name, target, point, motors in zip(self.heliostats, self.target_index.tolist(), self.aim_points.tolist(), self.motor_positions.tolist()):
            if target < 0:
                own[name] = {"active": False}
            elif motors[0] == motors[0]:
                own[name] = {"target": self.target_names[target], "motor_positions": motors}
            else:
                own[name] = {"target": self.target_names[target], "point": point}
        return {"heliostats": own}

    def plant(self) -> Plant:
        """Returns the plant with these positions, kinematics, drives and surfaces; everything else comes from the origin. Unchanged numbers
        stay exactly equal. Raises InputError for numbers that are not valid in a scenario."""
        self._check(FLOATS)
        mirrors = [(mirrors.heliostats.tolist(), _array(mirrors.rows)) for mirrors in self.mirrors]
        return type(self.origin)(_core.with_tensors(self.origin._core, _array(self.parameters), _array(self.drives), mirrors))

    def _check(self, types: Sequence[Any]) -> None:
        """Raises InputError unless all members have their form, with numbers of one of the types."""
        take = "take it from plant.tensors()"
        if plant_core(self.origin) is None:
            raise input_error("tensors.origin", f"{describe(self.origin)} is no plant", "", take)
        word(self.config, "tensors.config")
        for member in ("heliostats", "target_names", "kinematics"):
            value = getattr(self, member)
            if not isinstance(value, Sequence) or not all(isinstance(text, str) for text in value):
                raise input_error(f"tensors.{member}", f"{describe(value)} is no list of texts", "", take)
        count, num_targets = len(self.heliostats), len(self.target_names)
        if len(self.kinematics) != count:
            raise input_error("tensors.kinematics", f"has {len(self.kinematics)} entries", f"there are {count} heliostats", take)
        for member, shape in (("parameters", (count, 16)), ("drives", (count, 2, 7)), ("targets", (-1, 13)), ("aim_points", (count, 3)),
                              ("motor_positions", (count, 2))):
            value = check_form(getattr(self, member), f"tensors.{member}", shape, types)
            # Heliostats without motor positions have NaN there, and so may drives that are not used.
            if member not in ("motor_positions", "drives") and not value.isfinite().all():
                raise input_error(f"tensors.{member}", "has NaN or infinite values", "", "check the numbers")
        if len(self.targets) > num_targets:
            raise input_error("tensors.targets", f"has {len(self.targets)} rows", f"the plant has {num_targets} targets", take)
        if self.sun is not None:
            check_form(self.sun, "tensors.sun", (3,), types)
        served = check_form(self.target_index, "tensors.target_index", (count,), (torch.int64,))
        if count and not -1 <= served.min() <= served.max() < num_targets:
            raise input_error("tensors.target_index", f"is from {served.min()} to {served.max()}", f"the plant has {num_targets} targets",
                              f"give -1 (inactive) to {num_targets - 1}")
        if not isinstance(self.mirrors, Sequence) or not all(isinstance(mirrors, Mirrors) for mirrors in self.mirrors):
            raise input_error("tensors.mirrors", f"{describe(self.mirrors)} is no list of Mirrors", "", take)
        for i, mirrors in enumerate(self.mirrors):
            where = f"tensors.mirrors[{i}]"
            check_form(mirrors.heliostats, f"{where}.heliostats", (-1,), (torch.int64,))
            if mirrors.degrees is not None and not (isinstance(mirrors.degrees, Sequence) and [type(degree) for degree in mirrors.degrees] == [int, int]):
                raise input_error(f"{where}.degrees", f"{describe(mirrors.degrees)} is no pair of degrees", "", take)
            check_form(mirrors.rows, f"{where}.rows", (-1, -1, 11) if mirrors.degrees is None else (-1, -1, -1, -1, 3), types)


def _array(value: Any) -> Any:
    return value.detach().to("cpu", torch.float64).contiguous().numpy()


def tensors(source: Any, keys: Mapping[str, Any], plant_class: type[Plant]) -> Tensors:
    """Returns the tensors of a plant or of a run configuration; see helioray.torch.tensors()."""
    traced = make_source(source, keys, "plant.tensors", first=["bitmap.filter=bilinear"])
    arrays = _core.tensors(traced)
    plant = plant_class(arrays["plant"])
    names = list(plant._core.heliostats()["name"])
    active = torch.from_numpy(arrays["active"])

    def spread(values: Any, empty: float) -> Any:
        whole = torch.full((len(names), *values.shape[1:]), empty, dtype=torch.from_numpy(values).dtype)
        return whole.index_copy(0, active, torch.from_numpy(values))
    return Tensors(
        origin=plant, config=arrays["config"], heliostats=names, target_names=list(arrays["target_names"]), kinematics=list(arrays["kinematics"]),
        parameters=torch.from_numpy(arrays["parameters"]), drives=torch.from_numpy(arrays["drives"]),
        targets=torch.from_numpy(arrays["targets"]),
        target_index=spread(arrays["served"], -1), aim_points=spread(arrays["aim_points"], 0.0),
        motor_positions=spread(arrays["motor_positions"], float("nan")), sun=None if arrays["sun"] is None else torch.from_numpy(arrays["sun"]),
        mirrors=[Mirrors(torch.from_numpy(group["heliostats"]), torch.from_numpy(group["control_points"] if "control_points" in group else group["facets"]),
                         group.get("degrees")) for group in arrays["mirrors"]])
