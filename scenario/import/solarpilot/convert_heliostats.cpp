// SPDX-License-Identifier: MIT
// Converts heliostat templates and their optics.
#include "scenario/import/solarpilot/conversion.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace helioray::solarpilot {

namespace {

enum class Focus { flat, slant, group, user };
enum class Canting { none, slant, user, day_and_hour, vector };

constexpr int kMostFacets = 100;  // in a direction

/// Converts outline, size and number of facets.
void convert_facets(const Instance& from, HeliostatTemplate& heliostat) {
    const bool is_round = from.choice<bool>("is_round", {{"Rectangular", false}, {"Round", true}});
    if (is_round) {
        heliostat.width = heliostat.height = from.length("diameter", 13.77);
        heliostat.outline.kind = FacetOutlineKind::round;
        return;
    }
    heliostat.width = from.length("width", 12.2);
    heliostat.height = from.length("height", 12.2);
    if (!from.flag("is_faceted", true)) return;
    heliostat.facets = {from.count("n_cant_x", 2, 1, kMostFacets),
                        from.count("n_cant_y", 8, 1, kMostFacets)};
    heliostat.facet_gap = {from.number("x_gap", "m", 0.0, 0.0, heliostat.width),
                           from.number("y_gap", "m", 0.0, 0.0, heliostat.height)};
    for (const auto& [gap, count, size, name] :
         {std::tuple(heliostat.facet_gap[0], heliostat.facets[0], heliostat.width, "x_gap"),
          std::tuple(heliostat.facet_gap[1], heliostat.facets[1], heliostat.height, "y_gap")})
        if (gap * static_cast<double>(count - 1) >= size)
            from.refuse(name, "gaps that take the whole mirror", "lower the gap");
}

void convert_focus(const Instance& from, HeliostatTemplate& heliostat) {
    switch (from.choice<Focus>("focus_method",
                               {{"At slant", Focus::slant},
                                {"Flat", Focus::flat},
                                {"Group average", Focus::group},
                                {"User-defined", Focus::user}})) {
        case Focus::slant:
            return;
        case Focus::flat:
            heliostat.facet_shape = FacetShape::flat;
            return;
        case Focus::group:
            from.refuse(
                "focus_method",
                "'Group average'",
                "choose 'At slant' or 'User-defined'; SolarPILOT does not compute it either");
            return;
        case Focus::user:
            const double along_x = from.length("x_focal_length", 1000.0);
            const bool is_equal = from.flag("is_focal_equal", true);
            heliostat.focal_lengths = {along_x,
                                       is_equal ? along_x : from.length("y_focal_length", 1000.0)};
            return;
    }
}

/// Returns the direction to the sun for which facets are canted.
Vec3 canting_sun(const Source& source, const Instance& from, const GeodeticPosition& site) {
    const int day = from.count("cant_day", 82, 1, 365);
    const double hour = 12.0 + from.number("cant_hour", "hr", 0.0, -12.0, 12.0);
    const SolarPosition sun = solar_position(time_text(source, day, hour), site);
    if (sun.elevation <= 0.0)
        from.refuse("cant_hour",
                    fmt::format("canting while the sun stands {:.1f} degrees below the horizon",
                                -sun.elevation * 180.0 / std::numbers::pi),
                    "choose an hour by day");
    return {std::cos(sun.elevation) * std::sin(sun.azimuth),
            std::cos(sun.elevation) * std::cos(sun.azimuth),
            std::sin(sun.elevation)};
}

/// Returns the point at which the normals of all facets meet, metres.
Vec3 canting_point(const Instance& from) {
    const Vec3 vector{from.number("cant_vect_i", "none", 0.0),
                      from.number("cant_vect_j", "none", 0.0),
                      from.number("cant_vect_k", "none", 1.0)};
    if (from.flag("is_cant_vect_slant", false))
        from.refuse("is_cant_vect_slant",
                    "a canting vector in units of the slant range",
                    "give its length in metres, or cant on axis at slant");
    if (vector[2] <= 0.0) {
        from.refuse("cant_vect_k", "a canting vector behind the mirror", "give a positive value");
        return {0, 0, 1};
    }
    return scaled(from.length("cant_vect_scale", 400.0), normalized(vector));
}

}  // namespace

HeliostatTemplate convert_heliostat(const Source& source,
                                    const Instance& from,
                                    const FieldTemplate& field) {
    HeliostatTemplate heliostat;
    convert_facets(from, heliostat);
    convert_focus(from, heliostat);
    for (const char* name : {"is_xfocus", "is_yfocus"})
        if (from.has(name) && !from.flag(name, true))
            from.remark(name, "is not used: both directions are focused, as SolarPILOT does it");
    heliostat.canting.reset();
    // A single facet is not canted.
    if (heliostat.facets[0] * heliostat.facets[1] == 1) return heliostat;
    switch (from.choice<Canting>("cant_method",
                                 {{"On-axis, user-defined", Canting::user},
                                  {"No canting", Canting::none},
                                  {"On-axis at slant", Canting::slant},
                                  {"Off-axis, day and hour", Canting::day_and_hour},
                                  {"User-defined vector", Canting::vector}})) {
        case Canting::none:
            break;
        case Canting::slant:
            heliostat.canting = OnAxisCanting{};
            break;
        case Canting::user: {
            const bool is_scaled = from.flag("is_cant_rad_scaled", true);
            const double radius = from.number("cant_rad_scaled", "none", 6.0, 1e-3, 1e5);
            heliostat.canting =
                OnAxisCanting{is_scaled ? radius * field.tower.optical_height : radius};
            break;
        }
        case Canting::day_and_hour:
            heliostat.canting =
                OffAxisCanting{canting_sun(source, from, field.site.value_or(GeodeticPosition{}))};
            break;
        case Canting::vector:
            heliostat.canting = PointCanting{canting_point(from)};
            break;
    }
    return heliostat;
}

ErrorShape MirrorOptics::error_shape(double width) const {
    if (width == 0.0) return NoError{};
    if (is_pillbox) return PillboxShape{width};
    return GaussianShape{width};
}

MirrorOptics convert_optics(const Instance& from) {
    const auto share = [&](const char* name, double fallback) {
        return from.number(name, "none", fallback, 0.0, 1.0);
    };
    const auto error = [&](const char* name, double fallback) {
        return from.number(name, "rad", fallback, 0.0, 0.1);
    };
    MirrorOptics optics;
    optics.reflectivity =
        share("reflectivity", 0.95) * share("soiling", 0.95) * share("reflect_ratio", 0.97);
    // SolarPILOT's errors along x and y as one about each tangent: the mean of the variances.
    const double normal =
        std::hypot(std::hypot(error("err_azimuth", 0.0), error("err_elevation", 0.0)),
                   std::hypot(error("err_surface_x", 0.00153), error("err_surface_y", 0.00153))) /
        std::numbers::sqrt2;
    const double ray = std::hypot(error("err_reflect_x", 0.0002), error("err_reflect_y", 0.0002)) /
                       std::numbers::sqrt2;
    optics.is_pillbox = from.choice<bool>("st_err_type", {{"Gaussian", false}, {"Pillbox", true}});
    optics.slope_error = normal;
    optics.specularity_error = ray;
    return optics;
}

}  // namespace helioray::solarpilot
