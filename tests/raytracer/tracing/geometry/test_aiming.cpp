// SPDX-License-Identifier: MIT
// Which target and which point heliostats aim at.
#include "raytracer/tracing/geometry/aiming.h"
#include "tests/support/catch2.h"

using namespace helioray;

namespace {

const Vec3 kCommon{1.0, 2.0, 3.0};
const Vec3 kOwn{4.0, 5.0, 6.0};

Scenario two_targets() {
    Scenario scenario;
    PlanarTarget near, far;
    near.center = {0.0, 0.0, 10.0};
    far.center = {0.0, 0.0, 20.0};
    scenario.targets = {{"near", near}, {"far", far}};
    for (const char* name : {"A", "B", "C"}) {
        Heliostat heliostat;
        heliostat.name = name;
        scenario.heliostats.push_back(heliostat);
    }
    return scenario;
}

HeliostatAim aim_at(const char* target) {
    HeliostatAim aim;
    aim.target = target;
    return aim;
}

}  // namespace

TEST_CASE("The common aim point belongs to the common target") {
    AimConfig config;
    config.target = "near";
    config.point = kCommon;
    config.heliostats["A"] = aim_at("far");
    config.heliostats["B"] = aim_at("near");
    const auto aims = resolve_aims(config, two_targets());
    REQUIRE(aims.size() == 3);
    CHECK(aims[0].target == 1);
    CHECK(aims[0].point == Vec3{0.0, 0.0, 20.0});
    // Naming the common target once more changes nothing.
    CHECK(aims[1].target == 0);
    CHECK(aims[1].point == kCommon);
    CHECK(aims[2].point == kCommon);
}

TEST_CASE("Without a common target the common aim point is that of all") {
    AimConfig config;
    config.point = kCommon;
    config.active = {"B", "A"};
    config.heliostats["A"] = aim_at("far");
    config.heliostats["B"] = aim_at("near");
    config.heliostats["B"].point = kOwn;
    const auto aims = resolve_aims(config, two_targets());
    REQUIRE(aims.size() == 2);
    CHECK(aims[0].heliostat == 0);
    CHECK(aims[0].target == 1);
    CHECK(aims[0].point == kCommon);
    CHECK(aims[1].target == 0);
    CHECK(aims[1].point == kOwn);
}

TEST_CASE("The direction of sunlight has any length") {
    for (const double length : {1e-200, 1.0, 700.0, 1e200}) {
        SunConfig sun;
        sun.position = SunIncidentDirection{{0.6 * length, 0.0, -0.8 * length}};
        const Vec3 to_sun = direction_to_sun(sun, {});
        CHECK(to_sun[0] == Approx(-0.6));
        CHECK(to_sun[1] == Approx(0.0).margin(1e-15));
        CHECK(to_sun[2] == Approx(0.8));
    }
}
