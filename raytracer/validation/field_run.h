// SPDX-License-Identifier: MIT
// A scene as records and work units for the kernels, to time them without all around.
#pragma once

#include "kernels/trace_types.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/plan.h"
#include "raytracer/validation/scene.h"

#include <cstdint>
#include <vector>

namespace helioray::validation {

class FieldRun {
  public:
    /// Aligns and plans the scene. The scene must outlive the run.
    explicit FieldRun(const Scene& scene);

    int64_t num_rays() const { return num_rays_; }

    /// Replays all rays for the derivatives of a loss with gradient 1 in every pixel. Returns the
    /// sum of quanta that the target holds, as the backward pass finds it.
    double backward(int num_threads) const;

  private:
    std::vector<physical::AimedHeliostat> aimed_;
    physical::Plan plan_;
    physical::Field field_;
    int64_t num_rays_ = 0;
};

}  // namespace helioray::validation
