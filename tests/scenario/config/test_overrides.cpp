// SPDX-License-Identifier: MIT
// Values of the command line.
#include "tests/scenario/config/support.h"

using namespace helioray;
using namespace helioray::test;

namespace {

Overrides set(std::vector<std::string> settings) {
    Overrides overrides;
    overrides.set = std::move(settings);
    return overrides;
}

/// The single problem that a setting causes.
Problem problem_of(const std::string& setting) {
    const auto problems = problems_of(kSmallest, set({setting}));
    INFO(setting);
    for (const Problem& problem : problems) UNSCOPED_INFO(to_string(problem));
    REQUIRE(problems.size() == 1);
    return problems[0];
}

/// Changes the working directory and back.
class WorkingDirectory {
  public:
    explicit WorkingDirectory(const std::filesystem::path& path)
        : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(path);
    }
    ~WorkingDirectory() { std::filesystem::current_path(before_); }
    WorkingDirectory(const WorkingDirectory&) = delete;
    WorkingDirectory& operator=(const WorkingDirectory&) = delete;

  private:
    std::filesystem::path before_;
};

}  // namespace

TEST_CASE("--set replaces, adds and makes maps on the way") {
    const RunConfig config = parse(kSmallest,
                                   set({"sun.azimuth_deg=90",
                                        "aim.heliostats.AA39.target=tower",
                                        "aim.heliostats.AA39.point=[1, 2, 3]",
                                        "aim.active=[AA39]",
                                        "tracing.rays_per_heliostat=1e4",
                                        "tracing.rays_per_heliostat=2e4"}));
    CHECK(std::get<SunAngles>(config.sun.position).azimuth == Approx(1.5707963267948966));
    CHECK(config.aim.heliostats.at("AA39").target == "tower");
    CHECK(config.aim.heliostats.at("AA39").point == Vec3{1.0, 2.0, 3.0});
    CHECK(config.aim.active == std::vector<std::string>{"AA39"});
    CHECK(config.tracing.rays_per_heliostat == 20000);
}

TEST_CASE("--set with a map replaces the whole map, null removes a key") {
    const RunConfig config =
        parse(kSmallest + "optics: {slope_error_mrad: 1, reflectivity: 0.5}\n",
              set({"sun={incident_direction: [0, 0, -1]}", "optics.slope_error_mrad=null"}));
    CHECK(std::holds_alternative<SunIncidentDirection>(config.sun.position));
    CHECK(std::holds_alternative<NoError>(config.optics.slope_error));
    CHECK(config.optics.reflectivity == 0.5);
}

TEST_CASE("a value of the command line may contain '='") {
    CHECK(parse(kSmallest, set({"aim.target=a=b"})).aim.target == "a=b");
}

TEST_CASE("options win over --set and over the file") {
    Overrides overrides = set({"tracing.seed=1", "device=cuda", "output.file=a.h5"});
    overrides.seed = "7";
    overrides.device = "cpu";
    overrides.output = "b.h5";
    overrides.image = "b.pdf";
    const RunConfig config = parse(kSmallest + "tracing: {seed: 3}\n", overrides);
    CHECK(config.tracing.seed == 7);
    CHECK(config.device.kind == DeviceConfig::Kind::cpu);
    CHECK(config.output.file == std::filesystem::path("b.h5"));
    CHECK(config.output.image == std::filesystem::path("b.pdf"));
}

TEST_CASE("input paths on the command line are relative to the working directory") {
    const ConfigFolder folder;
    folder.write("elsewhere/other.h5", "");
    folder.write("elsewhere/wide.csv", "0, 1\n9, 1\n");
    const auto file = folder.write("configs/run.yaml", kSmallest);
    const WorkingDirectory here(folder.path() / "elsewhere");
    Overrides overrides = set({"sun.shape={type: table, file: wide.csv}"});
    overrides.scenario = "other.h5";
    const RunConfig config = read_run_config("../configs/run.yaml", overrides);
    CHECK(std::filesystem::equivalent(config.scenario, folder.path() / "elsewhere/other.h5"));
    CHECK(std::get<TableShape>(config.sun.shape.value()).angle[1] == Approx(9e-3));

    // The stored text means the same files when it is read from the configuration's folder.
    const RunConfig again = parse_run_config(config.text, "text", file.parent_path());
    CHECK(std::filesystem::equivalent(again.scenario, config.scenario));

    // In a setting too.
    const RunConfig by_setting = read_run_config(file, set({"scenario=other.h5"}));
    CHECK(std::filesystem::equivalent(by_setting.scenario, config.scenario));
}

TEST_CASE("the stored text is the effective configuration") {
    const RunConfig config =
        parse(kSmallest + "# a comment\ntracing: {seed: 3}\n",
              set({"tracing.seed=9", "aim.heliostats={'7': {target: \"~\"}}"}));
    const RunConfig again = parse(config.text);
    CHECK(again.tracing.seed == 9);
    CHECK(again.aim.heliostats.at("7").target == "~");
    CHECK(again.text == config.text);
    CHECK_FALSE(contains(config.text, "comment"));
}

TEST_CASE("wrong settings name the option and the key") {
    CHECK(problem_of("aim.foo=1").where == "--set aim.foo");
    CHECK_THAT(problem_of("aim.foo=1").what, ContainsSubstring("unknown key 'foo'"));
    CHECK_THAT(problem_of("tracing.sed=1").advice, ContainsSubstring("did you mean 'seed'?"));
    CHECK(problem_of("sun.dni_w_m2=-5").where == "--set sun.dni_w_m2");
    CHECK(problem_of("aim.heliostats={A: {pont: [1, 2, 3]}}").where ==
          "--set aim.heliostats.A.pont");
    CHECK_THAT(problem_of("tracing.seed").what, ContainsSubstring("not of the form key=value"));
    CHECK_THAT(problem_of("=4").what, ContainsSubstring("not of the form key=value"));
    CHECK_THAT(problem_of("sun..dni=4").what, ContainsSubstring("not of the form key=value"));
    CHECK_THAT(problem_of("tracing.seed=").what, ContainsSubstring("has no value"));
    CHECK(problem_of("tracing.seed=[1").where == "--set tracing.seed");
    CHECK_THAT(problem_of("tracing.seed=[1").what, ContainsSubstring("not valid YAML"));
    CHECK_THAT(problem_of("aim.target.name=x").what, ContainsSubstring("is a value, not a map"));
}

TEST_CASE("a key that only the command line gives wrongly is placed there") {
    Overrides overrides;
    overrides.seed = "many";
    overrides.device = "tpu";
    overrides.output = "flux.csv";
    overrides.image = "flux.bmp";
    overrides.scenario = "no.h5";
    const auto problems = problems_of(kSmallest, overrides);
    std::vector<std::string> places;
    for (const Problem& problem : problems) places.push_back(problem.where);
    const std::vector<std::string> expected{
        "--scenario", "--seed", "--output", "--image", "--device"};
    CHECK(places == expected);
}

TEST_CASE("problems of file and command line come together") {
    CHECK(problems_of(kSmallest + "divice: cpu\n", set({"tracing.seed=x"})).size() == 2);
}

TEST_CASE("a program's own configuration has its name, and no file but those it names") {
    const std::string text =
        "{sun: {azimuth_deg: 180, elevation_deg: 45}, aim: {target: receiver}}";
    Overrides overrides = set({"output.per_heliostat=true"});
    overrides.origin = "caller";
    const auto problems = [&] {
        std::vector<Problem> found;
        try {
            parse_run_config(text, "caller", ".", overrides);
        } catch (const InputError& error) {
            found = error.problems();
        }
        return found;
    };
    const std::vector<Problem> two = problems();
    REQUIRE(two.size() == 2);
    CHECK(two[0].where == "caller: scenario");
    CHECK(two[1].where == "caller: output.per_heliostat");

    overrides.has_plant = true;
    overrides.keeps_result = true;
    const RunConfig config = parse_run_config(text, "caller", ".", overrides);
    CHECK(config.scenario.empty());
    CHECK(config.output.per_heliostat);
    CHECK_FALSE(config.output.file);

    overrides.set.push_back("optics.reflectivity=2");
    REQUIRE(problems().size() == 1);
    CHECK(problems().front().where == "caller: optics.reflectivity");
}
