// SPDX-License-Identifier: MIT
// Series through the library: stopped, continued, forgotten.
#include "raytracer/run/options.h"
#include "raytracer/run/trace.h"
#include "tests/raytracer/run/small_run.h"
#include "tests/support/catch2.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

using namespace helioray;
using namespace helioray::test;
namespace fs = std::filesystem;

namespace {

/// A folder that is removed with its content.
class SeriesFolder {
  public:
    SeriesFolder()
        : path_(fs::temp_directory_path() / ("helioray_run_" + std::to_string(::getpid()))) {
        fs::remove_all(path_);
        fs::create_directory(path_);
    }
    ~SeriesFolder() { fs::remove_all(path_); }
    fs::path file() const { return path_ / "series.h5"; }
    fs::path parts() const { return path_ / "series.h5.parts"; }

  private:
    fs::path path_;
};

RunConfig config_of_positions(const SeriesFolder& folder, const std::string& positions) {
    return small_config({"sun.azimuth_deg=null",
                         "sun.elevation_deg=null",
                         "sun.positions=" + positions,
                         "output.file=" + folder.file().string()});
}

RunConfig series_config(const SeriesFolder& folder) {
    return config_of_positions(folder,
                               "[{azimuth_deg: 120, elevation_deg: 30}, {azimuth_deg: 180, "
                               "elevation_deg: 50}, {azimuth_deg: 240, elevation_deg: 30}]");
}

SeriesResult trace_all(const SeriesFolder& folder, bool restart = false) {
    run::PrepareOptions prepare;
    prepare.restart = restart;
    run::Session session([&] { return run::prepare(series_config(folder), prepare); }, alone());
    const auto series = run::trace_series(session, folder.file());
    session.close();
    return *series;
}

}  // namespace

TEST_CASE("a series is what its steps are alone") {
    const SeriesFolder folder;
    const SeriesResult series = trace_all(folder);
    REQUIRE(series.steps.size() == 3);
    CHECK(series.steps_done_before == 0);
    CHECK(series.rays_per_second > 0.0);
    CHECK(fs::exists(folder.file()));
    run::Session alone_session([] { return run::prepare(small_config({"sun.elevation_deg=50"})); },
                               alone());
    CHECK(run::trace(alone_session)->provenance.fingerprint == series.steps[1].fingerprint);
}

TEST_CASE("a series that was stopped continues with the same fingerprints") {
    const SeriesFolder folder;
    const SeriesResult whole = trace_all(folder);
    fs::remove_all(folder.parts());

    // Stops when the second step is in work.
    std::vector<std::string> log;
    run::Options options = alone();
    options.log = [&](run::LogLevel, const std::string& message) { log.push_back(message); };
    options.stop = [&] {
        return std::string(fs::exists(folder.parts() / "step_000000.h5") ? "later" : "");
    };
    {
        run::Session session([&] { return run::prepare(series_config(folder)); }, options);
        CHECK_THROWS_AS(run::trace_series(session, folder.file()), run::Stopped);
    }
    CHECK_THAT(log.back(), ContainsSubstring("1 of 3 steps are done and kept"));
    const SeriesResult continued = trace_all(folder);
    CHECK(continued.steps_done_before == 1);
    CHECK(continued.provenance.fingerprint == whole.provenance.fingerprint);
    const SeriesResult again = trace_all(folder);
    CHECK(again.steps_done_before == 3);
    CHECK(again.rays_per_second == 0.0);
    CHECK(trace_all(folder, true).steps_done_before == 0);
}

TEST_CASE("a series that cannot be joined keeps its steps and says so") {
    const SeriesFolder folder;
    std::vector<std::string> warnings;
    run::Options options = alone();
    options.log = [&](run::LogLevel level, const std::string& message) {
        if (level == run::LogLevel::warning) warnings.push_back(message);
    };
    {
        run::Session session([&] { return run::prepare(series_config(folder)); }, options);
        // The file cannot replace a folder.
        fs::create_directories(folder.file() / "taken");
        CHECK_THROWS(run::trace_series(session, folder.file()));
    }
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], ContainsSubstring("3 of 3 steps are done and kept in"));
    CHECK_THAT(warnings[0], ContainsSubstring("the same command continues"));
    fs::remove_all(folder.file());
    const SeriesResult joined = trace_all(folder);
    CHECK(joined.steps_done_before == 3);
    fs::remove_all(folder.parts());
    CHECK(trace_all(folder).provenance.fingerprint == joined.provenance.fingerprint);
}

TEST_CASE("a failure after a series names what is kept, too") {
    const SeriesFolder folder;
    std::vector<std::string> warnings;
    run::Options options = alone();
    options.log = [&](run::LogLevel level, const std::string& message) {
        if (level == run::LogLevel::warning) warnings.push_back(message);
    };
    options.continued_by = [](const fs::path& output) { return "call " + output.string(); };
    run::Session session([&] { return run::prepare(series_config(folder)); }, options);
    CHECK_THROWS_WITH(session.guard([&] {
        run::trace_series(session, folder.file());
        throw std::runtime_error("no picture");
    }),
                      "no picture");
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0],
               ContainsSubstring("3 of 3 steps are done and kept in " + folder.parts().string() +
                                 "; call " + folder.file().string() + " continues"));
}

TEST_CASE("every step's warnings are heard, the first one's too") {
    const SeriesFolder folder;
    // A drive cannot follow a sun so low in the west.
    const std::string positions =
        "[{azimuth_deg: 295, elevation_deg: 10}, {azimuth_deg: 180, elevation_deg: 50}, "
        "{azimuth_deg: 292, elevation_deg: 10}]";
    std::vector<std::string> warnings;
    run::Options options = alone();
    options.log = [&](run::LogLevel level, const std::string& message) {
        if (level == run::LogLevel::warning) warnings.push_back(message);
    };
    run::Session session([&] { return run::prepare(config_of_positions(folder, positions)); },
                         options);
    run::trace_series(session, folder.file());
    for (const std::string step : {"azimuth 295.00", "azimuth 292.00"}) {
        CAPTURE(step, warnings);
        CHECK(std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
            return warning.starts_with(step);
        }));
    }
}

TEST_CASE("single runs and series are told apart") {
    const SeriesFolder folder;
    run::Session single([] { return run::prepare(small_config()); }, alone());
    CHECK_THROWS_AS(run::trace_series(single, folder.file()), std::logic_error);
    run::Session series([&] { return run::prepare(series_config(folder)); }, alone());
    CHECK_THROWS_WITH(run::trace(series), ContainsSubstring("trace_series"));
}
