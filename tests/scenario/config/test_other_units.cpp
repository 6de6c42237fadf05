// SPDX-License-Identifier: MIT
// Values that are most likely in another unit than their key are a warning.
#include "scenario/sun/solar_position.h"
#include "tests/scenario/config/support.h"
#include "tests/support/golden_messages.h"

#include <string>
#include <vector>

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<std::string> warnings_with(const std::string& setting) {
    Overrides overrides;
    overrides.set = {setting};
    return parse(kSmallest, overrides).warnings;
}

}  // namespace

TEST_CASE("widths in rad and irradiance in kW/m2 warn with the value to give") {
    const auto [setting, text] = GENERATE(table<std::string, std::string>({
        {"optics.slope_error_mrad=0.0015",
         "0.0015 mrad is unusually small; if it is in rad, give 1.5"},
        {"optics.specularity_error={type: gaussian, sigma_mrad: 5e-4}",
         "0.0005 mrad is unusually small; if it is in rad, give 0.5"},
        {"optics.tracking_error_mrad=6e-4", "if it is in rad, give 0.6"},
        {"sun.shape={type: pillbox, half_angle_mrad: 0.00465}", "if it is in rad, give 4.65"},
        {"sun.shape={type: gaussian, sigma_mrad: 0.00209}", "if it is in rad, give 2.09"},
        {"sun.dni_w_m2=0.9", "0.9 W/m2 is unusually small; if it is in kW/m2, give 900"},
    }));
    const std::vector<std::string> warnings = warnings_with(setting);
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], ContainsSubstring(text));
    CHECK_THAT(warnings[0], ContainsSubstring(setting.substr(0, setting.find('='))));
}

TEST_CASE("angles of the sun in radians warn once") {
    check_message("configuration",
                  "the sun in radians",
                  warnings_with("sun={azimuth_deg: 3.1, elevation_deg: 0.8}").at(0),
                  {"sun.azimuth_deg", "radians", "177.617 and 45.8366"});
    const std::string list =
        "sun={positions: [{azimuth_deg: 3.1, elevation_deg: 0.8}, {azimuth_deg: 2.9, "
        "elevation_deg: 0.7}]}";
    const std::vector<std::string> warnings = warnings_with(list);
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], ContainsSubstring("sun.positions"));
    // One low sun in the north among others is no mistake.
    CHECK(warnings_with("sun={positions: [{azimuth_deg: 3.1, elevation_deg: 0.8}, {azimuth_deg: "
                        "180, elevation_deg: 45}]}")
              .empty());
}

TEST_CASE("usual values, zeros and the limits do not warn") {
    const std::string setting = GENERATE("optics.slope_error_mrad=0",
                                         "optics.slope_error_mrad=0.02",
                                         "optics.slope_error_mrad=1.5",
                                         "sun.dni_w_m2=2",
                                         "sun.shape={type: pillbox, half_angle_mrad: 4.65}",
                                         "sun={azimuth_deg: 0, elevation_deg: 1}",
                                         "sun={azimuth_deg: 6.3, elevation_deg: 1}",
                                         "sun={azimuth_deg: 3, elevation_deg: 1.6}",
                                         "sun={azimuth_deg: 180, elevation_deg: 1}");
    CHECK(warnings_with(setting).empty());
}

TEST_CASE("angles are unlikely up to a turn and a right angle in radians") {
    CHECK(unlikely_angles(6.28, 1.57));
    CHECK_FALSE(unlikely_angles(6.29, 1.57));
    CHECK_FALSE(unlikely_angles(6.28, 1.58));
    CHECK_FALSE(unlikely_angles(0.0, 1.0));
    CHECK_FALSE(unlikely_angles(3.0, 0.0));
    CHECK_FALSE(unlikely_angles(-3.0, 1.0));
}
