// SPDX-License-Identifier: MIT
// The surfaces of all receivers of a plant in one frame, as records of the kernels.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <optional>
#include <span>
#include <vector>

namespace helioray::physical {

/// Returns the frame in which all surfaces of receivers are traced: along east, north and up, from
/// the mean of their centres. No value if no target belongs to a receiver.
std::optional<TargetFrame> receivers_frame(std::span<const Target> targets);

/// Returns the record of a surface. shape: its record as a target; index: index of its map. Its
/// optics absorb everything.
kernels::SurfaceRecord surface_record(const Target& target,
                                      const kernels::TargetRecord& shape,
                                      size_t index,
                                      const TargetFrame& shared);

/// Throws InputError if the maps of the surfaces have more pixels together than the kernels count.
void require_countable_pixels(int64_t num_maps, const BitmapConfig& bitmap);

/// Absorption and reflection at all surfaces, in the form that the kernels read.
class ReceiverOptics {
  public:
    /// Collects the optics of the targets that are surfaces of receivers.
    explicit ReceiverOptics(std::span<const Target> targets);

    /// Returns true if a surface absorbs a part of the light only.
    bool reflects() const { return reflects_; }
    /// Returns the optics of a surface.
    kernels::SurfaceOptics record(const Target& target) const;
    /// Returns the tables of absorptance, see kernels::FieldView::absorptance_tables.
    const std::vector<float>& tables() const { return tables_; }
    /// Returns kernels::FieldView::rays_per_carrier: so many that a carrier has hardly more power
    /// than a ray that comes from a mirror.
    int32_t rays_per_carrier() const;

  private:
    bool reflects_ = false;
    double least_absorptance_ = 1.0;            ///< at any angle, of surfaces that reflect
    std::vector<SurfaceAbsorption> tabulated_;  ///< optics by table
    std::vector<float> tables_;
};

}  // namespace helioray::physical
