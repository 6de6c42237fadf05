// SPDX-License-Identifier: MIT
// A Torch operator from C++: the normal of an aligned mirror halves the angle between sun and
// receiver.
#include "raytracer/operators/pose/align.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cstdio>

int main() {
    const at::Tensor parameters = at::zeros({1, 16}, at::kDouble);
    const at::Tensor sun = at::tensor({0.0, -1.0, 0.0}, at::kDouble);
    const at::Tensor aim_points = at::tensor({0.0, 0.0, 50.0}, at::kDouble).view({1, 3});
    const at::Tensor orientation = helioray::operators::align(
        parameters, sun, aim_points, helioray::KinematicsType::azimuth_elevation);
    const at::Tensor normal = orientation[0].select(1, 2);
    std::printf("normal %.6f %.6f %.6f\n",
                normal[0].item<double>(),
                normal[1].item<double>(),
                normal[2].item<double>());
    return 0;
}
