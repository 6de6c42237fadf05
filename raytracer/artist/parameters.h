// SPDX-License-Identifier: MIT
// Kinematic and actuator parameters of the rows of one group, as ARTIST holds them after loading.
#pragma once

#include "scenario/types.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace helioray::artist {

/// All float32 on the CPU, one row per active sample; columns of the [N, 2] tensors are axis 1 and
/// axis 2.
struct Parameters {
    bool linear = false;        ///< linear or ideal actuators, the same for the whole group
    at::Tensor position;        ///< [N, 4] metres, last = 1
    at::Tensor translation;     ///< [N, 9] metres: first joint, second joint, concentrator
    at::Tensor rotation;        ///< [N, 4] radians: first joint n, u; second joint e, n
    at::Tensor clockwise;       ///< [N, 2] bool
    at::Tensor minimum;         ///< [N, 2] smallest motor position
    at::Tensor maximum;         ///< [N, 2]
    at::Tensor initial_angle;   ///< [N, 2] radians; linear: pi/2 is subtracted from axis 1
    at::Tensor initial_stroke;  ///< [N, 2] metres; linear only, like all below
    at::Tensor increment;       ///< [N, 2] steps per metre
    at::Tensor offset;          ///< [N, 2] metres
    at::Tensor pivot_radius;    ///< [N, 2] metres
};

/// Parameters of the named heliostats (indices into the scenario, repetition allowed).
/// Initial orientations have no influence (P10).
Parameters load_parameters(const Scenario& scenario, const std::vector<size_t>& heliostats);

/// The given rows of all tensors; index int64 [M].
Parameters select_rows(const Parameters& all, const at::Tensor& index);

}  // namespace helioray::artist
