// SPDX-License-Identifier: MIT
// Mirrors of a field from tensors; those whose tensors did not change are not made again.
#pragma once

#include "raytracer/operators/content_key.h"
#include "raytracer/physical/field.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::operators {

/// Control points of mirrors, [M, F, nu, nv, 3] float64 on the CPU: mirror frame, canting included.
class MirrorPoints {
  public:
    /// Reads all of them once.
    MirrorPoints(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees);

    /// What the points of a mirror mean.
    struct Layout {
        int64_t num_facets = 0;
        std::array<int64_t, 2> points{};
        std::array<int64_t, 2> degrees{};

        int64_t facet_size() const { return 3 * points[0] * points[1]; }
        int64_t mirror_size() const { return num_facets * facet_size(); }
        bool operator==(const Layout&) const = default;
    };
    const Layout& layout() const { return layout_; }
    size_t num_mirrors() const { return keys_.size(); }
    const double* of(size_t mirror) const {
        return values_ + static_cast<int64_t>(mirror) * layout_.mirror_size();
    }
    const std::vector<ContentKey>& keys() const { return keys_; }

  private:
    at::Tensor tensor_;
    const double* values_ = nullptr;
    Layout layout_;
    std::vector<ContentKey> keys_;
};

/// What the tracer needs to know of mirrors (areas, sampling tables, shapes), kept up to date with
/// the control points they are made of.
///
/// Content decides, not a tensor's identity or version: changes through .data, NumPy views and raw
/// pointers leave no trace there and would end in wrong maps. Reading 19 MB (2,000 mirrors of four
/// facets with 10 x 10 control points) takes about a millisecond.
class Mirrors {
  public:
    /// shapes: for shading or blocking. Returns the rows whose records are new, ascending. Throws
    /// c10::Error for values that are not finite, InputError for a facet without area; then nothing
    /// has changed.
    std::vector<size_t> update(const MirrorPoints& points, bool shapes);

    /// How many of the mirrors would not be made again.
    size_t num_known(const MirrorPoints& points) const;

    /// By row of the control points.
    const std::vector<physical::MirrorRecords>& records() const { return records_; }
    /// Doubles that they are made of.
    int64_t num_values() const { return std::ssize(records_) * layout_.mirror_size(); }

  private:
    bool is_known(const MirrorPoints& points, size_t row) const;

    MirrorPoints::Layout layout_;
    std::vector<physical::MirrorRecords> records_;
    std::vector<ContentKey> keys_;  ///< of the control points of each
};

}  // namespace helioray::operators
