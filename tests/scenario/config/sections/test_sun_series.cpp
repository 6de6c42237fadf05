// SPDX-License-Identifier: MIT
// Several positions of the sun: lists, ranges, files, and what is wrong with them.
#include "scenario/config/reader.h"
#include "scenario/config/write_run_config.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/units.h"
#include "scenario/types/utc_time.h"
#include "tests/scenario/config/support.h"

using namespace helioray;
using namespace helioray::test;

namespace {

const ConfigFolder& folder() {
    static const ConfigFolder folder;
    return folder;
}

std::string config_text(const std::string& sun) {
    return "scenario: plant.h5\nsun: {" + sun + "}\naim: {target: receiver}\n";
}

RunConfig read(const std::string& sun) {
    return parse_run_config(config_text(sun), "run.yaml", folder().path());
}

std::vector<Problem> series_problems(const std::string& sun) {
    try {
        read(sun);
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

std::string time_of(const SunStep& step) {
    return std::get<SunTime>(step.position).iso8601;
}

}  // namespace

TEST_CASE("a list of times is a series in its order") {
    const RunConfig config =
        read(R"(times: ["2026-06-21T12:00:00+02:00", "2026-06-21T09:30Z"], dni_w_m2: 700)");
    REQUIRE(config.sun.series);
    const SunSeries& series = *config.sun.series;
    REQUIRE(series.steps.size() == 2);
    CHECK(time_of(series.steps[0]) == "2026-06-21T12:00:00+02:00");
    CHECK(time_of(series.steps[1]) == "2026-06-21T09:30:00+00:00");
    CHECK(series.steps[1].dni == 700.0);
    CHECK(contains(series.steps[1].where, "sun.times[1]"));
    CHECK_FALSE(series.leave_out_dark);
}

TEST_CASE("a range of times has both ends and keeps the offset") {
    const RunConfig config = read(
        R"(times: {start: "2026-12-31T22:00:00-03:30", end: "2027-01-01T02:30:00-02:30", step_minutes: 90})");
    const SunSeries& series = *config.sun.series;
    REQUIRE(series.steps.size() == 3);
    CHECK(time_of(series.steps[0]) == "2026-12-31T22:00:00-03:30");
    CHECK(time_of(series.steps[1]) == "2026-12-31T23:30:00-03:30");
    CHECK(time_of(series.steps[2]) == "2027-01-01T01:00:00-03:30");
    CHECK(series.leave_out_dark);
}

TEST_CASE("a range of times holds every minute of a year") {
    const RunConfig config = read(
        R"(times: {start: "2028-01-01T00:00:00Z", end: "2028-12-31T23:59:00Z", step_minutes: 1})");
    const SunSeries& series = *config.sun.series;
    REQUIRE(series.steps.size() == 527'040);
    CHECK(time_of(series.steps.back()) == "2028-12-31T23:59:00+00:00");
}

TEST_CASE("positions have irradiances of their own or the common one") {
    const RunConfig config = read(
        "positions: [{azimuth_deg: 90, elevation_deg: 20, dni_w_m2: 400}, {azimuth_deg: 180, "
        "elevation_deg: 60}], dni_w_m2: 900");
    const auto& steps = config.sun.series->steps;
    REQUIRE(steps.size() == 2);
    CHECK(std::get<SunAngles>(steps[0].position).azimuth == Approx(90.0 * kRadiansPerDegree));
    CHECK(std::get<SunAngles>(steps[1].position).elevation == Approx(60.0 * kRadiansPerDegree));
    CHECK(steps[0].dni == 400.0);
    CHECK(steps[1].dni == 900.0);
}

TEST_CASE("a file gives times or angles") {
    folder().write("suns.csv", "time, dni_w_m2\n2026-06-21T12:00:00+02:00, 0\n");
    const SunSeries by_time = *read("file: suns.csv").sun.series;
    REQUIRE(by_time.steps.size() == 1);
    CHECK(by_time.steps[0].dni == 0.0);
    CHECK(by_time.leave_out_dark);
    folder().write("suns.csv", "elevation_deg,azimuth_deg\n-3,200\n10,100\n");
    const SunSeries by_angles = *read("file: suns.csv, dni_w_m2: 123").sun.series;
    REQUIRE(by_angles.steps.size() == 2);
    CHECK(std::get<SunAngles>(by_angles.steps[0].position).elevation ==
          Approx(-3.0 * kRadiansPerDegree));
    CHECK(by_angles.steps[1].dni == 123.0);
    CHECK(contains(by_angles.steps[1].where, "suns.csv:3"));
}

TEST_CASE("a series has a temperature for each step or the common one") {
    const auto temperatures = [](const RunConfig& config) {
        std::vector<std::optional<double>> values;
        for (const SunStep& step : config.sun.series->steps) values.push_back(step.temperature);
        return values;
    };
    using Values = std::vector<std::optional<double>>;
    const RunConfig positions = read(
        "positions: [{azimuth_deg: 90, elevation_deg: 20, temperature_c: -4}, {azimuth_deg: 180, "
        "elevation_deg: 60}], temperature_c: 21.5");
    CHECK(positions.sun.temperature == 21.5);
    CHECK(temperatures(positions) == Values{-4.0, std::nullopt});
    folder().write("suns.csv",
                   "azimuth_deg,elevation_deg,temperature_c\n90,10,5.5\n91,11,\n92,12,nan\n");
    CHECK(temperatures(read("file: suns.csv")) == Values{5.5, std::nullopt, std::nullopt});
    // Names of other programs, and kelvin.
    for (const char* name : {"temp_air", "Tdry", "Dry Bulb", "T2m", "Air Temperature (°C)"}) {
        folder().write("suns.csv",
                       std::string("azimuth_deg,elevation_deg,") + name + "\n90,10,7\n");
        INFO(name);
        CHECK(temperatures(read("file: suns.csv")) == Values{7.0});
    }
    for (const char* name : {"temperature [K]", "temperature_kelvin", "air_temperature_k"}) {
        folder().write("suns.csv",
                       std::string("azimuth_deg,elevation_deg,") + name + "\n90,10,300.15\n");
        INFO(name);
        CHECK(temperatures(read("file: suns.csv")).at(0).value() == Approx(27.0));
    }
    folder().write("bad.csv", "azimuth_deg,elevation_deg,temperature_c\n90,10,300\n90,11,x\n");
    const std::vector<Problem> problems = series_problems("file: bad.csv");
    REQUIRE(problems.size() == 2);
    CHECK(contains(problems[0].where, "bad.csv:2: temperature_c"));
    CHECK(contains(problems[0].what, "is not a number from -100 to 100"));
    folder().write("bad.csv", "azimuth_deg,elevation_deg,temperature [degF]\n90,10,80\n");
    CHECK(contains(series_problems("file: bad.csv").at(0).what, "is no unit of column"));
}

TEST_CASE("beside angles in a file, times say when the sun stands there") {
    folder().write("suns.csv", "time,azimuth_deg,elevation_deg\n2026-06-21T10:00Z,100,10\n");
    const SunSeries series = *read("file: suns.csv").sun.series;
    REQUIRE(series.steps.size() == 1);
    const auto& sun = std::get<SunAngles>(series.steps[0].position);
    CHECK(sun.azimuth == Approx(100.0 * kRadiansPerDegree));
    CHECK(sun.elevation == Approx(10.0 * kRadiansPerDegree));
    CHECK(sun.iso8601 == "2026-06-21T10:00:00+00:00");
    folder().write("suns.csv", "time,azimuth_deg,elevation_deg\nnoon,100,10\n");
    CHECK(contains(series_problems("file: suns.csv").at(0).where, "suns.csv:2"));
    folder().write("suns.csv", "time,azimuth_deg\n2026-06-21T10:00Z,100\n");
    CHECK(contains(series_problems("file: suns.csv").at(0).what, "only one of azimuth_deg"));
}

TEST_CASE("bad series are refused where they are wrong") {
    struct Case {
        std::string sun, where, what;
    };
    const std::string start = R"(start: "2026-06-21T06:00:00+02:00")";
    const std::string end = R"(end: "2026-06-21T18:00:00+02:00")";
    const std::vector<Case> cases{
        {"times: []", "sun.times", "names no position"},
        {R"(times: ["2026-06-21T12:00:00"])", "sun.times[0]", "no offset"},
        {R"(times: [noon, "2026-06-21T12:00:00Z"])", "sun.times[0]", "is not an ISO 8601"},
        {"times: {" + start + ", " + end + "}", "sun.times.step_minutes", "is missing"},
        {"times: {" + end + ", step_minutes: 5}", "sun.times.start", "is missing"},
        {"times: {" + start + ", end: noon, step_minutes: 5}", "sun.times.end", "noon"},
        {"times: {" + start + R"(, end: "2026-06-21T05:00:00+02:00", step_minutes: 5})",
         "sun.times.end",
         "is before the start"},
        {"times: {" + start + ", " + end + ", step_minutes: 0}", "step_minutes", "0"},
        {"times: {" + start + ", " + end + ", step_minutes: 0.001}",
         "step_minutes",
         "shorter than a second"},
        {"times: {" + start + R"(, end: "2126-06-21T05:00:00Z", step_minutes: 1})",
         "step_minutes",
         "steps"},
        {"times: {" + start + ", " + end + ", step_minuts: 5}", "step_minuts", "unknown key"},
        {"positions: []", "sun.positions", "names no position"},
        {"positions: [{azimuth_deg: 90}]", "sun.positions[0].elevation_deg", "is missing"},
        {"positions: [{azimuth_deg: 90, elevation_deg: -1}]",
         "sun.positions[0].elevation_deg",
         "is not above 0"},
        {"positions: [{azimuth_deg: 90, elevation_deg: 9, dni: 7}]", "dni", "unknown key"},
        {"file: nowhere.csv", "sun.file", "there is no file"},
        {"positions: [{azimuth_deg: 90, elevation_deg: 9}], file: nowhere.csv",
         "sun.file",
         "more than one form"},
    };
    for (const Case& one : cases) {
        INFO(one.sun);
        bool found = false;
        for (const Problem& problem : series_problems(one.sun)) {
            INFO(to_string(problem));
            found |= contains(problem.where, one.where) && contains(problem.what, one.what);
        }
        CHECK(found);
    }
}

TEST_CASE("every problem of a file of positions is found at once") {
    folder().write("bad.csv",
                   "azimuth_deg,elevation_deg,dni_w_m2\n400,10,5\n0,10\n0,x,5\n0,10,-100\n");
    const std::vector<Problem> problems = series_problems("file: bad.csv");
    REQUIRE(problems.size() == 4);
    for (const char* line : {"bad.csv:2", "bad.csv:3", "bad.csv:4", "bad.csv:5"}) {
        CHECK(std::count_if(problems.begin(), problems.end(), [&](const Problem& problem) {
                  return contains(problem.where, line);
              }) == 1);
    }
    folder().write("bad.csv", "azimuth_deg\n1\n");
    CHECK(contains(series_problems("file: bad.csv").at(0).what, "neither times nor angles"));
}

TEST_CASE("instants and their texts") {
    CHECK(milliseconds_of("1970-01-01T00:00:00+00:00") == 0);
    CHECK(milliseconds_of("2000-03-01T00:00:00.25+01:00") == 951865200250);
    CHECK(iso_time_at(951865200250, "2020-01-01T00:00:00+01:00") ==
          "2000-03-01T00:00:00.250+01:00");
    CHECK(iso_time_at(-1000, "2020-01-01T00:00:00-05:30") == "1969-12-31T18:29:59-05:30");
    for (const char* time : {"1900-01-01T00:00:00+14:00", "2024-02-29T23:59:59-11:30"})
        CHECK(iso_time_at(milliseconds_of(time), time) == time);
}

TEST_CASE("what determines the numbers of a configuration") {
    const RunConfig config = read("positions: [{azimuth_deg: 90, elevation_deg: 9}]");
    const auto changed = [&](const std::vector<std::string>& settings) {
        Overrides overrides;
        overrides.set = settings;
        const RunConfig made =
            parse_run_config(config_text("positions: [{azimuth_deg: 90, elevation_deg: 9}]"),
                             "run.yaml",
                             folder().path(),
                             overrides);
        return determining_text(made, parse_yaml(made.text, "text"));
    };
    const std::string before = changed({"output.file=a.h5"});
    CHECK(changed({"output.file=b.h5"}) == before);
    CHECK(changed({"output.file=b.h5", "output.image=b.png", "device=cpu"}) == before);
    CHECK(changed({"output.file=b.h5", "distributed.schedule=dynamic"}) == before);
    CHECK(changed({"output.file=a.h5", "tracing.seed=1"}) != before);
    CHECK(changed({"output.file=a.h5", "output.per_heliostat=true"}) != before);
    CHECK(changed({"output.file=a.h5", "optics.reflectivity=0.5"}) != before);
    // The contents of a table, not its name.
    const auto table = [&](const std::string& name, const std::string& text) {
        const std::string path = folder().write(name, text).string();
        return changed({"sun.shape={type: table, file: " + path + "}"});
    };
    CHECK(table("a.csv", "0,1\n4,1\n") == table("b.csv", "0,1\n4,1\n"));
    CHECK(table("a.csv", "0,1\n4,1\n") != table("a.csv", "0,1\n5,1\n"));
}
