// SPDX-License-Identifier: MIT
// Facet records of a surface.
#include "raytracer/physical/facets.h"

#include "kernels/facet_area.h"
#include "raytracer/canting_frame.h"
#include "raytracer/surface/surface.h"
#include "scenario/error.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace helioray::physical {

namespace {

/// Appends control points and sampling tables to floats; returns the true area.
double add_bspline(const Facet& facet, kernels::FacetRecord& record, std::vector<float>& floats) {
    check_degrees(facet);
    record.kind = facet_kind(facet.shape);
    for (size_t axis = 0; axis < 2; ++axis) {
        record.num_control_points[axis] = static_cast<int32_t>(facet.num_control_points[axis]);
        record.degrees[axis] = static_cast<int32_t>(facet.degrees[axis]);
    }
    record.control_points = static_cast<int64_t>(floats.size());
    floats.insert(floats.end(), facet.control_points.begin(), facet.control_points.end());
    record.sampling_tables = static_cast<int64_t>(floats.size());
    floats.resize(floats.size() + size_t{2} * (kernels::kSamplingTableSize + 1));
    return kernels::bspline_area_and_tables(facet.control_points.data(),
                                            record.num_control_points[0],
                                            record.num_control_points[1],
                                            record.degrees[0],
                                            record.degrees[1],
                                            floats.data() + record.sampling_tables);
}

double add_analytic(const Facet& facet, kernels::FacetRecord& record) {
    const double half_extent[2] = {norm(facet.canting_e), norm(facet.canting_n)};
    record.kind = facet_kind(facet.shape);
    for (int i = 0; i < 2; ++i) record.half_extent[i] = static_cast<float>(half_extent[i]);
    record.focal_length = static_cast<float>(facet.focal_length);
    return kernels::analytic_area(record.kind, half_extent, facet.focal_length);
}

}  // namespace

kernels::FacetKind facet_kind(FacetShape shape) {
    switch (shape) {
        case FacetShape::bspline:
            return kernels::FacetKind::bspline;
        case FacetShape::flat:
            return kernels::FacetKind::flat;
        case FacetShape::paraboloid:
            return kernels::FacetKind::paraboloid;
        case FacetShape::sphere:
            return kernels::FacetKind::sphere;
    }
    throw std::logic_error("unknown shape of a facet");
}

FacetRecords facet_records(const Surface& surface) {
    const bool fitted = surface.is_fitted();
    FacetRecords records;
    std::vector<double> areas;
    for (const Facet& facet : surface.facets) {
        kernels::FacetRecord record{};
        const bool bspline = facet.shape == FacetShape::bspline;
        const double area =
            bspline ? add_bspline(facet, record, records.floats) : add_analytic(facet, record);
        if (!(area > 0.0)) {
            throw InputError(Problem{fmt::format("surface/facets/{}", facet.name),
                                     "the facet has no area",
                                     "no ray can start on it",
                                     "check its control points and canting vectors"});
        }
        // Control points of fitted surfaces already contain canting and translation (format of
        // ARTIST).
        if (bspline && fitted) {
            for (size_t i = 0; i < 9; ++i) record.rotation[i] = i % 4 == 0 ? 1.0f : 0.0f;
        } else {
            const std::array<Vec3, 3> axes = canting_axes(facet);
            for (size_t i = 0; i < 3; ++i) {
                for (size_t k = 0; k < 3; ++k)
                    record.rotation[3 * i + k] = static_cast<float>(axes[k][i]);
                record.translation[i] = static_cast<float>(facet.translation[i]);
            }
        }
        record.area = static_cast<float>(area);
        records.facets.push_back(record);
        areas.push_back(area);
        records.area += area;
    }

    // Shares of the area, by which rays are dealt to facets.
    double sum = 0.0;
    for (size_t i = 0; i < areas.size(); ++i) {
        sum += areas[i];
        kernels::FacetRecord& record = records.facets[i];
        record.area_fraction = static_cast<float>(areas[i] / records.area);
        record.cumulative_area =
            i + 1 == areas.size() ? 1.0f : static_cast<float>(sum / records.area);
    }
    return records;
}

FacetStore::Range FacetStore::acquire(const FacetRecords& records) {
    if (const auto known = places_.find(&records); known != places_.end()) {
        ++known->second.users;
        return known->second.range;
    }
    Place place;
    auto& unused = free_[{records.facets.size(), records.floats.size()}];
    if (!unused.empty()) {
        place = unused.back();
        unused.pop_back();
    } else {
        place.range.first = static_cast<int32_t>(facets_.size());
        place.range.count = static_cast<int32_t>(records.facets.size());
        place.first_float = static_cast<int64_t>(floats_.size());
        facets_.resize(facets_.size() + records.facets.size());
        floats_.resize(floats_.size() + records.floats.size());
    }
    place.users = 1;
    place.range.area = records.area;
    for (size_t i = 0; i < records.facets.size(); ++i) {
        kernels::FacetRecord record = records.facets[i];
        if (record.kind == kernels::FacetKind::bspline) {
            record.control_points += place.first_float;
            record.sampling_tables += place.first_float;
        }
        facets_[static_cast<size_t>(place.range.first) + i] = record;
    }
    std::copy(records.floats.begin(),
              records.floats.end(),
              floats_.begin() + static_cast<std::ptrdiff_t>(place.first_float));
    places_.emplace(&records, place);
    return place.range;
}

void FacetStore::release(const FacetRecords& records) {
    const auto known = places_.find(&records);
    if (--known->second.users > 0) return;
    free_[{records.facets.size(), records.floats.size()}].push_back(known->second);
    places_.erase(known);
}

}  // namespace helioray::physical
