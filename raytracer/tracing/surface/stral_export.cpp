// SPDX-License-Identifier: MIT
// Converts heliostats of a scenario to STRAL files.
#include "raytracer/tracing/surface/stral_export.h"

#include "raytracer/tracing/surface/surface.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

void name_what_is_lost(const Heliostat& heliostat, std::vector<std::string>& report) {
    const KinematicsDeviations& d = heliostat.kinematics->deviations;
    const bool offsets =
        d.first_joint_translation != Vec3{} || d.second_joint_translation != Vec3{} ||
        d.concentrator_translation[0] != 0.0 || d.concentrator_translation[2] != 0.0;
    const bool tilts = d.first_joint_tilt_n != 0.0 || d.first_joint_tilt_u != 0.0 ||
                       d.second_joint_tilt_e != 0.0 || d.second_joint_tilt_n != 0.0;
    if (offsets)
        report.emplace_back("offsets of the joints left out: the format has no place for them");
    if (tilts) report.emplace_back("tilts of the axes left out: the format has no place for them");
    report.emplace_back("drives left out: the format has no place for them");
}

}  // namespace

StralFile stral_from_heliostat(const Heliostat& heliostat,
                               int64_t points,
                               std::vector<std::string>* report) {
    const std::vector<Facet>& facets = heliostat.surface->facets;
    StralFile file;
    file.position = heliostat.position;
    file.facet_grid = {static_cast<uint32_t>(facets.size()), 1};
    file.mirror_offset = heliostat.kinematics->deviations.concentrator_translation[1];
    const ControlPointFrame frame = control_point_frame(*heliostat.surface);
    const std::vector<FacetParameters> cells =
        evaluation_grid(points, points, 0.5 / static_cast<double>(points));
    for (const Facet& facet : facets) {
        if (facet.outline.kind != FacetOutlineKind::rectangle) {
            throw InputError(
                Problem{fmt::format("heliostats/{}/surface/facets/{}", heliostat.name, facet.name),
                        "the facet is not a rectangle",
                        "STRAL's format has rectangular facets only",
                        ""});
        }
        StralFacet out;
        out.translation = facet.translation;
        out.canting_e = facet.canting_e;
        out.canting_n = facet.canting_n;
        for (const FacetPoint& sample : evaluate_facet(facet, frame, cells)) {
            out.points.push_back(sample.point);
            out.normals.push_back(sample.normal);
            out.weights.push_back(norm(cross(sample.tangent_u, sample.tangent_v)) /
                                  static_cast<double>(cells.size()));
        }
        const double half_e = norm(facet.canting_e), half_n = norm(facet.canting_n);
        file.width = std::max(file.width, 2.0 * (std::abs(facet.translation[0]) + half_e));
        file.height = std::max(file.height, 2.0 * (std::abs(facet.translation[1]) + half_n));
        file.facets.push_back(std::move(out));
    }
    if (report) name_what_is_lost(heliostat, *report);
    return file;
}

}  // namespace helioray
