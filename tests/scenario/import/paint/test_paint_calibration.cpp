// SPDX-License-Identifier: MIT
// Calibration records of PAINT and the run configurations made of them.
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/import/paint/calibration.h"
#include "scenario/import/paint/paint.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/message_of.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace helioray;
using nlohmann::json;

namespace {

const GeodeticPosition kPlant{50.913421122592574, 6.387824755874856, 87.0};

std::filesystem::path paint_folder() {
    return test::source_dir() + "/configs/paint";
}

/// The first record of AA39 that the vectors were made from.
json first_record() {
    return {
        {"motor_position", {{"axis_1_motor_position", 16963}, {"axis_2_motor_position", 72374}}},
        {"target_name", "multi_focus_tower"},
        {"sun_elevation", 27.809486551769538},
        {"sun_azimuth", -85.31171110078206},
        {"focal_spot", {{"UTIS", {50.91339645480913, 6.387573933261633, 137.70894622802734}}}}};
}

template <typename Edit>
PaintCalibration read_edited(const Edit& edit) {
    json record = first_record();
    edit(record);
    const test::TemporaryFolder folder;
    std::ofstream(folder / "17-calibration-properties.json") << record;
    return read_paint_calibration(folder / "17-calibration-properties.json", kPlant);
}

Scenario juelich() {
    PaintInputs inputs;
    inputs.tower = paint_folder() / "tower-measurements.json";
    inputs.heliostats = find_paint_heliostats(paint_folder());
    return scenario_from_paint(inputs);
}

}  // namespace

TEST_CASE("paint calibration: sun, motors and focal spot are ARTIST's") {
    std::ifstream file(test::source_dir() + "/tests/data/vectors/paint_conversion_and_fit.json");
    const json expected = json::parse(file)["calibration_AA39_1_2_3_UTIS"];
    const PaintCalibration record = read_edited([](json&) {});
    CHECK(record.id == "17");
    CHECK(record.target == "multi_focus_tower");
    CHECK(record.motor_positions == std::array<double, 2>{16963, 72374});
    const Vec3 to_sun{std::sin(record.sun_azimuth) * std::cos(record.sun_elevation),
                      std::cos(record.sun_azimuth) * std::cos(record.sun_elevation),
                      std::sin(record.sun_elevation)};
    for (size_t i = 0; i < 3; ++i) {
        INFO("component " << i);
        CHECK(-to_sun[i] ==
              Approx(expected["incident"][0][i].get<double>()).epsilon(0).margin(1e-6));
        CHECK(record.focal_spots.at("UTIS")[i] ==
              Approx(expected["focal_spots"][0][i].get<double>()).epsilon(0).margin(1e-4));
    }
}

TEST_CASE("paint calibration: a run configuration repeats the record") {
    const Scenario scenario = juelich();
    const auto files = find_paint_calibrations(paint_folder(), {"AA28", "AA31", "AA39"});
    REQUIRE(files.size() == 2);
    CHECK(files[1].heliostat == "AA39");
    const PaintCalibration record = read_paint_calibration(files[1].file, scenario.position);
    CHECK(record.id == "270398");
    check_calibration(record, "AA39", scenario);
    const std::string text = calibration_config(record, "AA39", "plant \"1\".h5", "AA39-270398");
    CHECK_THAT(text,
               ContainsSubstring("# Measured focal spot by UTIS: [-17.4991, -2.7449, 51.5499]"));

    const test::TemporaryFolder folder;
    std::ofstream(folder / "plant \"1\".h5") << "only its name matters here";
    const RunConfig config = parse_run_config(text, "a.yaml", folder.path());
    CHECK(config.scenario == folder / "plant \"1\".h5");
    const auto& sun = std::get<SunAngles>(config.sun.position);
    const double degree = std::acos(-1.0) / 180.0;
    // West of south in the afternoon: 62.2 degrees past it.
    CHECK(sun.azimuth == Approx(degree * (180.0 + 62.23899565972679)).epsilon(1e-11));
    CHECK(sun.elevation == Approx(degree * 23.375303561551995).epsilon(1e-11));
    CHECK(config.aim.target == "multi_focus_tower");
    CHECK(config.aim.active == std::vector<std::string>{"AA39"});
    CHECK(config.aim.heliostats.at("AA39").motor_positions == std::array<double, 2>{28837, 70357});
    CHECK(config.output.file == std::filesystem::path("AA39-270398.h5"));
}

TEST_CASE("paint calibration: problems of a record come together") {
    const std::string text = test::message_of([] {
        read_edited([](json& r) {
            r.erase("target_name");
            r["motor_position"].erase("axis_2_motor_position");
            r["sun_azimuth"] = "south";
            r["sun_elevation"] = -3.0;
            r["focal_spot"]["UTIS"] = {1.0, 2.0};
        });
    });
    for (const char* expected : {"target_name: is missing",
                                 "motor_position.axis_2_motor_position: is missing",
                                 "sun_azimuth",
                                 "sun_elevation: is -3",
                                 "focal_spot.UTIS: has 2 elements"}) {
        CHECK_THAT(text, ContainsSubstring(expected));
    }
    // Focal spots are only a remark of the configuration.
    CHECK(read_edited([](json& r) { r.erase("focal_spot"); }).focal_spots.empty());
}

TEST_CASE("paint calibration: records that do not fit the scenario are refused") {
    const Scenario scenario = juelich();
    const auto refusal = [&](const std::string& heliostat, auto edit) {
        return test::message_of([&] { check_calibration(read_edited(edit), heliostat, scenario); });
    };
    const auto nothing = [](json&) {};
    CHECK(refusal("AA39", nothing) == "");
    CHECK_THAT(refusal("AA40", nothing), ContainsSubstring("there is no heliostat 'AA40'"));
    CHECK(refusal("AA28", nothing) == "");
    const std::string text = refusal("AA39", [](json& r) {
        r["target_name"] = "multi_focus";
        r["motor_position"]["axis_1_motor_position"] = 80000;
    });
    CHECK_THAT(text, ContainsSubstring("there is no target 'multi_focus'"));
    CHECK_THAT(text, ContainsSubstring("did you mean 'multi_focus_tower'"));
    CHECK_THAT(text, ContainsSubstring("80000 lies outside of 0 to 68745"));
}

TEST_CASE("paint layout: newest properties, filled deflectometry, owners of files") {
    const test::TemporaryFolder folder;
    const auto touch = [&](const std::string& path) {
        std::filesystem::create_directories((folder / path).parent_path());
        std::ofstream(folder / path) << "{}";
    };
    touch("AA39/Properties/AA39-heliostat-properties-2023.json");
    touch("AA39/Properties/AA39-heliostat-properties-2024.json");
    touch("AA31/heliostat-properties.json");
    touch("AA28-heliostat-properties.json");
    touch("tower-measurements.json");
    touch("AA39/Deflectometry/AA39-2023-09-18Z08-49-09Z-deflectometry.h5");
    touch("AA39/Deflectometry/AA39-filled-2022-06-01Z10-00-00Z-deflectometry.h5");
    touch("AA39/Deflectometry/AA39-filled-2023-02-01Z10-00-00Z-deflectometry.h5");
    touch("AA31/Deflectometry/AA31-2022-06-01Z10-00-00Z-deflectometry.h5");
    touch("AA31/Deflectometry/AA31-2023-06-01Z10-00-00Z-deflectometry.h5");

    const auto heliostats = find_paint_heliostats(folder.path());
    REQUIRE(heliostats.size() == 3);
    CHECK(heliostats[0].name == "AA28");
    CHECK(heliostats[1].name == "AA31");
    CHECK(heliostats[2].file.filename() == "AA39-heliostat-properties-2024.json");

    // A heliostat's own folder is that heliostat; metadata are no properties.
    touch("AA39/Properties/AA39-heliostat-properties-item-stac.json");
    touch("AA39/Calibration/17-calibration-properties.json");
    const auto own = find_paint_heliostats(folder / "AA39");
    REQUIRE(own.size() == 1);
    CHECK(own[0].name == "AA39");
    CHECK(own[0].file.filename() == "AA39-heliostat-properties-2024.json");
    CHECK(find_paint_calibrations(folder / "AA39", {"AA39"}).size() == 1);
    std::filesystem::remove_all(folder / "AA39/Calibration");

    const std::vector<std::string> names{"AA28", "AA31", "AA39"};
    const auto measured = find_paint_deflectometry(folder.path(), names);
    REQUIRE(measured.size() == 2);
    CHECK(measured[0].file.filename() == "AA31-2023-06-01Z10-00-00Z-deflectometry.h5");
    CHECK(measured[1].file.filename() == "AA39-filled-2023-02-01Z10-00-00Z-deflectometry.h5");

    CHECK(paint_heliostat_of("elsewhere/AA31-filled-x-deflectometry.h5", names) == "AA31");
    CHECK(paint_heliostat_of("AA39/Calibration/17-calibration-properties.json", names) == "AA39");
    CHECK_THAT(test::message_of([&] { paint_heliostat_of("17-calibration.json", names); }),
               ContainsSubstring("17-calibration.json: there is no such file"));
    touch("AA40/Calibration/17-calibration.json");
    const std::string message = test::message_of(
        [&] { paint_heliostat_of(folder / "AA40/Calibration/17-calibration.json", names); });
    CHECK_THAT(message, ContainsSubstring("'AA28', 'AA31', 'AA39'"));
    CHECK_THAT(message, ContainsSubstring("write NAME="));
    CHECK_THAT(test::message_of([&] { find_paint_calibrations(folder.path(), names); }),
               ContainsSubstring("Calibration/*-calibration-properties.json"));
    CHECK_THAT(test::message_of([&] { find_paint_heliostats(folder / "AA31/Deflectometry"); }),
               ContainsSubstring("Properties/*heliostat-properties*.json"));
}
