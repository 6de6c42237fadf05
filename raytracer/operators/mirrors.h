// SPDX-License-Identifier: MIT
// Mirrors of a field from tensors; those whose tensors did not change are not made again.
#pragma once

#include "raytracer/operators/content_key.h"
#include "raytracer/physical/field.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray::operators {

/// A tensor that describes mirrors, one after the other. Reads all of it once.
class MirrorTensor {
  public:
    virtual ~MirrorTensor() = default;

    size_t num_mirrors() const { return keys_.size(); }
    /// Doubles of one mirror.
    int64_t mirror_size() const { return size_; }
    /// Of each mirror: equal keys, equal mirrors.
    const std::vector<ContentKey>& keys() const { return keys_; }
    /// Throws c10::Error for values that are not finite.
    Surface surface(size_t mirror) const;

  protected:
    /// rows: [M, ...] float64 on the CPU. layout: what else the mirrors depend on.
    MirrorTensor(const char* name, const at::Tensor& rows, std::span<const int64_t> layout);

  private:
    virtual Surface make_surface(const double* values) const = 0;

    const char* name_;  ///< for messages
    at::Tensor tensor_;
    const double* values_;
    int64_t size_;
    std::vector<ContentKey> keys_;
};

/// Control points, [M, F, nu, nv, 3]: metres, mirror frame, canting included.
class MirrorPoints : public MirrorTensor {
  public:
    MirrorPoints(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees);

  private:
    Surface make_surface(const double* values) const override;

    int64_t num_facets_;
    std::array<int64_t, 2> points_;
    std::array<int64_t, 2> degrees_;
};

/// Facets with formulas, [M, F, 11]: kind (see AnalyticKind), focal length, translation of the
/// centre 3, half extents along the facet's e edge 3 and its n edge 3, tilted by the canting;
/// metres, mirror frame.
class MirrorFormulas : public MirrorTensor {
  public:
    static constexpr int64_t kColumns = 11;

    explicit MirrorFormulas(const at::Tensor& facets);

  private:
    Surface make_surface(const double* values) const override;

    int64_t num_facets_;
};

/// First column of the facets of MirrorFormulas.
enum class AnalyticKind : int { flat = 0, paraboloid = 1, sphere = 2 };

/// What the tracer needs to know of each heliostat's mirror (areas, sampling tables, shapes), kept
/// up to date with tensors.
///
/// Content decides, not a tensor's identity or version: changes through .data, NumPy views and raw
/// pointers leave no trace there and would end in wrong maps. Reading 19 MB (2,000 mirrors of four
/// facets with 10 x 10 control points) takes about a millisecond.
class Mirrors {
  public:
    Mirrors() = default;
    explicit Mirrors(size_t num_heliostats) : records_(num_heliostats), keys_(num_heliostats) {}

    /// The mirrors of these heliostats: one for each, or one for all. shapes: for shading or
    /// blocking. Returns the heliostats that have other records than before. Throws c10::Error for
    /// values that are not finite, InputError for a facet without area; then nothing has changed.
    std::vector<size_t> update(const MirrorTensor& mirrors,
                               const std::vector<size_t>& heliostats,
                               bool shapes);

    /// How many of these heliostats would not get other records.
    size_t num_known(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) const;

    /// By heliostat; null until it got a mirror.
    const std::vector<physical::MirrorRecords>& records() const { return records_; }

  private:
    std::vector<physical::MirrorRecords> records_;
    std::vector<ContentKey> keys_;  ///< of what each was made of, and of who shares it
};

}  // namespace helioray::operators
