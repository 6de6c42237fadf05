// SPDX-License-Identifier: MIT
// Layout of the published field: rings about the tower.
#include "app/validation/published_field.h"

#include "scenario/files/units.h"

#include <cmath>

namespace helioray::validation {

namespace {

/// Heliostats at angles +-k * step from north; k = first, first + stride, ... last.
struct Ring {
    double radius;  ///< metres
    double step;    ///< degrees
    int first, last, stride;
    std::vector<int> list = {};  ///< replaces the sequence if not empty
};

const Ring kRings[] = {
    {46.500000, 8.646497, 0, 8, 2},
    {60.642136, 6.650838, 0, 12, 2},
    {80.642136, 7.068858, 1, 11, 2},
    {90.642136, 7.068858, 0, 10, 2},
    {100.642136, 7.068858, 1, 11, 2},
    {114.784271, 4.979034, 1, 15, 2},
    {128.926407, 4.979034, 0, 14, 2},
    {141.367670, 4.979034, 1, 15, 2},
    {153.808933, 4.979034, 0, 14, 2},
    {168.263897, 4.979034, 1, 13, 2},
    {182.718860, 3.132609, 0, 0, 0, {1, 3, 7, 9, 13, 15, 19}},
    {199.566038, 3.132609, 0, 22, 2},
    {216.413215, 3.132609, 1, 21, 2},
    {236.093755, 3.132609, 0, 22, 2},
    {255.774294, 2.238951, 0, 0, 0, {2, 4, 6, 10, 12, 16, 18, 20, 24, 26}},
    {278.803533, 2.238951, 1, 29, 2},
    {301.832772, 2.238951, 0, 28, 2},
    {328.813731, 2.238951, 1, 27, 2},
    {355.794690, 1.609937, 0, 0, 0, {3, 5, 9, 11, 13, 17, 19, 23, 25, 27, 31, 33}},
    {387.433864, 1.609937, 0, 36, 2},
    {419.073038, 1.609937, 1, 33, 2},
    {456.198895, 3.219874, 0, 15, 1},
    {493.324752, 1.161262, 0, 0, 0, {1, 7, 9, 13, 15, 21, 23, 29, 35}},
    {536.909429, 1.161262, 0, 32, 2},
    {580.494106, 1.161262, 0, 0, 0, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 25}},
};

/// One heliostat of the last ring has no counterpart on the other side.
constexpr double kLastRadius = 580.494106, kLastAngle = -21 * 1.161262;

Vec3 place(double radius, double degrees) {
    return {radius * std::sin(degrees * kRadiansPerDegree),
            radius * std::cos(degrees * kRadiansPerDegree),
            0.0};
}

}  // namespace

std::vector<Vec3> published_positions() {
    std::vector<Vec3> positions;
    const auto add = [&](const Ring& ring, int k) {
        positions.push_back(place(ring.radius, k * ring.step));
        if (k != 0) positions.push_back(place(ring.radius, -k * ring.step));
    };
    for (const Ring& ring : kRings) {
        for (const int k : ring.list) add(ring, k);
        if (!ring.list.empty()) continue;
        for (int k = ring.first; k <= ring.last; k += ring.stride) add(ring, k);
    }
    positions.push_back(place(kLastRadius, kLastAngle));
    return positions;
}

PlanarTarget published_receiver() {
    return {{0.0, 0.0, 62.0}, {0.0, 1.0, 0.0}, 8.0, 6.0};
}

Scene published_scene(const std::vector<Vec3>& positions,
                      const SunAngles& sun,
                      const SunShape& sun_shape) {
    std::vector<Mirror> mirrors;
    for (const Vec3& position : positions) {
        Mirror mirror;
        mirror.position = position;
        mirrors.push_back(mirror);
    }
    return make_scene(mirrors, published_receiver(), sun, sun_shape, GaussianShape{2.0 * kMrad});
}

SunAngles published_noon() {
    return sun_at(180.0, 12.0);
}

SunAngles published_morning() {
    return sun_at(76.0, 68.0);
}

}  // namespace helioray::validation
