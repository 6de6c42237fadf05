// SPDX-License-Identifier: MIT
// WGS84 to east-north-up: ARTIST's numbers, and the exact transformation against its meaning.
#include "scenario/import/paint/paint.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace helioray;

namespace {

GeodeticPosition position(const nlohmann::json& numbers) {
    return {numbers[0].get<double>(), numbers[1].get<double>(), numbers[2].get<double>()};
}

double distance(const Vec3& a, const Vec3& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

TEST_CASE("geodesy: the linearisation gives ARTIST's numbers") {
    std::ifstream file(test::source_dir() + "/tests/data/vectors/coordinates.json");
    const auto data = nlohmann::json::parse(file)["wgs84_to_local_enu"];
    const GeodeticPosition origin = position(data["reference_lat_lon_alt"]);
    const auto& points = data["points_lat_lon_alt"];
    REQUIRE(points.size() == 5);
    for (size_t i = 0; i < points.size(); ++i) {
        const Vec3 enu = wgs84_to_enu_linear(position(points[i]), origin);
        for (size_t axis = 0; axis < 3; ++axis) {
            INFO("point " << i << " axis " << axis);
            CHECK(enu[axis] ==
                  Approx(data["enu_formula_evaluated_in_float64"][i][axis].get<double>())
                      .epsilon(0)
                      .margin(2e-8));
            CHECK(enu[axis] ==
                  Approx(data["enu_result_float32"][i][axis].get<double>()).epsilon(1e-6));
        }
    }
}

TEST_CASE("geodesy: the exact transformation keeps distances and sees the earth's curvature") {
    const GeodeticPosition origin{50.9, 6.4, 90.0};
    CHECK(distance(wgs84_to_enu_exact(origin, origin), {}) == 0.0);
    CHECK(distance(wgs84_to_enu_exact({50.9, 6.4, 190.0}, origin), {0, 0, 100}) < 1e-8);

    // Quarter of a meridian from the equator to the pole: known ends of the ellipsoid.
    const Vec3 pole = wgs84_to_enu_exact({90.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
    CHECK(distance(pole, {0.0, 6356752.314245, -6378137.0}) < 1e-6);
    const Vec3 east = wgs84_to_enu_exact({0.0, 90.0, 0.0}, {0.0, 0.0, 0.0});
    CHECK(distance(east, {6378137.0, 0.0, -6378137.0}) < 1e-6);

    // Distances do not depend on the origin.
    const GeodeticPosition a{50.91, 6.41, 100.0};
    const GeodeticPosition b{50.90, 6.38, 200.0};
    const GeodeticPosition far{-20.0, 130.0, 5.0};
    CHECK(distance(wgs84_to_enu_exact(a, origin), wgs84_to_enu_exact(b, origin)) ==
          Approx(distance(wgs84_to_enu_exact(a, far), wgs84_to_enu_exact(b, far))).epsilon(1e-9));
}

TEST_CASE("geodesy: both agree near the plant and differ by the sagitta far off") {
    const GeodeticPosition origin{50.913421122592574, 6.387824755874856, 87.0};
    const GeodeticPosition near{50.9136, 6.3880, 88.0};
    CHECK(distance(wgs84_to_enu_exact(near, origin), wgs84_to_enu_linear(near, origin)) < 1e-3);

    // 1.3 km: the surface falls away by d^2 / 2R = 0.13 m.
    const GeodeticPosition far{50.92342112, 6.39782475, 100.0};
    const double difference =
        wgs84_to_enu_linear(far, origin)[2] - wgs84_to_enu_exact(far, origin)[2];
    CHECK(difference == Approx(1316.0 * 1316.0 / 2 / 6.378e6).epsilon(0.02));
}
