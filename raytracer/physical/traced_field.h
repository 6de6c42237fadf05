// SPDX-License-Identifier: MIT
// The sums of a field that follow its changes: only light that may have changed is traced again.
#pragma once

#include "kernels/trace_flux.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/sums.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray::physical {

/// Keeps the share of each heliostat in the sums of a field, and replaces it in the total when its
/// light changes. Sums are integers, so the total is that of a field traced as a whole, bit for
/// bit.
///
/// A heliostat's share takes 20 bytes for each pixel that it lights. Not for several threads at
/// once.
class TracedField {
  public:
    /// Nothing is traced yet. The field must outlive this object, and keep its heliostats' rays
    /// apart (RayBudget::separate_heliostats, in one round): throws std::invalid_argument
    /// otherwise.
    explicit TracedField(const Field& field);

    /// Traces the light that an update of the field changed; every update must be passed on here,
    /// in order. The first call traces everything. Returns how many heliostats were traced. When it
    /// is cancelled the sums are those of no state of the field; the next call traces everything.
    size_t follow(const FieldUpdate& update, const kernels::CpuOptions& options);

    /// All sums as Field::sums_layout() places them: as a trace of the whole field would add them
    /// up.
    std::vector<int64_t> sums() const;

    /// Quanta of a target's pixels, [bitmap height * width].
    std::span<const int64_t> flux(size_t target) const;
    /// Quanta that a heliostat delivers, 0 where it is not traced.
    int64_t delivered(size_t heliostat) const;

  private:
    /// The share of one heliostat.
    struct Part {
        int32_t target = -1;  ///< -1: nothing
        std::array<int64_t, kernels::kNumEnergySums> energy{};
        int64_t power_square = 0;
        std::vector<int32_t> pixels;  ///< that hold anything
        std::vector<int64_t> flux;    ///< of these
        std::vector<int64_t> square;  ///< of these
    };

    int64_t num_pixels() const;
    void keep(Part& part, const kernels::HeliostatSums& sums) const;
    void add(const Part& part, int64_t sign);

    const Field& field_;
    bool is_complete_ = false;
    std::vector<Part> parts_;      ///< by heliostat
    std::vector<int64_t> flux_;    ///< [targets, pixels]
    std::vector<int64_t> square_;  ///< [targets, pixels]
};

}  // namespace helioray::physical
