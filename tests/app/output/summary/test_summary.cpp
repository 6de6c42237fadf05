// SPDX-License-Identifier: MIT
// What a run prints.
#include "app/output/summary/summary.h"
#include "scenario/files/number_text.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

using namespace helioray;
using nlohmann::json;

namespace {

size_t widest_line(const std::string& text) {
    std::istringstream in(text);
    size_t widest = 0;
    for (std::string line; std::getline(in, line);) widest = std::max(widest, text_width(line));
    return widest;
}

std::set<std::string> keys(const json& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.items()) names.insert(name);
    return names;
}

}  // namespace

TEST_CASE("The JSON object has exactly the agreed fields") {
    const RunResult result = test::sample_result();
    const json out = json::parse(summary_json(result, {"out.h5", "out.png"}).dump());
    CHECK(keys(out) == std::set<std::string>{"fingerprint",
                                             "rays",
                                             "rays_done_before",
                                             "rays_per_second",
                                             "trace_seconds",
                                             "total_seconds",
                                             "peak_rss_mb",
                                             "world_size",
                                             "backend",
                                             "device",
                                             "instruction_set",
                                             "launcher",
                                             "output",
                                             "targets",
                                             "warnings",
                                             "energy"});
    CHECK(out["warnings"] == json::array());
    CHECK(out["fingerprint"] == "00ff17aa5511bb22");
    CHECK(out["rays"] == 3'000'003);
    CHECK(out["rays_per_second"] == 2.0e6);
    CHECK(out["trace_seconds"] == 1.5);
    CHECK(out["total_seconds"] == 2.25);
    CHECK(out["peak_rss_mb"] == 321.0);
    CHECK(out["world_size"] == 4);
    CHECK(out["backend"] == "gloo");
    CHECK(out["device"] == "cpu");
    CHECK(out["instruction_set"] == "avx2");
    CHECK(out["launcher"] == "torchrun");
    CHECK(out["output"] == "out.h5");

    CHECK(keys(out["targets"]) == std::set<std::string>{"cavity", "receiver"});
    const json& receiver = out["targets"]["receiver"];
    CHECK(keys(receiver) == std::set<std::string>{"power_w",
                                                  "power_std_error_w",
                                                  "peak_flux_w_m2",
                                                  "peak_flux_std_error_w_m2",
                                                  "peak_area_m2",
                                                  "peak_pixel_w_m2",
                                                  "centroid_m"});
    CHECK(receiver["power_w"] == 1.4e6);
    CHECK(receiver["power_std_error_w"] == result.targets[1].power_std_error_w);
    CHECK(receiver["peak_flux_w_m2"] == result.targets[1].peak_flux_w_m2);
    CHECK(receiver["peak_flux_std_error_w_m2"] == result.targets[1].peak_flux_std_error_w_m2);
    CHECK(receiver["peak_area_m2"] == 0.25);
    CHECK(receiver["peak_pixel_w_m2"] == result.targets[1].peak_pixel_w_m2);
    CHECK(receiver["centroid_m"] == json(result.targets[1].centroid_m));

    CHECK(keys(out["energy"]).size() == 8);
    CHECK(out["energy"]["solar_power"] == Approx(120006.0));
    CHECK(out["energy"]["target_power"] == Approx(92724.0));
    CHECK(summary_json(result)["output"].is_null());
    RunResult on_gpu = result;
    on_gpu.provenance.instruction_set = "";
    CHECK(summary_json(on_gpu)["instruction_set"].is_null());
}

TEST_CASE("The summary shows power, error, peak, centroid, energy, speed and files") {
    const std::string text = summary_text(test::sample_result(), {"out.h5", "out.png"});
    for (const char* part : {"receiver",
                             "1.400 MW",
                             "± 1.0 %",
                             "peak flux of receiver 197.1 ± 2.2 kW/m2 over 0.25 m2 (largest pixel "
                             "219.0)",
                             "55.300)",
                             "120.006",
                             "100.00",
                             "92.724",
                             "77.27",
                             "spillage loss",
                             "3,000,003",
                             "2.00 Mrays/s",
                             "1.50 s tracing",
                             "2.25 s in all",
                             "4 processes, gloo",
                             "torchrun",
                             "00ff17aa5511bb22",
                             "out.h5",
                             "out.png"}) {
        CHECK_THAT(text, ContainsSubstring(part));
    }
    CHECK(widest_line(text) <= 100);
}

TEST_CASE("Long names, large powers and dark targets fit the width") {
    RunResult result = test::sample_result();
    result.targets[0].target.name = std::string(80, 'n');
    result.targets[0].power_w = 1.23456789e9;
    result.targets[0].centroid_m = {-1234.567, -1234.567, -1234.567};
    result.targets[1].power_w = 0.0;
    result.heliostats[0].name = std::string(80, 'h');
    result.heliostats[0].target = std::string(80, 't');
    CHECK(widest_line(summary_text(result)) <= 100);
    CHECK(widest_line(describe_result(result)) <= 100);
    CHECK_THAT(summary_text(result), ContainsSubstring("1234.568 MW"));
    CHECK_THAT(summary_text(result), !ContainsSubstring("nan"));
}

TEST_CASE("Tables of results with mirrors say what each surface is for") {
    RunResult result = test::sample_result();
    CHECK_THAT(targets_table(result), !ContainsSubstring("absorber"));
    result.targets[0].target.name = std::string(80, 'n');
    result.targets[0].target.use = SurfaceUse::mirror;
    CHECK_THAT(targets_table(result), ContainsSubstring("absorber") && ContainsSubstring("mirror"));
    CHECK(widest_line(targets_table(result)) <= 100);
}

TEST_CASE("Bitmaps in ARTIST's units show sum and peak in these") {
    RunResult result = test::sample_result();
    result.targets[0].unit = std::string("1");
    result.targets[0].flux.assign(20, 2.5);
    result.targets[1].unit = std::string("W");
    result.targets[1].flux.assign(20, 100.0);
    const std::string text = targets_table(result);
    CHECK_THAT(text, ContainsSubstring("sum 50"));
    CHECK_THAT(text, ContainsSubstring("2.500 per pixel"));
    CHECK_THAT(text, ContainsSubstring("2.000 kW"));
    CHECK_THAT(text, ContainsSubstring("100.0 W/pixel"));
    CHECK_THAT(text, !ContainsSubstring("kW/m2"));
}

TEST_CASE("Without energy terms there is no energy table") {
    RunResult result = test::sample_result();
    for (HeliostatResult& heliostat : result.heliostats) heliostat.energy = {};
    CHECK(energy_table(result) == "");
    CHECK_THAT(summary_text(result), !ContainsSubstring("% of solar"));
}

TEST_CASE("A result's description lists provenance, maps and the strongest heliostats") {
    RunResult result = test::sample_result();
    const std::string text = describe_result(result);
    for (const char* part : {"2026-11-21T12:34:56Z",
                             "helioray 0.1.0 (0123456789ab)",
                             "azimuth 180.0°, elevation 45.0°",
                             "18446744073709551615",
                             "cylindrical",
                             "8.600 x 7.200",
                             "5 x 4",
                             "3 heliostats",
                             "30.909",
                             "77.27 %"}) {
        CHECK_THAT(text, ContainsSubstring(part));
    }
    // AA28 has the most power.
    CHECK(text.find("AA28") < text.find("AA31"));
    const std::string one = describe_result(result, 1);
    CHECK_THAT(one, ContainsSubstring("... and 2 more"));
    CHECK_THAT(one, !ContainsSubstring("AA39"));
}

TEST_CASE("A wanted accuracy is reported: stopped early, used up, or missed") {
    RunResult result = test::sample_result();
    CHECK_FALSE(accuracy_warning(result));
    CHECK(summary_text(result).find("accuracy") == std::string::npos);

    result.accuracy = AccuracyReport{0.01, 0.0083, "receiver", 249'856, 999'424};
    CHECK_FALSE(accuracy_warning(result));
    CHECK_THAT(summary_text(result),
               ContainsSubstring("stopped after 249,856 of 999,424 rays per heliostat: within ± "
                                 "0.83 %"));
    CHECK(widest_line(summary_text(result)) <= 100);
    const json out = summary_json(result, {});
    CHECK(out["rays_per_heliostat"] == 249'856);
    CHECK(out["relative_error_reached"] == 0.0083);

    result.accuracy->rays_per_heliostat = 999'424;
    CHECK_THAT(summary_text(result), ContainsSubstring("all 999,424 rays per heliostat: within"));
    CHECK_FALSE(accuracy_warning(result));

    result.accuracy->reached = 0.02;
    CHECK_THAT(summary_text(result), ContainsSubstring("± 2.0 % instead of 1.0 % after all"));
    const auto warning = accuracy_warning(result);
    REQUIRE(warning);
    CHECK_THAT(*warning, ContainsSubstring("target 'receiver' has a standard error of 2.0 %"));
    CHECK_THAT(*warning, ContainsSubstring("set tracing.rays_per_heliostat to 4.0e"));
}
