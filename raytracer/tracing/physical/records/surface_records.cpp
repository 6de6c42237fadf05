// SPDX-License-Identifier: MIT
// Builds the kernels' records of facets and surfaces, and stores a field's facets.
#include "raytracer/tracing/physical/records/surface_records.h"

#include "kernels/facet_area.h"
#include "kernels/host/parallel_for.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/records/facet_outlines.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace helioray::physical {

namespace {

/// Number of floats of the sampling tables of a B-spline.
constexpr size_t kTableFloats = size_t{2} * (kernels::kSamplingTableSize + 1);

/// Appends control points and space for sampling tables to `floats`.
void add_bspline(const Facet& facet, kernels::FacetRecord& record, std::vector<float>& floats) {
    for (size_t axis = 0; axis < 2; ++axis) {
        record.num_control_points[axis] = static_cast<int32_t>(facet.num_control_points[axis]);
        record.degrees[axis] = static_cast<int32_t>(facet.degrees[axis]);
    }
    record.control_points = static_cast<int64_t>(floats.size());
    floats.insert(floats.end(), facet.control_points.begin(), facet.control_points.end());
    record.sampling_tables = static_cast<int64_t>(floats.size());
    floats.resize(floats.size() + kTableFloats);
}

double add_analytic(const Facet& facet, kernels::FacetRecord& record) {
    const double half_extent[2] = {norm(facet.canting_e), norm(facet.canting_n)};
    for (int i = 0; i < 2; ++i) record.half_extent[i] = static_cast<float>(half_extent[i]);
    record.focal_length = static_cast<float>(facet.focal_length);
    if (has_outline(facet)) return outlined_area(facet);
    return kernels::analytic_area(record.kind, half_extent, facet.focal_length);
}

size_t num_floats(const Surface& surface) {
    size_t count = 0;
    for (const Facet& facet : surface.facets) {
        count += num_triangle_floats(facet.outline);
        if (facet.shape == FacetShape::bspline) count += facet.control_points.size() + kTableFloats;
    }
    return count;
}

/// Sets the frame of the facet relative to the mirror.
void set_frame(const Facet& facet, bool in_place, kernels::FacetRecord& record) {
    if (in_place) {
        for (size_t i = 0; i < 9; ++i) record.rotation[i] = i % 4 == 0 ? 1.0f : 0.0f;
        return;
    }
    const std::array<Vec3, 3> axes = canting_axes(facet);
    for (size_t i = 0; i < 3; ++i) {
        for (size_t k = 0; k < 3; ++k) record.rotation[3 * i + k] = static_cast<float>(axes[k][i]);
        record.translation[i] = static_cast<float>(facet.translation[i]);
    }
}

/// Returns the surface's records without areas and sampling tables, and sets the areas of analytic
/// facets.
FacetRecords records_without_areas(const Surface& surface, double* areas) {
    const bool fitted = surface.is_fitted();
    FacetRecords records;
    records.facets.reserve(surface.facets.size());
    records.floats.reserve(num_floats(surface));
    for (const Facet& facet : surface.facets) {
        kernels::FacetRecord& record = records.facets.emplace_back();
        record.kind = facet_kind(facet.shape);
        add_outline(facet.outline, record, records.floats);
        const bool bspline = facet.shape == FacetShape::bspline;
        if (bspline) {
            add_bspline(facet, record, records.floats);
        } else {
            *areas = add_analytic(facet, record);
        }
        ++areas;
        // Control points of fitted surfaces already contain canting and translation (ARTIST's
        // format).
        set_frame(facet, bspline && fitted, record);
    }
    return records;
}

/// Sets areas and the cumulative fractions of the area by which rays are distributed to facets.
void set_areas(const Surface& surface, std::span<const double> areas, FacetRecords& records) {
    for (size_t i = 0; i < areas.size(); ++i) {
        if (!(areas[i] > 0.0)) {
            throw InputError(Problem{fmt::format("surface/facets/{}", surface.facets[i].name),
                                     "the facet has no area",
                                     "no ray can start on it",
                                     "check its control points and canting vectors"});
        }
        records.facets[i].area = static_cast<float>(areas[i]);
        records.area += areas[i];
    }
    double sum = 0.0;
    for (size_t i = 0; i < areas.size(); ++i) {
        sum += areas[i];
        kernels::FacetRecord& record = records.facets[i];
        record.cumulative_area =
            i + 1 == areas.size() ? 1.0f : static_cast<float>(sum / records.area);
    }
}

/// Destination of the area and the sampling tables of a B-spline.
struct AreaPlace {
    double* area;
    float* tables;
};

void compute_areas(const SplineGroups<AreaPlace>& splines) {
    std::vector<double> areas;
    std::vector<float*> tables;
    splines.for_each([&](const kernels::SplineFacets& basis, auto control_points, auto places) {
        areas.resize(places.size());
        tables.clear();
        for (const AreaPlace& place : places) tables.push_back(place.tables);
        basis.areas_and_tables(control_points, areas.data(), tables.data());
        for (size_t i = 0; i < places.size(); ++i) *places[i].area = areas[i];
    });
}

}  // namespace

std::vector<FacetRecords> facet_records(std::span<const Surface* const> surfaces,
                                        const SplineBases& bases) {
    size_t num_facets = 0;
    for (const Surface* surface : surfaces) num_facets += surface->facets.size();
    std::vector<double> areas(num_facets);
    std::vector<FacetRecords> records;
    records.reserve(surfaces.size());
    SplineGroups<AreaPlace> splines(bases);
    double* area = areas.data();
    for (const Surface* surface : surfaces) {
        FacetRecords& own = records.emplace_back(records_without_areas(*surface, area));
        for (size_t i = 0; i < own.facets.size(); ++i, ++area) {
            const Facet& facet = surface->facets[i];
            if (facet.shape != FacetShape::bspline) continue;
            if (has_outline(facet)) {
                *area = outlined_area(facet);
            } else {
                splines.add(surface->facets[i],
                            {area, own.floats.data() + own.facets[i].sampling_tables});
            }
        }
    }
    compute_areas(splines);
    area = areas.data();
    for (size_t i = 0; i < surfaces.size(); ++i) {
        set_areas(*surfaces[i], {area, surfaces[i]->facets.size()}, records[i]);
        area += surfaces[i]->facets.size();
    }
    return records;
}

FacetRecords facet_records(const Surface& surface) {
    const Surface* const single = &surface;
    return std::move(facet_records({&single, 1}, SplineBases({&single, 1})).front());
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
        if (record.outline == kernels::FacetOutline::polygon) record.triangles += place.first_float;
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

namespace {

struct Missing {
    SurfaceRequest request;
    SurfaceRecords records;
};

/// Returns the number of surfaces that a thread computes at once. Facets of several surfaces fill
/// vector lanes, and few surfaces fit in a processor's cache. The number is smaller if threads
/// would otherwise be idle.
size_t surfaces_per_part(size_t num_surfaces, int num_threads) {
    constexpr size_t kMost = 8;
    const auto threads = static_cast<size_t>(std::max(1, num_threads));
    return std::clamp<size_t>((num_surfaces + threads - 1) / threads, 1, kMost);
}

/// Returns the surfaces for which a member of the request is set.
std::vector<Missing*> asked_for(std::span<Missing> missing, bool SurfaceRequest::*what) {
    std::vector<Missing*> chosen;
    for (Missing& surface : missing) {
        if (surface.request.*what) chosen.push_back(&surface);
    }
    return chosen;
}

std::vector<const Surface*> list_surfaces(const std::vector<Missing*>& chosen) {
    std::vector<const Surface*> surfaces;
    for (const Missing* surface : chosen) surfaces.push_back(surface->request.surface);
    return surfaces;
}

void compute(std::span<Missing> missing, const SplineBases& bases) {
    const std::vector<Missing*> facets = asked_for(missing, &SurfaceRequest::facets);
    std::vector<FacetRecords> records = facet_records(list_surfaces(facets), bases);
    for (size_t i = 0; i < facets.size(); ++i) facets[i]->records.facets = std::move(records[i]);
    const std::vector<Missing*> shaped = asked_for(missing, &SurfaceRequest::shape);
    std::vector<MirrorShape> shapes = mirror_shapes(list_surfaces(shaped), bases);
    for (size_t i = 0; i < shaped.size(); ++i) shaped[i]->records.shape = std::move(shapes[i]);
}

}  // namespace

void add_surface_records(const std::vector<SurfaceRequest>& requests,
                         KnownSurfaces& known,
                         int num_threads) {
    // Collect each surface once, with all its requests and its existing records.
    std::vector<Missing> missing;
    std::unordered_map<const Surface*, size_t> index;
    for (const SurfaceRequest& request : requests) {
        const auto found = known.find(request.surface);
        const bool has_facets = found != known.end() && found->second->facets.has_value();
        const bool has_shape = found != known.end() && found->second->shape.has_value();
        if ((has_facets || !request.facets) && (has_shape || !request.shape)) continue;
        const auto [place, is_new] = index.try_emplace(request.surface, missing.size());
        if (is_new) {
            missing.push_back({{request.surface, false, false}, {}});
            if (found != known.end()) missing.back().records = *found->second;
        }
        SurfaceRequest& wanted = missing[place->second].request;
        wanted.facets = wanted.facets || (request.facets && !has_facets);
        wanted.shape = wanted.shape || (request.shape && !has_shape);
    }

    std::vector<const Surface*> surfaces;
    for (const Missing& surface : missing) surfaces.push_back(surface.request.surface);
    const SplineBases bases(surfaces);
    const size_t part = surfaces_per_part(missing.size(), num_threads);
    parallel_for((missing.size() + part - 1) / part, num_threads, [&](size_t i) {
        const size_t first = i * part;
        compute(std::span(missing).subspan(first, std::min(part, missing.size() - first)), bases);
    });
    for (Missing& surface : missing)
        known[surface.request.surface] =
            std::make_shared<const SurfaceRecords>(std::move(surface.records));
}

}  // namespace helioray::physical
