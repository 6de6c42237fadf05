// SPDX-License-Identifier: MIT
// Two mirrors that shade and block each other, and a scene that is rotated as a whole.
#include "app/validation/measure.h"
#include "app/validation/published_field.h"
#include "app/validation/validate.h"
#include "scenario/files/units.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>

namespace helioray::validation {

namespace {

/// Rectangle in a mirror's plane, metres from its centre, along its horizontal and its other axis.
struct Rectangle {
    double left, right, low, high;

    double area() const { return std::max(0.0, right - left) * std::max(0.0, high - low); }
};

Rectangle overlap(const Rectangle& a, const Rectangle& b) {
    return {std::max(a.left, b.left),
            std::min(a.right, b.right),
            std::max(a.low, b.low),
            std::min(a.high, b.high)};
}

constexpr double kSize = 10.0;

/// Returns the part of the first mirror that a parallel mirror displaced by `offset` hides along a
/// direction; normal and direction lie in the meridian.
Rectangle hidden(const Vec3& offset, const Vec3& direction, const Vec3& normal) {
    const Vec3 up = cross(normal, {-1.0, 0.0, 0.0});
    const Vec3 shift = add_scaled(offset, -dot(offset, normal) / dot(direction, normal), direction);
    const double x = shift[0], y = dot(shift, up), half = 0.5 * kSize;
    return overlap({-half, half, -half, half}, {x - half, x + half, y - half, y + half});
}

void parallel_mirrors(Study& study) {
    // Two flat mirrors are parallel if their aim points are displaced like the mirrors. The second
    // one is south of the first, towards both sun and tower.
    const Vec3 offset{3.0, -12.0, 0.0};
    const PlanarTarget target{{0.0, -300.0, 100.0}, {0.0, 1.0, 0.0}, 60.0, 60.0};
    Mirror first;
    first.shape = FacetShape::flat;
    Mirror second = first;
    second.position = offset;
    Scene scene =
        make_scene({first, second}, target, sun_at(180.0, 60.0), CollimatedShape{}, NoError{});
    scene.config.aim.heliostats[mirror_name(1)].point = add(target.center, offset);
    scene.config.tracing.shading = true;
    scene.config.tracing.blocking = true;
    const RunResult result = study.trace(scene);

    const Vec3 sun{0.0, -std::sin(60.0 * kRadiansPerDegree), std::cos(60.0 * kRadiansPerDegree)};
    const Vec3 beam = normalized(target.center);
    const Vec3 normal = normalized(add(sun, beam));
    const Rectangle shaded = hidden(offset, sun, normal);
    const Rectangle blocked = hidden(offset, beam, normal);
    const double area = kSize * kSize;
    const double incident = 1e-3 * 1000.0 * area * dot(sun, normal);
    const auto rays = static_cast<double>(study.rays_per_heliostat(2));
    const auto row = [&](const char* quantity, double hidden_area, double watts) {
        const double share = hidden_area / area;
        const double error = incident * std::sqrt(share * (1.0 - share) / rays);
        study.compare(quantity,
                      "kW",
                      incident * share,
                      "areas of polygons",
                      1e-3 * watts,
                      error,
                      four_sigma(error, 1e-5, incident));
    };
    row("shading loss behind", shaded.area(), result.heliostats[0].energy.shading_loss);
    row("blocking loss behind",
        blocked.area() - overlap(shaded, blocked).area(),
        result.heliostats[0].energy.blocking_loss);
    row("shading loss in front", 0.0, result.heliostats[1].energy.shading_loss);
    row("blocking loss in front", 0.0, result.heliostats[1].energy.blocking_loss);
}

void turned_scene(Study& study) {
    const Vec3 position{252.5, 118.1, 0.0};
    const auto power = [&](double turn) {
        const double c = std::cos(turn), s = std::sin(turn);
        Mirror mirror;
        mirror.position = {
            position[0] * c + position[1] * s, position[1] * c - position[0] * s, 0.0};
        PlanarTarget target = published_receiver();
        target.normal = {s, c, 0.0};
        SunAngles sun = published_noon();
        sun.azimuth += turn;
        const RunResult result = study.trace(make_scene(
            {mirror}, target, sun, PillboxShape{4.65 * kMrad}, GaussianShape{2.0 * kMrad}));
        return power_kw(result.targets.front());
    };
    const Estimate here = power(0.0), turned = power(37.0 * kRadiansPerDegree);
    const double error = std::hypot(here.std_error, turned.std_error);
    study.compare("power on target, turned by 37 degrees",
                  "kW",
                  here.value,
                  "identity",
                  turned.value,
                  error,
                  4.0 * error);
}

}  // namespace

std::vector<Case> scene_cases() {
    return {
        {"M12", "two parallel flat mirrors: shading and blocking", parallel_mirrors},
        {"M13", "the whole scene turned about the vertical", turned_scene},
    };
}

}  // namespace helioray::validation
