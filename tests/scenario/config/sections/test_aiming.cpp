// SPDX-License-Identifier: MIT
// Section aiming, and aim points from a file.
#include "scenario/config/checks/checks.h"
#include "scenario/config/write_run_config.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/inputs/aim_steps.h"
#include "tests/scenario/config/support.h"

#include <cmath>
#include <functional>

using namespace helioray;
using namespace helioray::test;

namespace {

const std::string kAiming = kSmallest + "aiming:\n";

/// The problems of a configuration with a file aims.csv.
std::vector<Problem> problems_with_aims(const std::string& rows, const std::string& text) {
    const ConfigFolder folder;
    folder.write("aims.csv", rows);
    try {
        parse_run_config(text, "run.yaml", folder.path());
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

void check_one(const std::vector<Problem>& problems,
               const std::string& place,
               const std::string& what) {
    for (const Problem& problem : problems) UNSCOPED_INFO(to_string(problem));
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].where, ContainsSubstring(place));
    CHECK_THAT(problems[0].what, ContainsSubstring(what));
}

Scenario scenario_with(const std::vector<std::string>& names) {
    Scenario scenario;
    scenario.targets = {{"receiver", PlanarTarget{}}, {"second", PlanarTarget{}}};
    scenario.light_sources.emplace_back();
    for (const std::string& name : names) {
        Heliostat heliostat;
        heliostat.name = name;
        heliostat.actuators = std::make_shared<const ActuatorPair>();
        scenario.heliostats.push_back(heliostat);
    }
    return scenario;
}

const std::string kFileAlone =
    "scenario: plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9}\naim: {file: aims.csv}\n";

}  // namespace

TEST_CASE("without a section aiming the power is optimised without limits") {
    const AimingConfig aiming = parse(kSmallest).aiming;
    CHECK(aiming.strategy == AimingConfig::Strategy::optimize);
    CHECK_FALSE(aiming.flux_limit);
    CHECK_FALSE(aiming.flux_limit_file);
    CHECK_FALSE(aiming.target_map);
}

TEST_CASE("every key of section aiming is read, in SI units") {
    const ConfigFolder folder;
    folder.write("limits.csv", "");
    folder.write("wanted.h5", "");
    const AimingConfig first =
        parse_run_config(kAiming +
                             "  strategy: sigma\n"
                             "  flux_limit_kw_m2: 800\n"
                             "  objective: power\n"
                             "  robust_sigma: 2\n"
                             "  sigma_factor: 1.5\n"
                             "  target_shares: {north: 0.6, east: 0.3999999}\n"
                             "  max_move_m_per_minute: 0.5\n",
                         "run.yaml",
                         folder.path())
            .aiming;
    CHECK(first.strategy == AimingConfig::Strategy::sigma);
    CHECK(first.flux_limit == 800e3);
    CHECK(first.robust_sigma == 2.0);
    CHECK(first.sigma_factor == 1.5);
    CHECK(first.max_move_m_per_minute == 0.5);
    REQUIRE(first.target_shares.size() == 2);
    CHECK(first.target_shares.at("north") == Approx(0.6));
    CHECK(first.target_shares.at("north") + first.target_shares.at("east") == Approx(1.0));
    const AimingConfig second =
        parse_run_config(kAiming +
                             "  flux_limit: {file: limits.csv}\n"
                             "  objective: {target_map: wanted.h5, measure: kl}\n",
                         "run.yaml",
                         folder.path())
            .aiming;
    CHECK(second.flux_limit_file == folder.path() / "limits.csv");
    CHECK(second.target_map == folder.path() / "wanted.h5");
    CHECK(second.map_measure == AimingConfig::MapMeasure::kl);
}

TEST_CASE("a wrong value of section aiming is refused with its key") {
    const auto refused = [](const std::string& line, const std::string& key) {
        const auto problems = problems_of(kAiming + "  " + line + "\n");
        INFO(line);
        for (const Problem& problem : problems) UNSCOPED_INFO(to_string(problem));
        REQUIRE(problems.size() == 1);
        CHECK_THAT(problems[0].where, ContainsSubstring(key));
    };
    refused("strategy: centre_of_mass", "aiming.strategy");
    refused("flux_limit_kw_m2: 0", "aiming.flux_limit_kw_m2");
    refused("flux_limit_kw_m2: -800", "aiming.flux_limit_kw_m2");
    refused("flux_limit_kw_m2: .nan", "aiming.flux_limit_kw_m2");
    refused("flux_limit_kw_m2: high", "aiming.flux_limit_kw_m2");
    refused("flux_limit: 800", "aiming.flux_limit");
    refused("flux_limit: {}", "aiming.flux_limit");
    refused("flux_limit: {file: nowhere.csv}", "aiming.flux_limit.file");
    refused("objective: peak", "aiming.objective");
    refused("objective: {target_map: nowhere.h5}", "aiming.objective.target_map");
    refused("objective: {}", "aiming.objective");
    refused("flux_limits: 3", "aiming.flux_limits");
    refused("robust_sigma: -1", "aiming.robust_sigma");
    refused("robust_confidence: 1", "aiming.robust_confidence");
    refused("robust_confidence: 0.3", "aiming.robust_confidence");
    refused("robust_confidence: {}", "aiming.robust_confidence");
    refused("max_move_m_per_minute: 0", "aiming.max_move_m_per_minute");
    refused("target_shares: 0.5", "aiming.target_shares");
    refused("target_shares: {}", "aiming.target_shares");
    refused("target_shares: {a: 0.5}", "aiming.target_shares");
    refused("target_shares: {a: 0.5, b: 0.499}", "aiming.target_shares");
    refused("target_shares: {a: 0.5, b: half}", "aiming.target_shares.b");
    refused("target_shares: {a: 1, b: 0.5}", "aiming.target_shares.a");
    refused("target_shares: {a: -0.5, b: 0.5}", "aiming.target_shares.a");
}

TEST_CASE("two limits, and a map for a strategy that takes none, contradict each other") {
    const ConfigFolder folder;
    folder.write("limits.csv", "");
    const auto problems = [&](const std::string& lines) {
        try {
            parse_run_config(kAiming + lines, "run.yaml", folder.path());
        } catch (const InputError& error) {
            return error.problems();
        }
        return std::vector<Problem>{};
    };
    check_one(problems("  flux_limit_kw_m2: 800\n  flux_limit: {file: limits.csv}\n"),
              "9:3: aiming.flux_limit",
              "stands beside flux_limit_kw_m2");
    check_one(problems("  robust_sigma: 2\n  robust_confidence: 0.95\n"),
              "aiming.robust_confidence",
              "stands beside robust_sigma");
    check_one(problems("  strategy: center\n  objective: {target_map: limits.csv}\n"),
              "aiming.objective.target_map",
              "strategy center takes no map");
    check_one(
        problems("  objective: {target_map: limits.csv}\n  target_shares: {a: 0.5, b: 0.5}\n"),
        "aiming.target_shares",
        "stands beside aiming.objective.target_map");
}

TEST_CASE("a written configuration keeps the section aiming") {
    const ConfigFolder folder;
    folder.write("limits.csv", "");
    folder.write("wanted.h5", "");
    RunConfig config;
    config.scenario = "plant.h5";
    config.sun.position = SunAngles{1.0, 1.0};
    config.aim.target = "receiver";
    config.aim.heliostats["A"].active = false;
    config.aiming.flux_limit_file = "limits.csv";
    config.aiming.target_map = "wanted.h5";
    config.aiming.map_measure = AimingConfig::MapMeasure::kl;
    config.aiming.robust_sigma = 1.5;
    config.aiming.max_move_m_per_minute = 0.25;
    config.aiming.min_move = 0.05;
    const auto read_back = [&] {
        return parse_run_config(run_config_text(config, "test"), "run.yaml", folder.path());
    };
    const RunConfig first = read_back();
    CHECK_FALSE(first.aim.heliostats.at("A").active);
    CHECK(first.aiming.flux_limit_file == folder.path() / "limits.csv");
    CHECK(first.aiming.target_map == folder.path() / "wanted.h5");
    CHECK(first.aiming.map_measure == AimingConfig::MapMeasure::kl);
    CHECK(first.aiming.robust_sigma == 1.5);
    CHECK_FALSE(first.aiming.robust_confidence);
    CHECK(first.aiming.max_move_m_per_minute == 0.25);
    CHECK(first.aiming.min_move == 0.05);
    config.aiming = {};
    config.aiming.strategy = AimingConfig::Strategy::sigma;
    config.aiming.flux_limit = 812.5e3;
    config.aiming.sigma_factor = 2.5;
    config.aiming.target_shares = {{"north 1", 0.25}, {"south", 0.75}};
    const RunConfig second = read_back();
    CHECK(second.aiming.strategy == AimingConfig::Strategy::sigma);
    CHECK(second.aiming.flux_limit == 812.5e3);
    CHECK(second.aiming.sigma_factor == 2.5);
    CHECK(second.aiming.target_shares == config.aiming.target_shares);
}

TEST_CASE("aim.file sets targets, points and switches of heliostats") {
    const ConfigFolder folder;
    folder.write("aims.csv",
                 "name,target,east,north,up,active\n"
                 "A,receiver,0.1,-2.5,55.123456789012345,true\n"
                 "\"B, 2\",second,1,2,3,false\n");
    const RunConfig config = parse_run_config(kFileAlone, "run.yaml", folder.path());
    const auto& aims = config.aim.heliostats;
    REQUIRE(aims.size() == 2);
    CHECK(aims.at("A").target == "receiver");
    CHECK(aims.at("A").point == Vec3{0.1, -2.5, 55.123456789012345});
    CHECK(aims.at("A").active);
    CHECK(aims.at("B, 2").target == "second");
    CHECK_FALSE(aims.at("B, 2").active);
    // Results are told apart by the file's contents, not by its name.
    folder.write("other.csv", "name,target,east,north,up\nA,receiver,0,0,0\n");
    const std::string text = determining_text(config, parse_yaml(config.text, "text"));
    CHECK_THAT(text, ContainsSubstring("55.12345678901234"));
    CHECK_THAT(text, !ContainsSubstring("aims.csv"));
}

TEST_CASE("settings in aim.heliostats go before a row of aim.file") {
    const ConfigFolder folder;
    folder.write("aims.csv",
                 "name,target,east,north,up,active\n"
                 "A,receiver,1,2,3,false\nB,receiver,1,2,3,true\nC,receiver,1,2,3,false\n");
    const std::string own =
        "aim:\n"
        "  file: aims.csv\n"
        "  heliostats:\n"
        "    A: {point: [4, 5, 6]}\n"
        "    B: {target: second}\n"
        "    C: {active: true}\n";
    const RunConfig config =
        parse_run_config("scenario: plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9}\n" + own,
                         "run.yaml",
                         folder.path());
    const auto& aims = config.aim.heliostats;
    CHECK(aims.at("A").point == Vec3{4.0, 5.0, 6.0});
    CHECK(aims.at("A").target == "receiver");
    CHECK_FALSE(aims.at("A").active);
    // A row's point lies on the row's target.
    CHECK(aims.at("B").target == "second");
    CHECK_FALSE(aims.at("B").point);
    CHECK(aims.at("C").point == Vec3{1.0, 2.0, 3.0});
    CHECK(aims.at("C").active);
}

TEST_CASE("a wrong aim.file is refused with its line") {
    const std::string header = "name,target,east,north,up,active\n";
    const auto refused =
        [&](const std::string& rows, const std::string& place, const std::string& what) {
            INFO(rows);
            check_one(problems_with_aims(rows, kFileAlone), place, what);
        };
    refused("", "aims.csv", "has no rows");
    refused("name,target,east,north\nA,receiver,1,2\n", "aims.csv:1", "no column 'up'");
    refused("name,target,east,north,up,activ\nA,receiver,1,2,3,true\n", "aims.csv:1", "'activ'");
    refused(header + "A,receiver,1,2,nan,true\n", "aims.csv:2: up", "'nan' is not a number");
    refused(header + "A,receiver,1,2,,true\n", "aims.csv:2: up", "'' is not a number");
    refused(header + "A,receiver,1,2,3,maybe\n", "aims.csv:2: active", "'maybe' is neither");
    refused(header + "A,,1,2,3,true\n", "aims.csv:2: target", "is empty");
    refused(header + ",receiver,1,2,3,true\n", "aims.csv:2: name", "is empty");
    refused(header + "A,receiver,1,2,3\n", "aims.csv:2", "has 5 cells");
    refused(header + "A,receiver,1,2,3,true\nA,receiver,1,2,3,true\n",
            "aims.csv:3: name",
            "'A' is given twice");
    check_one(problems_of(kFileAlone), "3:13: aim.file", "there is no file");
}

TEST_CASE("names in aim.file that the scenario does not have are placed in the file") {
    const ConfigFolder folder;
    folder.write("aims.csv", "name,target,east,north,up\nA,receiver,1,2,3\nX,reciever,1,2,3\n");
    const RunConfig config = parse_run_config(kFileAlone, "run.yaml", folder.path());
    try {
        check_against_scenario(config, scenario_with({"A", "B"}));
        FAIL("nothing was refused");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 3);
        CHECK_THAT(error.problems()[0].where, ContainsSubstring("aims.csv:3:1: aim.heliostats.X"));
        CHECK_THAT(error.problems()[1].what, ContainsSubstring("no target 'reciever'"));
        CHECK_THAT(error.problems()[1].where, ContainsSubstring("aims.csv:3:1"));
        // B has neither a row nor a common target.
        CHECK_THAT(error.problems()[2].where, ContainsSubstring("aim.heliostats.B.target"));
    }
}

namespace {

const std::string kResultAlone =
    "scenario: plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9}\naim: {file: flux.h5}\n";

/// Aim points of three heliostats, B off and C moved by motors.
void write_aims(hdf5::Group& group) {
    group.write_strings("name", {"A", "B", "C"});
    group.write_strings("target", {"receiver", "second", "receiver"});
    group.write_array("aim_point", std::vector<double>{0.1, -2.5, 55.0, 1, 2, 3, 4, 5, 6}, {3, 3});
    group.write_array("active", std::vector<double>{1, 0, 1}, {3});
}

void fill_result_of_aim(hdf5::Group root) {
    root.write_attribute("config", "aim: {heliostats: {C: {motor_positions: [1, 2]}}}\n");
    // The run itself has the heliostats that are on.
    root.create_group("heliostats").write_strings("name", {"A"});
    hdf5::Group group = root.create_group("aiming/heliostats");
    write_aims(group);
}

std::vector<Problem> problems_of_result(const std::function<void(hdf5::Group)>& fill) {
    const ConfigFolder folder;
    hdf5::write_file(folder.path() / "flux.h5", fill);
    try {
        parse_run_config(kResultAlone, "run.yaml", folder.path());
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

}  // namespace

TEST_CASE("aim.file takes the aim points of a result, and leaves off what it does not have") {
    const ConfigFolder folder;
    hdf5::write_file(folder.path() / "flux.h5", fill_result_of_aim);
    const RunConfig config = parse_run_config(kResultAlone, "run.yaml", folder.path());
    const auto& aims = config.aim.heliostats;
    REQUIRE(aims.size() == 2);
    CHECK(aims.at("A").target == "receiver");
    CHECK(aims.at("A").point == Vec3{0.1, -2.5, 55.0});
    CHECK(aims.at("A").active);
    CHECK(aims.at("B").target == "second");
    CHECK_FALSE(aims.at("B").active);
    REQUIRE(config.aim.active);
    CHECK(*config.aim.active == std::vector<std::string>{"A", "B", "C"});
    // What the configuration says itself goes before.
    const std::string own =
        kResultAlone.substr(0, kResultAlone.find("aim:")) +
        "aim: {file: flux.h5, target: receiver, heliostats: {B: {active: true}, D: {}}}\n";
    const RunConfig with_own = parse_run_config(own, "run.yaml", folder.path());
    CHECK(with_own.aim.heliostats.at("B").active);
    CHECK(*with_own.aim.active == std::vector<std::string>{"A", "B", "C", "D"});
    // Heliostats of another plant are reported once, where they stand.
    try {
        check_against_scenario(config, scenario_with({"A", "C"}));
        FAIL("nothing was refused");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 1);
        CHECK_THAT(error.problems()[0].where, ContainsSubstring("flux.h5: /aiming/heliostats"));
        CHECK_THAT(error.problems()[0].what, ContainsSubstring("no heliostat 'B'"));
    }
}

TEST_CASE("aim.file takes the steps of a series from its result") {
    const ConfigFolder folder;
    hdf5::write_file(folder.path() / "flux.h5", [](hdf5::Group root) {
        root.create_group("series").write_strings(
            "time", {"2026-06-21T08:00:00Z", "2026-06-21T10:30:00+02:00"});
        hdf5::Group group = root.create_group("heliostats");
        group.write_strings("name", {"A", "B"});
        group.write_strings("target", {"receiver", "receiver"});
        std::vector<double> points;
        for (int i = 0; i < 12; ++i) points.push_back(i);
        group.write_array("aim_point", points, {2, 2, 3});
        group.write_array("rays", std::vector<double>{100, 100, 0, 100}, {2, 2});
    });
    const auto parsed = [&](const std::string& sun) {
        return parse_run_config("scenario: plant.h5\nsun: " + sun + "\naim: {file: flux.h5}\n",
                                "run.yaml",
                                folder.path());
    };
    const RunConfig one = parsed("{time: \"2026-06-21T08:30:00Z\"}");
    CHECK(one.aim.heliostats.at("B").point == Vec3{9.0, 10.0, 11.0});
    CHECK_FALSE(one.aim.heliostats.at("A").active);
    const RunConfig series =
        parsed("{times: [\"2026-06-21T08:30:00Z\", \"2026-06-21T08:00:00Z\"]}");
    const auto steps = read_step_aims(series, {"2026-06-21T08:30:00Z", "2026-06-21T08:00:00Z"});
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].heliostats.at("B").point == Vec3{9.0, 10.0, 11.0});
    CHECK(steps[1].heliostats.at("A").point == Vec3{0.0, 1.0, 2.0});
    CHECK(steps[1].heliostats.at("A").active);
    CHECK(*steps[1].active == std::vector<std::string>{"A", "B"});
    CHECK_THROWS_WITH(parsed("{azimuth_deg: 0, elevation_deg: 9}"),
                      ContainsSubstring("several steps"));
}

TEST_CASE("a wrong result in aim.file is refused with its place") {
    const auto refused = [](const std::function<void(hdf5::Group)>& fill,
                            const std::string& place,
                            const std::string& what) {
        INFO(place << " " << what);
        check_one(problems_of_result(fill), place, what);
    };
    refused([](hdf5::Group root) { root.create_group("heliostats").create_group("A"); },
            "flux.h5: /heliostats/aim_point",
            "is missing");
    const auto fill_heliostats = [](hdf5::Group root,
                                    const std::vector<std::string>& names,
                                    const std::vector<std::string>& targets,
                                    std::vector<double> points,
                                    const hdf5::Shape& shape) {
        hdf5::Group group = root.create_group("heliostats");
        group.write_strings("name", names);
        group.write_strings("target", targets);
        group.write_array("aim_point", points, shape);
    };
    refused(
        [&](hdf5::Group root) {
            fill_heliostats(root, {"A"}, {"r"}, {1, 2, 3, 4, 5, 6}, {2, 3});
        },
        "/heliostats/aim_point",
        "has the shape (2, 3), expected (1, 3)");
    refused(
        [&](hdf5::Group root) {
            fill_heliostats(root, {"A"}, {"r", "s"}, {1, 2, 3}, {1, 3});
        },
        "/heliostats/target",
        "as many entries");
    refused(
        [&](hdf5::Group root) {
            fill_heliostats(root, {"A", "A"}, {"r", "r"}, {1, 2, 3, 4, 5, 6}, {2, 3});
        },
        "/heliostats/name",
        "'A' is given twice");
    refused(
        [&](hdf5::Group root) {
            fill_heliostats(root, {"A"}, {""}, {1, 2, 3}, {1, 3});
        },
        "/heliostats/target",
        "empty");
    refused(
        [&](hdf5::Group root) {
            fill_heliostats(root, {"A"}, {"r"}, {1, std::nan(""), 3}, {1, 3});
        },
        "/heliostats/aim_point",
        "beyond");
    const ConfigFolder folder;
    folder.write("flux.h5", "no result");
    CHECK_THROWS_WITH(parse_run_config(kResultAlone, "run.yaml", folder.path()),
                      ContainsSubstring("flux.h5"));
}
