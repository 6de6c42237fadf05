// SPDX-License-Identifier: MIT
// Sums of a field that follow its changes: only light that may have changed is traced again.
#pragma once

#include "kernels/trace_flux.h"
#include "raytracer/tracing/physical/field.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray::physical {

/// Stores the contribution of each heliostat to the sums of a field, and replaces it in the total
/// when the heliostat's light changes. Sums are integers, so the total is equal to that of a field
/// traced as a whole, to the last bit.
///
/// A heliostat's contribution takes 20 bytes per pixel that it lights. Not thread-safe.
class TracedField {
  public:
    /// Creates empty sums. The field must outlive this object and must trace heliostats separately
    /// (RayBudget::separate_heliostats, in one round). Throws std::invalid_argument otherwise.
    explicit TracedField(const Field& field);

    /// Traces the light that an update of the field changed. Call it with every update, in order.
    /// The first call traces everything. Returns the number of traced heliostats. If it is
    /// cancelled, the sums are invalid until the next call, which traces everything.
    size_t follow(const FieldUpdate& update, const kernels::CpuOptions& options);

    /// Returns all sums in the layout of Field::sums_layout(), equal to those of a trace of the
    /// whole field.
    std::vector<int64_t> sums() const;

    /// Returns the quanta of a target's pixels, [bitmap height * width], or those of a map of
    /// incident light, which follow the targets in the order of Field::sums_layout().
    std::span<const int64_t> flux(size_t map) const;
    /// Returns the quanta that a heliostat delivers, 0 if it is not traced.
    int64_t delivered(size_t heliostat) const;

  private:
    /// Contribution of one heliostat.
    struct Part {
        int32_t target = -1;  ///< index of the target; -1 if there is no contribution
        std::array<int64_t, kernels::kNumEnergySums> energy{};
        int64_t power_square = 0;
        int64_t shielded = 0;
        std::array<int64_t, kernels::kNumReflectedSums> reflected{};
        std::vector<int64_t> surface_square;  ///< by map of the surfaces of receivers, or empty
        /// Indices of the lit pixels in the map of the target; for a surface of a receiver in the
        /// maps of all surfaces.
        std::vector<int32_t> pixels;
        std::vector<int64_t> flux;    ///< flux of these pixels, quanta
        std::vector<int64_t> square;  ///< squares of these pixels
    };

    int64_t num_pixels() const;
    bool is_surface(int32_t target) const { return field_.is_surface(static_cast<size_t>(target)); }
    void store(Part& part, const kernels::HeliostatSums& sums) const;
    void add(const Part& part, int64_t sign);

    const Field& field_;
    bool is_complete_ = false;
    std::vector<Part> parts_;            ///< contributions by heliostat
    std::vector<int32_t> surface_maps_;  ///< see kernels::surface_maps()
    std::vector<int64_t> flux_;          ///< [maps, pixels]
    std::vector<int64_t> square_;        ///< [maps, pixels]
};

}  // namespace helioray::physical
