// SPDX-License-Identifier: MIT
// Section aiming, and aim points from a file.
#include "scenario/config/checks.h"
#include "scenario/config/write_run_config.h"
#include "tests/scenario_config/support.h"

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
    const auto read_back = [&] {
        return parse_run_config(run_config_text(config, "test"), "run.yaml", folder.path());
    };
    const RunConfig first = read_back();
    CHECK_FALSE(first.aim.heliostats.at("A").active);
    CHECK(first.aiming.flux_limit_file == folder.path() / "limits.csv");
    CHECK(first.aiming.target_map == folder.path() / "wanted.h5");
    CHECK(first.aiming.map_measure == AimingConfig::MapMeasure::kl);
    CHECK(first.aiming.robust_sigma == 1.5);
    CHECK(first.aiming.max_move_m_per_minute == 0.25);
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
    const std::string text = determining_text(config);
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
