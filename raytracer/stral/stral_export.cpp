// SPDX-License-Identifier: MIT
// Heliostats of a scenario as STRAL files.
#include "raytracer/stral/stral_export.h"

#include "raytracer/surface/surface.h"
#include "scenario/vector_math.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

std::vector<Vec3> rows(const at::Tensor& tensor) {
    const at::Tensor dense = tensor.contiguous();
    const double* values = dense.data_ptr<double>();
    std::vector<Vec3> list(static_cast<size_t>(dense.size(0)));
    for (size_t i = 0; i < list.size(); ++i) {
        list[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
    }
    return list;
}

void name_what_is_lost(const Heliostat& heliostat, std::vector<std::string>& report) {
    const KinematicsDeviations& d = heliostat.kinematics->deviations;
    const bool offsets =
        d.first_joint_translation != Vec3{} || d.second_joint_translation != Vec3{} ||
        d.concentrator_translation[0] != 0.0 || d.concentrator_translation[2] != 0.0;
    const bool tilts = d.first_joint_tilt_n != 0.0 || d.first_joint_tilt_u != 0.0 ||
                       d.second_joint_tilt_e != 0.0 || d.second_joint_tilt_n != 0.0;
    if (offsets)
        report.push_back("offsets of the joints left out: the format has no place for them");
    if (tilts) report.push_back("tilts of the axes left out: the format has no place for them");
    report.push_back("drives left out: the format has no place for them");
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
    const at::Tensor cells = evaluation_grid(points, points, 0.5 / static_cast<double>(points));
    for (const Facet& facet : facets) {
        const SurfacePoints samples = evaluate_facet(facet, frame, cells);
        StralFacet out;
        out.translation = facet.translation;
        out.canting_e = facet.canting_e;
        out.canting_n = facet.canting_n;
        out.points = rows(samples.points);
        out.normals = rows(samples.normals);
        const std::vector<Vec3> u = rows(samples.tangent_u), v = rows(samples.tangent_v);
        for (size_t i = 0; i < u.size(); ++i) {
            out.weights.push_back(norm(cross(u[i], v[i])) / static_cast<double>(u.size()));
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
