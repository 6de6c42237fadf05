// SPDX-License-Identifier: MIT
// Section state: tables of states, what they do to aims, and what is refused.
#include "scenario/config/state_aims.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/inputs/state_table.h"
#include "tests/scenario/config/support.h"

#include <limits>

using namespace helioray;
using namespace helioray::test;

namespace {

const std::string kSunInSouth = "sun: {azimuth_deg: 180, elevation_deg: 45}\n";
const std::string kTimedSun = "sun: {time: \"2026-06-21T12:00:00+02:00\"}\n";

/// The configuration with a table of these rows, keys `more` in section state, and more sections.
RunConfig with_table(const std::string& rows,
                     const std::string& more = "",
                     const std::string& sections = "",
                     const std::string& sun = kSunInSouth) {
    const ConfigFolder folder;
    folder.write("state.csv", rows);
    return parse_run_config("scenario: plant.h5\naim: {target: receiver, active: [a, b, c]}\n" +
                                sun + "state: {file: state.csv" + more + "}\n" + sections,
                            "run.yaml",
                            folder.path());
}

/// The only problem of such a configuration; empty if it has none.
std::string state_problem(const std::string& rows,
                          const std::string& more = "",
                          const std::string& sections = "",
                          const std::string& sun = kSunInSouth) {
    try {
        with_table(rows, more, sections, sun);
    } catch (const InputError& error) {
        INFO(error.what());
        REQUIRE(error.problems().size() == 1);
        return to_string(error.problems()[0]);
    }
    return {};
}

}  // namespace

TEST_CASE("a table has the state of one heliostat or of all") {
    const RunConfig config = with_table(
        "name,reflectance,soiling,slope_error_mrad,specularity error [rad],tracking_bias_1_mrad,"
        "tracking_bias_2_mrad,tracking_error_mrad,dni_share\n"
        "all,0.9,,1.5,,,,,\n"
        "a,,0.1,,0.0005,-1,2,0.3,0.5\n"
        "b,0.8,,0,,,,,\n");
    const MirrorState a = state_at(config.state, "a", 0);
    CHECK(a.reflectivity == 0.9);
    CHECK(a.soiling == 0.1);
    CHECK(a.slope_error == Approx(1.5e-3));
    CHECK(a.specularity_error == Approx(0.5e-3));
    CHECK(*a.tracking_bias[0] == Approx(-1e-3));
    CHECK(*a.tracking_bias[1] == Approx(2e-3));
    CHECK(a.tracking_error == Approx(0.3e-3));
    CHECK(a.dni_share == 0.5);
    const MirrorState b = state_at(config.state, "b", 0);
    CHECK(b.reflectivity == 0.8);
    CHECK(b.slope_error == 0.0);
    CHECK(!b.soiling);
    CHECK(state_at(config.state, "c", 0).reflectivity == 0.9);
    CHECK(!config.state.has_times());
}

TEST_CASE("availability, targets and aim points become those of section aim") {
    const RunConfig config = with_table(
        "name,available,target,east,north,up\n"
        "a,false,,,,\n"
        "b,yes,other,,,\n"
        "c,,,1,2,3\n");
    CHECK(!config.aim.heliostats.at("a").active);
    CHECK(config.aim.heliostats.at("b").target == "other");
    CHECK(config.aim.heliostats.at("b").active);
    CHECK(config.aim.heliostats.at("c").point == Vec3{1, 2, 3});
    CHECK(config.aim.target == "receiver");

    const RunConfig all = with_table("name,available,target\n,false,other\nb,true,\n");
    CHECK(all.aim.target == "other");
    CHECK(all.aim.active == std::vector<std::string>{"b"});
    // Repeating it changes nothing.
    const AimConfig again = aims_with_state(all.aim, all.state, 0);
    CHECK(again.active == all.aim.active);
    CHECK(again.target == all.aim.target);
}

TEST_CASE("rows with times apply from their time on") {
    const std::string rows =
        "name,time,available,soiling\n"
        "a,,true,0.3\n"
        "a,2026-06-21T09:00:00Z,false,0.1\n"
        "a,2026-06-21T11:00:00Z,true,\n"
        "all,2026-06-21T10:00:00Z,,0.2\n";
    const RunConfig config = with_table(rows, "", "", kTimedSun);
    CHECK(config.state.has_times());
    CHECK(!config.aim.heliostats.at("a").active);
    const auto soiling_at = [&](const char* time, const char* name) {
        return state_at(config.state, name, state_instant(config.state, time)).soiling;
    };
    CHECK(soiling_at("2026-06-21T08:59:59+00:00", "a") == 0.3);
    CHECK(soiling_at("2026-06-21T11:00:00+02:00", "a") == 0.1);
    CHECK(soiling_at("2026-06-21T11:00:00+00:00", "a") == 0.2);
    CHECK(!soiling_at("2026-06-21T09:59:59+00:00", "b"));
    CHECK(soiling_at("2026-06-21T10:00:00+00:00", "b") == 0.2);
    CHECK(contains(state_problem(rows), "the position of the sun none"));
    CHECK(
        contains(state_problem("time,soiling\n2026-06-21T13:00:00+02:00,0.1\n", "", "", kTimedSun),
                 "has no row at 2026-06-21T12:00:00+02:00 or before"));
}

TEST_CASE("a table in HDF5 is that in CSV") {
    const ConfigFolder folder;
    const std::filesystem::path path = folder.path() / "state.h5";
    hdf5::write_file(path, [](hdf5::Group root) {
        const double missing = std::numeric_limits<double>::quiet_NaN();
        root.write_strings("name", {"a", "b"});
        root.write_array("reflectivity", std::vector<double>{0.8, missing}, {2});
        root.write_array("slope_error_mrad", std::vector<double>{1.25, 2.0}, {2});
        root.write_array("available", std::vector<double>{1, 0}, {2});
    });
    std::vector<Problem> problems;
    std::optional<std::string> warning;
    const StateConfig state = read_state_table(path, problems, warning);
    REQUIRE(problems.empty());
    CHECK(!warning);
    CHECK(state_at(state, "a", 0).reflectivity == 0.8);
    CHECK(state_at(state, "a", 0).slope_error == Approx(1.25e-3));
    CHECK(!state_at(state, "b", 0).reflectivity);
    CHECK(state_at(state, "b", 0).available == false);
}

TEST_CASE("mistakes of a table are named with their place") {
    const auto refuses = [](const std::string& rows, const std::string& part) {
        const std::string problem = state_problem(rows);
        CAPTURE(rows, part, problem);
        CHECK(contains(problem, "state.csv"));
        CHECK(contains(problem, part));
    };
    refuses("name,reflectivity\na,1.2\n", "state.csv:2: reflectivity: '1.2' is not a number");
    refuses("name,soiling\na,0.1\nb,-0.1\n", "state.csv:3: soiling: '-0.1' is not a number");
    refuses("name,slope_error\na,1\n", "column 'slope_error' has no unit");
    refuses("name,slope_error_mrad\na,900\n", "slope_error_mrad: '900' is not a number from 0");
    refuses("name,available\na,maybe\n", "state.csv:2: available: 'maybe' is neither true");
    refuses("name,time,soiling\na,yesterday,0\n", "state.csv:2: time: 'yesterday'");
    refuses("name,soiling\na,0\na,0.1\n", "state.csv:3: name: 'a' is given twice");
    refuses("soiling\n0\n0.1\n", "state.csv:3: a row for all heliostats is given twice");
    refuses("name,east,north\na,1,2\n", "state.csv:2: up: the aim point is incomplete");
    refuses("name,cleanliness\na,1\n", "unknown column 'cleanliness'");
    refuses("name,soilling\na,1\n", "did you mean 'soiling'");
    refuses("name,time,target\na,2026-06-21T09:00:00Z,x\na,2026-06-21T11:00:00Z,y\n",
            "heliostat 'a' changes its target");
    CHECK(contains(state_problem("name,slope_error_mrad\na,1\n",
                                 "",
                                 "optics: {slope_error: {type: pillbox, half_angle_mrad: 1}}\n"),
                   "column slope_error_mrad has widths of Gaussian distributions"));
}

TEST_CASE("soiling, washing and outages of years are read and checked") {
    const RunConfig config = with_table(
        "name,soiling\na,0\n",
        ", soiling: {rate_per_day: 0.003, washing: {every: monday, share: 0.5, to: 0.01}}, "
        "outages: {share: 0.02, mean_days: 4, seed: 9}");
    const StateConfig& state = config.state;
    CHECK(state.soiling_per_day == 0.003);
    CHECK(state.wash_day == WashDay::monday);
    CHECK(state.washed_share == 0.5);
    CHECK(state.washed_to == 0.01);
    CHECK(state.outage_share == 0.02);
    CHECK(state.outage_days == 4.0);
    CHECK(state.outage_seed == 9);
    CHECK(state.changes_over_year());
    const std::string rows = "name,soiling\na,0\n";
    CHECK(contains(state_problem(rows, ", soiling: {washing: {every: monday}}"), "rate_per_day"));
    CHECK(contains(state_problem(rows, ", soiling: {rate_per_day: 0.1, washing: {share: 0.5}}"),
                   "has no days of washing"));
    CHECK(contains(
        state_problem(rows, ", soiling: {rate_per_day: 0.1, washing: {every: monday, days: 7}}"),
        "is given beside every"));
    CHECK(contains(state_problem(rows, ", outages: {share: 0.95}"), "0 to 0.9"));
}
