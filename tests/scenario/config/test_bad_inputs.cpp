// SPDX-License-Identifier: MIT
// Wrong values, one at a time: each gives exactly one problem with its place and helpful words.
#include "tests/scenario/config/support.h"
#include "tests/support/golden_messages.h"

#include <algorithm>
#include <set>
#include <utility>

using namespace helioray;
using namespace helioray::test;

namespace {

struct BadInput {
    int replaced_line;  ///< line of kSmallest that `text` replaces; 0: it is appended as line 7
    const char* text;
    const char* where;   ///< after "run.yaml:"
    const char* what;    ///< part of what is wrong
    const char* advice;  ///< part of reason or advice
};

const BadInput kBadInputs[] = {
    // Unknown and misplaced keys.
    {3,
     "  azimuth: 180\n  azimuth_deg: 1",
     "3:3: sun.azimuth",
     "unknown key 'azimuth'",
     "did you mean 'azimuth_deg'?"},
    {3,
     "  azimuth_deg: 1\n  azimuth_rad: 3",
     "4:3: sun.azimuth_rad",
     "unknown key",
     "units are part of the key"},
    {0, "tracin: {seed: 1}", "7:1: tracin", "unknown key 'tracin'", "did you mean 'tracing'?"},
    {0,
     "tracing: {seeds: 1}",
     "7:11: tracing.seeds",
     "unknown key 'seeds'",
     "did you mean 'seed'?"},
    {0, "dni_w_m2: 900", "7:1: dni_w_m2", "unknown key", "did you mean 'sun.dni_w_m2'?"},
    {0, "colour: red", "7:1: colour", "unknown key 'colour'", "valid: 'scenario', 'sun'"},
    {0,
     "distributed: {timeout_ms: 1}",
     "7:15: distributed.timeout_ms",
     "unknown key",
     "did you mean 'timeout_s'?"},
    {0,
     "distributed: {Time-Out_s: 1}",
     "7:15: distributed.Time-Out_s",
     "unknown key",
     "did you mean 'timeout_s'?"},
    {0,
     "optics: {<<: {reflectivity: 1}}",
     "7:10: optics.<<",
     "unknown key",
     "merge keys are not supported"},
    {6,
     "  target: t\n  heliostats: {A: {taget: x}}",
     "7:20: aim.heliostats.A.taget",
     "unknown key",
     "did you mean 'target'?"},
    // Repeated keys.
    {0, "device: cpu\ndevice: cuda", "8:1: device", "given twice", "first at run.yaml:7:1"},
    {6, "  target: t\n  target: t", "7:3: aim.target", "given twice", "keep one"},
    {6,
     "  target: t\n  heliostats: {A: {}, A: {}}",
     "7:23: aim.heliostats.A",
     "given twice",
     "keep one"},
    // Wrong kinds.
    {0, "tracing: 5", "7:10: tracing", "expected a map of keys, found '5'", "indented"},
    {0, "optics: [1, 2]", "7:1: optics", "found a list", "indented"},
    {0, "tracing: {seed: [1]}", "7:11: tracing.seed", "expected a whole number, found a list", ""},
    {0, "tracing: {seed: }", "7:11: tracing.seed", "has no value", "remove the key"},
    {0,
     "tracing: {shading: 1}",
     "7:20: tracing.shading",
     "'1' is neither true nor false",
     "write true or false"},
    {0,
     "tracing: {blocking: on}",
     "7:21: tracing.blocking",
     "'on' is neither",
     "write true or false"},
    {6, "  target: ''", "6:11: aim.target", "is an empty text", ""},
    {0,
     "tracing: {sampling: sobbol}",
     "7:21: tracing.sampling",
     "'sobbol' is not one of sobol, random",
     "did you mean 'sobol'?"},
    {0,
     "tracing: {model: fancy}",
     "7:18: tracing.model",
     "'fancy' is not one of physical, artist",
     "choose"},
    {0, "bitmap: {filter: cubic}", "7:18: bitmap.filter", "not one of box, bilinear", ""},
    // Numbers.
    {0, "bitmap: {width: wide}", "7:17: bitmap.width", "'wide' is not a number", "1e6"},
    {3,
     "  azimuth_deg: south",
     "3:16: sun.azimuth_deg",
     "'south' is not a number",
     "unit is part of the key"},
    {3, "  azimuth_deg: '180,5'", "3:16: sun.azimuth_deg", "not a number", "decimal point"},
    {3, "  azimuth_deg: 180 deg", "3:16: sun.azimuth_deg", "'180 deg' is not a number", ""},
    {3, "  azimuth_deg: 0x10", "3:16: sun.azimuth_deg", "not a number", ""},
    {3, "  azimuth_deg: .nan", "3:16: sun.azimuth_deg", "not a finite number", ""},
    {3, "  azimuth_deg: nan", "3:16: sun.azimuth_deg", "not a finite number", ""},
    {3, "  azimuth_deg: 1e999", "3:16: sun.azimuth_deg", "not a finite number", ""},
    {3,
     "  azimuth_deg: 361",
     "3:16: sun.azimuth_deg",
     "361 is outside of its range",
     "from -360 to 360"},
    {0,
     "optics: {reflectivity: 93.5}",
     "7:24: optics.reflectivity",
     "93.5 is outside",
     "share of the power"},
    {0, "optics: {reflectivity: -0.1}", "7:24: optics.reflectivity", "outside", "from 0 to 1"},
    {0,
     "optics: {slope_error_mrad: -1}",
     "7:28: optics.slope_error_mrad",
     "outside",
     "from 0 to 500"},
    {0,
     "optics: {tracking_error_mrad: 501}",
     "7:31: optics.tracking_error_mrad",
     "outside",
     "mrad"},
    {0,
     "optics: {specularity_error_mrad: -.inf}",
     "7:34: optics.specularity_error_mrad",
     "not a finite",
     ""},
    {4,
     "  elevation_deg: 45\n  dni_w_m2: 0",
     "5:13: sun.dni_w_m2",
     "0 is outside",
     "above 0 to 10000"},
    {0,
     "tracing: {relative_error: 1}",
     "7:27: tracing.relative_error",
     "outside",
     "above 0 and below 1"},
    {0,
     "tracing: {rays_per_heliostat: 0}",
     "7:31: tracing.rays_per_heliostat",
     "0 is outside",
     "from 1 to"},
    {0,
     "tracing: {rays_per_heliostat: 1.5}",
     "7:31: tracing.rays_per_heliostat",
     "not a whole number",
     "counts"},
    {0, "tracing: {rays_per_heliostat: 1e16}", "7:31: tracing.rays_per_heliostat", "outside", ""},
    {0, "tracing: {seed: -1}", "7:17: tracing.seed", "'-1' is not a whole number from 0", ""},
    {0,
     "tracing: {seed: 18446744073709551616}",
     "7:17: tracing.seed",
     "not a whole number from 0 to 18446744073709551615",
     ""},
    {0, "tracing: {seed: 1.5}", "7:17: tracing.seed", "not a whole number", ""},
    {0, "bitmap: {height: 16385}", "7:18: bitmap.height", "16385 is outside", "from 1 to 16384"},
    {0,
     "artist: {surface_points_per_facet: [50]}",
     "7:10: artist.surface_points_per_facet",
     "found a list of 1",
     "give 2 values"},
    {0,
     "artist: {surface_points_per_facet: [50, 1]}",
     "7:41: artist.surface_points_per_facet[1]",
     "1 is outside",
     "from 2"},
    {0, "artist: {extinction: 1.1}", "7:22: artist.extinction", "outside", ""},
    {0, "artist: {batch_size: 0}", "7:22: artist.batch_size", "outside", ""},
    {0, "distributed: {timeout_s: 0}", "7:26: distributed.timeout_s", "outside", "above 0"},
    // The sun's position.
    {4, "  elevation_deg: 0", "4:18: sun.elevation_deg", "0 is not above 0", "below the horizon"},
    {4,
     "  elevation_deg: -12.5",
     "4:18: sun.elevation_deg",
     "-12.5 is not above 0",
     "no direct light"},
    {4, "  elevation_deg: 91", "4:18: sun.elevation_deg", "91 is outside", "to 90"},
    {4, "", "2:1: sun.elevation_deg", "is missing", "azimuth and elevation"},
    {4,
     "  elevation_deg: 4\n  time: 2026-06-21T12:00Z",
     "5:9: sun.time",
     "more than one form",
     "exactly one of"},
    {4,
     "  elevation_deg: 4\n  incident_direction: [0, 0, -1]",
     "5:3: sun.incident_direction",
     "more than one form",
     "exactly one of"},
    // Sun shapes.
    {4,
     "  elevation_deg: 4\n  shape: collimated",
     "5:10: sun.shape",
     "expected a map of keys, found 'collimated'",
     ""},
    {4,
     "  elevation_deg: 4\n  shape: {sigma_mrad: 2}",
     "5:3: sun.shape.type",
     "is missing",
     "choose gaussian"},
    {4,
     "  elevation_deg: 4\n  shape: {type: gauss}",
     "5:17: sun.shape.type",
     "'gauss' is not one of",
     ""},
    {4,
     "  elevation_deg: 4\n  shape: {type: gaussian}",
     "5:3: sun.shape.sigma_mrad",
     "is missing",
     "gaussian needs it"},
    {4,
     "  elevation_deg: 4\n  shape: {type: gaussian, sigma_mrad: -2}",
     "5:39: sun.shape.sigma_mrad",
     "outside",
     "from 0"},
    {4,
     "  elevation_deg: 4\n  shape: {type: collimated, sigma_mrad: 2}",
     "5:41: sun.shape.sigma_mrad",
     "does not belong to type collimated",
     "takes no parameter"},
    {4,
     "  elevation_deg: 4\n  shape: {type: pillbox, half_angle_mrad: 4, csr: 0.1}",
     "5:51: sun.shape.csr",
     "does not belong",
     "pillbox takes half_angle_mrad"},
    {4,
     "  elevation_deg: 4\n  shape: {type: buie, csr: 0.81}",
     "5:28: sun.shape.csr",
     "0.81 is outside",
     "Buie"},
    {4, "  elevation_deg: 4\n  shape: {type: buie}", "5:3: sun.shape.csr", "is missing", ""},
    {4, "  elevation_deg: 4\n  shape: {type: table}", "5:3: sun.shape.file", "is missing", ""},
    {4,
     "  elevation_deg: 4\n  shape: {type: table, file: sun.csv, radiance: [[0, 1], [4, 0]]}",
     "5:30: sun.shape.file",
     "together with radiance",
     "remove one"},
    {4,
     "  elevation_deg: 4\n  shape: {type: table, radiance: [[0, 1]]}",
     "5:24: sun.shape.radiance",
     "has 1 rows",
     "at least 2"},
    {4,
     "  elevation_deg: 4\n  shape: {type: table, radiance: [[0, 1], [4, -1]]}",
     "5:43: sun.shape.radiance[1]",
     "-1 is negative",
     "[4.65, 0.9]"},
    {4,
     "  elevation_deg: 4\n  shape: {type: table, file: no.csv}",
     "5:30: sun.shape.file",
     "there is no file",
     "relative to the configuration"},
    {4,
     "  elevation_deg: 4\n  shape: {type: gaussian, sigma: 2, sigma_mrad: 2}",
     "5:27: sun.shape.sigma",
     "unknown key 'sigma'",
     "did you mean 'sigma_mrad'?"},
    // Aim.
    {6, "  active: all", "5:1: aim.target", "is missing", "every active heliostat"},
    {6,
     "  active: [A, B]\n  heliostats: {A: {target: t}}",
     "6:15: aim.active[1]",
     "heliostat 'B' has no target",
     "aim.heliostats.B.target"},
    {6, "  target: t\n  active: A", "7:11: aim.active", "'A' is neither 'all' nor a list", "[A]"},
    {6,
     "  target: t\n  active: []",
     "7:3: aim.active",
     "is an empty list",
     "nothing would be traced"},
    {6, "  target: t\n  active: [A, B, A]", "7:18: aim.active[2]", "'A' is listed twice", ""},
    {6, "  target: t\n  active: [A, [B]]", "7:15: aim.active[1]", "found a list in it", ""},
    {6,
     "  target: t\n  point: [1, 2]",
     "7:3: aim.point",
     "expected a list of 3 numbers, found a list of 2",
     ""},
    {6, "  target: t\n  point: [1, 2, up]", "7:17: aim.point[2]", "'up' is not a number", ""},
    {6,
     "  target: t\n  point: 5",
     "7:10: aim.point",
     "expected a list of 3 numbers, found '5'",
     "brackets"},
    {6,
     "  target: t\n  heliostats: {A: {point: [1, 2, 3], motor_positions: [1, 2]}}",
     "7:38: aim.heliostats.A.motor_positions",
     "stands beside point",
     "keep one"},
    {6,
     "  target: t\n  heliostats: {A: t}",
     "7:19: aim.heliostats.A",
     "expected a map of keys, found 't'",
     ""},
    {6,
     "  target: t\n  heliostats: [A]",
     "7:3: aim.heliostats",
     "expected a map of keys, found a list",
     ""},
    // Optics.
    {0,
     "optics: {slope_error_mrad: 1, slope_error: {type: gaussian, sigma_mrad: 1}}",
     "7:31: optics.slope_error",
     "stands beside slope_error_mrad",
     "keep one"},
    {0,
     "optics: {slope_error: 1.0}",
     "7:23: optics.slope_error",
     "expected a map of keys, found '1.0'",
     ""},
    {0,
     "optics: {slope_error: {type: buie}}",
     "7:30: optics.slope_error.type",
     "'buie' is not one of gaussian, pillbox",
     ""},
    {0,
     "optics: {slope_error: {type: pillbox, sigma_mrad: 1, half_angle_mrad: 1}}",
     "7:51: optics.slope_error.sigma_mrad",
     "does not belong to type pillbox",
     "pillbox takes half_angle_mrad"},
    {0,
     "optics: {specularity_error: {sigma_mrad: 1}}",
     "7:10: optics.specularity_error.type",
     "is missing",
     "gaussian or pillbox"},
    {0,
     "optics: {attenuation: mirvall}",
     "7:23: optics.attenuation",
     "'mirvall' is not one of",
     "did you mean 'mirval'?"},
    {0,
     "optics: {attenuation: exponential}",
     "7:23: optics.attenuation",
     "needs a coefficient",
     "per_km, such as 0.11"},
    {0,
     "optics: {attenuation: {model: exponential}}",
     "7:10: optics.attenuation.per_km",
     "is missing",
     ""},
    {0,
     "optics: {attenuation: {model: exponential, per_km: -1}}",
     "7:52: optics.attenuation.per_km",
     "outside",
     ""},
    {0,
     "optics: {attenuation: {model: mirval, per_km: 1}}",
     "7:47: optics.attenuation.per_km",
     "does not belong to model mirval",
     ""},
    {0, "optics: {attenuation: {per_km: 1}}", "7:10: optics.attenuation.model", "is missing", ""},
    // Output and device.
    {0,
     "output: {file: flux.txt}",
     "7:16: output.file",
     "'flux.txt' does not end in .h5, .hdf5",
     "flux.h5"},
    {0, "output: {file: flux}", "7:16: output.file", "'flux' does not end", ""},
    {0,
     "output: {image: flux.jpg}",
     "7:17: output.image",
     "'flux.jpg' does not end in .png, .svg, .pdf",
     ""},
    {0,
     "output: {per_heliostat: true}",
     "7:25: output.per_heliostat",
     "there is no output.file",
     "add output.file"},
    {0, "device: gpu", "7:9: device", "'gpu' is not a device", "cuda:N"},
    {0, "device: cuda:x", "7:9: device", "'cuda:x' is not a device", ""},
    {0, "device: cuda:-1", "7:9: device", "'cuda:-1' is not a device", ""},
    {0, "device: cuda:0,0", "7:9: device", "'cuda:0,0' is not a device", ""},
    {0, "device: cuda:0,", "7:9: device", "'cuda:0,' is not a device", ""},
    {0,
     "device: cpu\ndistributed: {backend: nccl}",
     "8:24: distributed.backend",
     "the device is cpu",
     "gloo or auto"},
    {0,
     "distributed: {schedule: guided}",
     "7:25: distributed.schedule",
     "'guided' is not one of static, dynamic",
     ""},
    // Scenario.
    {1, "scenario: plan.h5", "1:11: scenario", "there is no file", "relative to its folder"},
    {1, "scenario: .", "1:11: scenario", "is a folder", ""},
    {1, "device: cpu", "1:1: scenario", "is missing", "no plant"},
};

/// kSmallest with one line replaced, or one appended.
std::string text_of(const BadInput& input) {
    std::string text;
    size_t begin = 0;
    for (int line = 1; begin < kSmallest.size(); ++line) {
        const size_t end = kSmallest.find('\n', begin) + 1;
        text += line == input.replaced_line ? std::string(input.text) + "\n"
                                            : kSmallest.substr(begin, end - begin);
        begin = end;
    }
    return input.replaced_line == 0 ? text + input.text + "\n" : text;
}

/// A name for the golden file: the text of the input on one line.
std::string make_name(std::string text) {
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
        text.replace(at, 1, " / ");
    return text;
}

}  // namespace

TEST_CASE("every wrong value gives one problem with place, fault and help") {
    std::set<std::string> names;
    for (const BadInput& input : kBadInputs) {
        const std::string message =
            check_problem(text_of(input), input.where, input.what, input.advice);
        if (message.empty()) continue;
        const std::string name = make_name(input.text) + " (" + input.where + ")";
        CHECK(names.insert(name).second);
        check_message("configuration", name, message);
    }
}

TEST_CASE("positions of the sun that cannot be") {
    const std::pair<const char*, const char*> cases[] = {
        {"{incident_direction: [0, 0, 0]}", "has length 0"},
        {"{incident_direction: [0, 1, 0]}", "has the up component 0, not below 0"},
        {"{incident_direction: [0, 1, 0.5]}", "has the up component 0.5"},
        {"{incident_direction: [0, 1]}", "found a list of 2"},
        {"{time: noon}", "'noon' is not an ISO 8601 date and time"},
        {"{time: 2026-06-21T12:00:00}", "has no offset from UTC"},
        {"{dni_w_m2: 900}", "the sun has no position"},
        {"", "the sun has no position"},
    };
    for (const auto& [sun, what] : cases) {
        const auto problems =
            problems_of("scenario: plant.h5\naim: {target: t}\nsun: " + std::string(sun) + "\n");
        INFO(sun);
        REQUIRE(problems.size() == 1);
        CHECK_THAT(problems[0].where, ContainsSubstring("run.yaml:3:"));
        CHECK_THAT(problems[0].what, ContainsSubstring(what));
        check_message("configuration", "sun: " + std::string(sun), to_string(problems[0]));
    }
}

TEST_CASE("all problems are reported at once") {
    const auto problems = problems_of(
        "scenario: plant.h5\n"
        "sun: {azimuth_deg: 180, elevation_deg: -3}\n"
        "aim: {taget: receiver, target: t}\n"
        "optics: {reflectivity: 2}\n"
        "tracing: {seed: x, sampling: y}\n");
    std::vector<std::string> lines;
    for (const Problem& problem : problems) lines.push_back(problem.where.substr(0, 10));
    std::sort(lines.begin(), lines.end());
    const std::vector<std::string> expected{
        "run.yaml:2", "run.yaml:3", "run.yaml:4", "run.yaml:5", "run.yaml:5"};
    CHECK(lines == expected);
}

TEST_CASE("the result must not replace the scenario") {
    const ConfigFolder folder;
    Overrides overrides;
    overrides.output = (folder.path() / "plant.h5").string();
    try {
        parse_run_config(kSmallest, "run.yaml", folder.path(), overrides);
        FAIL("accepted");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 1);
        CHECK(error.problems()[0].where == "--output");
        CHECK_THAT(error.problems()[0].what, ContainsSubstring("is the scenario itself"));
    }
}
