// SPDX-License-Identifier: MIT
// Settings that cannot be computed are refused by name, never left out silently.
#include "scenario/config/checks/checks.h"
#include "tests/scenario/config/support.h"

#include <string>
#include <vector>

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<Problem> unsupported(const std::string& text) {
    try {
        check_supported(parse(text));
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

const std::string kPlain = kSmallest + "tracing: {shading: false, blocking: false}\n";
const std::string kArtist = kSmallest + "tracing: {model: artist}\n";

}  // namespace

TEST_CASE("plain configurations of both models are supported") {
    CHECK(unsupported(kPlain).empty());
    CHECK(unsupported(kPlain + "optics: {slope_error_mrad: 1.0, tracking_error_mrad: 0.6}\n")
              .empty());
    CHECK(
        unsupported(kSmallest + "tracing: {shading: false, blocking: false, relative_error: 0.1}\n")
            .empty());
    CHECK(unsupported(kPlain + "distributed: {schedule: dynamic}\n").empty());
    CHECK(unsupported(kArtist).empty());
    CHECK(unsupported(kArtist + "distributed: {schedule: dynamic}\n").empty());
    CHECK(unsupported(kArtist + "artist: {extinction: 0.1}\n").empty());
}

TEST_CASE("model artist refuses what ARTIST does not have, at the key as written") {
    const auto problems = unsupported(kSmallest +
                                      "tracing: {model: artist, relative_error: 0.1}\n"
                                      "optics:\n"
                                      "  slope_error_mrad: 1\n"
                                      "  specularity_error: {type: pillbox, half_angle_mrad: 1}\n"
                                      "  tracking_error_mrad: 1\n"
                                      "  attenuation: mirval\n"
                                      "targets:\n"
                                      "  a: {}\n"
                                      "  b: {outline_m: [[0, 0], [1, 0], [0, 1]]}\n"
                                      "  c:\n"
                                      "    aperture:\n"
                                      "      {center: [0, 0, 0], normal: [0, 1, 0], radius_m: 1}\n"
                                      "obstacles:\n"
                                      "  - {type: box, center: [0, 0, 0], size_m: [1, 1, 1]}\n");
    std::vector<std::string> places;
    for (const Problem& problem : problems) {
        places.push_back(problem.where);
        CHECK_THAT(problem.what, ContainsSubstring("is not available in model artist"));
        CHECK_FALSE(problem.advice.empty());
    }
    const std::vector<std::string> expected{"run.yaml:9:21: optics.slope_error_mrad",
                                            "run.yaml:10:3: optics.specularity_error",
                                            "run.yaml:11:24: optics.tracking_error_mrad",
                                            "run.yaml:12:16: optics.attenuation",
                                            "run.yaml:7:42: tracing.relative_error",
                                            "run.yaml:17:5: targets.c.aperture",
                                            "run.yaml:15:7: targets.b.outline_m",
                                            "run.yaml:19:1: obstacles"};
    CHECK(places == expected);
}

TEST_CASE("model artist knows the Gaussian sun only") {
    const std::string sun =
        "scenario: plant.h5\naim: {target: t}\ntracing: {model: artist}\n"
        "sun: {azimuth_deg: 1, elevation_deg: 1, shape: ";
    CHECK(unsupported(sun + "{type: gaussian, sigma_mrad: 1}}\n").empty());
    const auto problems = unsupported(sun + "{type: collimated}}\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == "run.yaml:4:41: sun.shape");
}
