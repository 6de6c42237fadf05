// SPDX-License-Identifier: MIT
// Reports everything that ARTIST's model cannot trace, before any work.
#include "raytracer/artist/field.h"
#include "raytracer/artist/targets.h"
#include "scenario/types/bent_surface.h"

#include <cmath>
#include <set>
#include <stdexcept>

namespace helioray::artist {
namespace {

constexpr const char* kUsePhysical = "use tracing.model: physical";

using Problems = std::vector<Problem>;

void check_ranges(const Scenario& scenario, const ArtistRun& run) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(std::string("ArtistRun: ") + what);
    };
    for (const ArtistSample& sample : run.samples) {
        require(sample.heliostat < scenario.heliostats.size(), "heliostat index out of range");
        require(sample.target < scenario.targets.size(), "target index out of range");
        const Vec3& d = sample.incident_direction;
        require(std::abs(std::hypot(d[0], d[1], d[2]) - 1.0) <= 1e-4,
                "incident direction is not of unit length");
    }
    require(run.bitmap_width > 1 && run.bitmap_height > 1, "bitmaps need at least 2 x 2 pixels");
    require(run.surface_points_per_facet[0] > 0 && run.surface_points_per_facet[1] > 0,
            "surface points per facet must be positive");
    require(run.batch_size > 0, "batch size must be positive");
    require(!run.rays_per_point || *run.rays_per_point > 0, "rays per point must be positive");
    const auto num_rows = static_cast<int64_t>(run.samples.size());
    require(!run.rows || (0 <= run.rows->begin && run.rows->begin <= run.rows->end &&
                          run.rows->end <= num_rows),
            "row range outside the samples");
}

void check_sun(const Scenario& scenario, const ArtistRun& run, Problems& problems) {
    if (scenario.light_sources.empty()) {
        if (run.sun_shape && run.rays_per_point) return;
        problems.push_back(
            {"lightsources", "there is no light source", "it holds the sun's shape", ""});
    } else if (!run.sun_shape &&
               !std::holds_alternative<GaussianShape>(scenario.light_sources.front().shape)) {
        problems.push_back({"lightsources/" + scenario.light_sources.front().name,
                            "the sun's shape is not a normal distribution",
                            "ARTIST's model knows no other",
                            kUsePhysical});
    }
}

void check_targets(const Scenario& scenario, const ArtistRun& run, Problems& problems) {
    std::set<size_t> used;
    for (const ArtistSample& sample : run.samples) used.insert(sample.target);
    for (const size_t t : used) {
        const Target& target = scenario.targets[t];
        if (!is_known(target)) {
            problems.push_back({"target '" + target.name + "'",
                                "it is neither a plane nor a cylinder",
                                "ARTIST's model knows no other shapes",
                                kUsePhysical});
        }
        const auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry);
        if (!cylinder || cylinder->side == CylindricalTarget::Side::outer) continue;
        problems.push_back({"target_areas_cylindrical/" + target.name,
                            "the cylinder is lit from inside",
                            "ARTIST's model traces only the outer side",
                            kUsePhysical});
    }
}

// Checks that the splines can be evaluated and fit into one tensor with those of the group's first
// heliostat.
void check_surface(const Heliostat& heliostat, const Surface& first, Problems& problems) {
    const std::string where = "heliostats/" + heliostat.name + "/surface";
    const Surface& surface = *heliostat.surface;
    const auto complain = [&](const std::string& what, const std::string& why) {
        problems.push_back({where, what, why, kUsePhysical});
    };
    if (surface.facets.empty()) return complain("there are no facets", "nothing could reflect");
    if (surface.is_bent())
        return complain(find_rigidity_problem(surface), "ARTIST's model has rigid mirrors");
    if (surface.facets.size() != first.facets.size()) {
        return complain("the number of facets differs from that of " +
                            std::to_string(first.facets.size()) + " of the group's first heliostat",
                        "ARTIST's model needs equal numbers within a group");
    }
    const auto& size = first.facets.front().num_control_points;
    const auto& degrees = surface.facets.back().degrees;
    for (const Facet& facet : surface.facets) {
        if (facet.shape != FacetShape::bspline) {
            return complain("facet " + facet.name + " has no control points",
                            "ARTIST's model knows B-spline facets only");
        }
        if (facet.outline.kind != FacetOutlineKind::rectangle) {
            return complain("facet " + facet.name + " is not a rectangle",
                            "ARTIST's model knows rectangular facets only");
        }
        if (facet.num_control_points != size) {
            return complain("facet " + facet.name + " has another number of control points",
                            "ARTIST's model needs equal numbers within a group");
        }
        const auto& n = facet.num_control_points;
        if (degrees[0] < 1 || degrees[1] < 1 || n[0] <= degrees[0] || n[1] <= degrees[1] ||
            static_cast<int64_t>(facet.control_points.size()) != 3 * n[0] * n[1]) {
            return complain(
                "control points and degrees of facet " + facet.name + " do not fit together",
                "a B-spline needs more control points than its degree");
        }
    }
}

void check_blocking(const Scenario& scenario,
                    const Group& group,
                    const ArtistRun& run,
                    Problems& problems) {
    const char* advice = "set tracing.blocking to false, or use tracing.model: physical";
    std::set<size_t> seen;
    for (const size_t s : group.samples) {
        const size_t h = run.samples[s].heliostat;
        if (seen.insert(h).second) continue;
        problems.push_back({"heliostats/" + scenario.heliostats[h].name,
                            "the heliostat is active more than once",
                            "ARTIST's blocking allows each heliostat once (P31)",
                            advice});
    }
    const Heliostat& first = scenario.heliostats[group.heliostats.front()];
    if (first.surface->facets.size() != 4 ||
        run.surface_points_per_facet[0] != run.surface_points_per_facet[1]) {
        problems.push_back({"heliostats/" + first.name + "/surface",
                            "the facets are not four with square grids of surface points",
                            "ARTIST's blocking finds the mirrors' corners by position (P33)",
                            advice});
    }
}

}  // namespace

void check(const Scenario& scenario, const ArtistRun& run) {
    check_ranges(scenario, run);
    Problems problems;
    check_sun(scenario, run, problems);
    check_targets(scenario, run, problems);
    for (const Heliostat& heliostat : scenario.heliostats) {
        if (heliostat.kinematics->type != KinematicsType::rigid_body) {
            problems.push_back({"heliostats/" + heliostat.name + "/kinematics",
                                "the kinematics are azimuth_elevation",
                                "ARTIST's model knows rigid_body only",
                                kUsePhysical});
        }
        if ((*heliostat.actuators)[0].type != (*heliostat.actuators)[1].type) {
            problems.push_back({"heliostats/" + heliostat.name + "/actuator",
                                "the two actuators are of different types",
                                "ARTIST's model needs equal ones",
                                ""});
        }
    }
    for (const Group& group : make_groups(scenario, run)) {
        const Surface& first = *scenario.heliostats[group.heliostats.front()].surface;
        for (const size_t h : group.heliostats) {
            check_surface(scenario.heliostats[h], first, problems);
        }
        if (run.blocking) check_blocking(scenario, group, run, problems);
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace helioray::artist
