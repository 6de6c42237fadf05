// SPDX-License-Identifier: MIT
// Wrong apertures, outlines, obstacles and coefficients: each gives one problem with its place.
#include "tests/scenario/config/support.h"

using namespace helioray;
using namespace helioray::test;

namespace {

struct BadBody {
    const char* text;    ///< from line 7 on
    const char* where;   ///< after "run.yaml:"
    const char* what;    ///< part of what is wrong
    const char* advice;  ///< part of reason or advice
};

void check_all(const std::vector<BadBody>& inputs, const std::string& before, const char* after) {
    for (const BadBody& input : inputs)
        check_problem(
            kSmallest + before + input.text + after, input.where, input.what, input.advice);
}

}  // namespace

TEST_CASE("apertures that cannot be") {
    check_all(
        {
            {"5", "7:32: targets.receiver.aperture", "expected a map of keys, found '5'", ""},
            {"{normal: [0, 1, 0], radius_m: 1}",
             "7:22: targets.receiver.aperture.center",
             "is missing",
             "an aperture needs it"},
            {"{center: [0, 0, 0], radius_m: 1}",
             "7:22: targets.receiver.aperture.normal",
             "is missing",
             "normal: [0.0, 1.0, 0.0]"},
            {"{center: [0, 0], normal: [0, 1, 0], radius_m: 1}",
             "7:33: targets.receiver.aperture.center",
             "found a list of 2",
             "give 3 values"},
            {"{center: [0, 0, 0], normal: [0, 0, 0], radius_m: 1}",
             "7:52: targets.receiver.aperture.normal",
             "has length 0",
             "no direction"},
            {"{center: [0, 0, 0], normal: [0, 1e200, 1e308], radius_m: -1}",
             "7:89: targets.receiver.aperture.radius_m",
             "-1 is outside of its range",
             "above 0 to 1e6"},
            {"{center: [0, 0, 0], normal: [0, 1, 0], radius_m: 0}",
             "7:81: targets.receiver.aperture.radius_m",
             "0 is outside",
             "length in metres"},
            {"{center: [0, 0, 0], normal: [0, 1, 0]}",
             "7:22: targets.receiver.aperture",
             "has no size",
             "radius_m, or width_m with height_m"},
            {"{center: [0, 0, 0], normal: [0, 1, 0], width_m: 1}",
             "7:22: targets.receiver.aperture.height_m",
             "is missing",
             "a rectangular aperture needs it"},
            {"{center: [0, 0, 0], normal: [0, 1, 0], height_m: 1, radius_m: 2}",
             "7:94: targets.receiver.aperture.radius_m",
             "stands beside",
             "round or rectangular"},
            {"{center: [0, 0, 0], normal: [0, 1, 0], radius: 2, radius_m: 2}",
             "7:71: targets.receiver.aperture.radius",
             "unknown key 'radius'",
             "did you mean 'radius_m'?"},
            {"{center: [0, 0, .nan], normal: [0, 1, 0], radius_m: 2}",
             "7:48: targets.receiver.aperture.center[2]",
             "not a finite number",
             ""},
        },
        "targets: {receiver: {aperture: ",
        "}}\n");
}

TEST_CASE("outlines that cannot be") {
    check_all(
        {
            {"7", "7:33: targets.receiver.outline_m", "is not a list of pairs", "[[0, 0]"},
            {"[]", "7:22: targets.receiver.outline_m", "has 0 corners", "give 3 to 64"},
            {"[[0, 0], [1, 0]]", "7:22: targets.receiver.outline_m", "has 2 corners", "enclose"},
            {"[[0, 0], [1, 0], 5]",
             "7:50: targets.receiver.outline_m[2]",
             "is not a pair of numbers",
             "[[0, 0]"},
            {"[[0, 0], [1, 0, 3], [1, 1]]",
             "7:42: targets.receiver.outline_m[1]",
             "is not a pair of numbers",
             ""},
            {"[[0, 0], [1, x], [1, 1]]",
             "7:46: targets.receiver.outline_m[1][1]",
             "'x' is not a number",
             ""},
            {"[[0, 0], [1e7, 0], [1, 1]]",
             "7:42: targets.receiver.outline_m[1]",
             "is outside of its range",
             "metres from the target's centre"},
            {"[[0, 0], [2, 0], [1, 0.5], [2, 2]]",
             "7:50: targets.receiver.outline_m[2]",
             "is not convex at this corner",
             "in order around"},
            {"[[0, 0], [1, 1], [1, 0], [0, 1]]",
             "7:42: targets.receiver.outline_m[1]",
             "",
             "only convex"},
            {"[[0, 0], [1, 0], [0.5, 0]]",
             "7:34: targets.receiver.outline_m[0]",
             "turns back",
             "only convex"},
            {"[[0, 1], [0.59, -0.81], [-0.95, 0.31], [0.95, 0.31], [-0.59, -0.81]]",
             "7:22: targets.receiver.outline_m",
             "crosses itself",
             "only convex"},
            {"[[0, 0], [1, 0], [1, 0], [0, 1]]",
             "7:50: targets.receiver.outline_m[2]",
             "repeats the corner before",
             "remove it"},
            {"[[0, 0], [1, 0], [0, 1], [0, 0]]",
             "7:58: targets.receiver.outline_m[3]",
             "repeats the first corner",
             "closes by itself"},
        },
        "targets: {receiver: {outline_m: ",
        "}}\n");
}

TEST_CASE("obstacles that cannot be") {
    check_all(
        {
            {"obstacles: {type: box}", "7:1: obstacles", "expected a list of maps", "'- '"},
            {"obstacles: [tower]",
             "7:13: obstacles[0]",
             "expected a map of keys, found 'tower'",
             "key: value"},
            {"obstacles: [{base: [0, 0, 0]}]",
             "7:13: obstacles[0].type",
             "is missing",
             "cylinder, cone or box"},
            {"obstacles: [{type: sphere}]",
             "7:20: obstacles[0].type",
             "'sphere' is not one of cylinder, cone, box",
             ""},
            {"obstacles:\n  - {type: cylinder, radius_m: 1, height_m: 2}",
             "8:5: obstacles[0].base",
             "is missing",
             "a cylinder needs it"},
            {"obstacles:\n  - {type: cylinder, base: [0, 0, 0], height_m: 2}",
             "8:5: obstacles[0].radius_m",
             "is missing",
             ""},
            {"obstacles:\n  - {type: cylinder, base: [0, 0, 0], radius_m: 2, height_m: 2e6}",
             "8:62: obstacles[0].height_m",
             "2e6 is outside",
             "above 0 to 1e6"},
            {"obstacles:\n"
             "  - {type: cylinder, base: [0, 0, 0], radius_m: 2, height_m: 2, axis: [0, 0, 0]}",
             "8:65: obstacles[0].axis",
             "has length 0",
             ""},
            {"obstacles:\n  - {type: cone, base: [0, 0, 0], radius_m: 2, height_m: 2}",
             "8:5: obstacles[0].top_radius_m",
             "is missing",
             "a cone needs it"},
            {"obstacles:\n"
             "  - {type: cone, base: [0, 0, 0], radius_m: 2, height_m: 2, top_radius_m: -1}",
             "8:75: obstacles[0].top_radius_m",
             "-1 is outside",
             "0 to 1e6"},
            {"obstacles:\n"
             "  - {type: cone, base: [0, 0, 0], radius_m: 0, height_m: 2, top_radius_m: 1}",
             "8:45: obstacles[0].radius_m",
             "0 is outside",
             "above 0 to 1e6"},
            {"obstacles:\n"
             "  - {type: cylinder, base: [0, 0, 0], radius_m: 2, height_m: 2, top_radius_m: 1}",
             "8:79: obstacles[0].top_radius_m",
             "does not belong to type cylinder",
             "cylinder takes name, base"},
            {"obstacles:\n  - {type: box, center: [0, 0, 0]}",
             "8:5: obstacles[0].size_m",
             "is missing",
             "a box needs it"},
            {"obstacles:\n  - {type: box, center: [0, 0, 0], size_m: [1, 0, 1]}",
             "8:48: obstacles[0].size_m[1]",
             "0 is outside of its range",
             "length in metres"},
            {"obstacles:\n  - {type: box, center: [0, 0, 0], size_m: [1, 1, 1], azimuth_deg: 400}",
             "8:68: obstacles[0].azimuth_deg",
             "400 is outside",
             "compass"},
            {"obstacles:\n  - {type: box, center: [0, 0, 0], size_m: [1, 1, 1], radius_m: 4}",
             "8:65: obstacles[0].radius_m",
             "does not belong to type box",
             "box takes name, center"},
            {"obstacles:\n  - {type: box, centre: [0, 0, 0], center: [0, 0, 0], size_m: [1, 1, 1]}",
             "8:17: obstacles[0].centre",
             "unknown key 'centre'",
             "did you mean 'center'?"},
            {"obstacles:\n"
             "  - {name: a, type: box, center: [0, 0, 0], size_m: [1, 1, 1]}\n"
             "  - {type: box, center: [0, 0, 0], size_m: [1, 1, 1], name: a}",
             "9:61: obstacles[1].name",
             "'a' names two obstacles",
             "another name"},
            {"obstacles:\n  - {name: '', type: box, center: [0, 0, 0], size_m: [1, 1, 1]}",
             "8:12: obstacles[0].name",
             "is an empty text",
             ""},
        },
        "",
        "\n");
}

TEST_CASE("coefficients and calibrations that cannot be") {
    check_all(
        {
            {"attenuation: polynomial",
             "7:23: optics.attenuation",
             "'polynomial' needs coefficients",
             "coefficients, such as [0.99"},
            {"attenuation: {model: polynomial}",
             "7:10: optics.attenuation.coefficients",
             "is missing",
             "polynomial needs it"},
            {"attenuation: {model: polynomial, coefficients: [1, 2, 3, 4, 5, 6]}",
             "7:43: optics.attenuation.coefficients",
             "has 6 numbers",
             "1 to 5"},
            {"attenuation: {model: polynomial, coefficients: []}",
             "7:43: optics.attenuation.coefficients",
             "has 0 numbers",
             "1 to 5"},
            {"attenuation: {model: polynomial, coefficients: [1.1]}",
             "7:43: optics.attenuation.coefficients",
             "the transmittance at 0 km is 1.1",
             "1 or below"},
            {"attenuation: {model: polynomial, coefficients: [0.9, 0.1]}",
             "7:43: optics.attenuation.coefficients",
             "the transmittance at",
             "descends"},
            {"attenuation: {model: polynomial, coefficients: [0.9, x]}",
             "7:63: optics.attenuation.coefficients[1]",
             "'x' is not a number",
             ""},
            {"attenuation: {model: polynomial, coefficients: [0.9], per_km: 1}",
             "7:72: optics.attenuation.per_km",
             "does not belong to model polynomial",
             "polynomial takes coefficients"},
            {"attenuation: {model: exponential, coefficients: [0.9], per_km: 1}",
             "7:44: optics.attenuation.coefficients",
             "does not belong to model exponential",
             "exponential takes per_km"},
        },
        "optics: {",
        "}\n");
    const std::string sun =
        "scenario: plant.h5\naim: {target: t}\nsun: {azimuth_deg: 1, elevation_deg: 1, shape: ";
    auto problems = problems_of(sun + "{type: buie, csr: 0.1, calibration: buie}}\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == "run.yaml:3:84: sun.shape.calibration");
    CHECK(problems[0].what == "'buie' is not one of exact, tonatiuh, tracer");
    problems = problems_of(sun + "{type: collimated, calibration: exact}}\n");
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].what, ContainsSubstring("does not belong to type collimated"));
}
