// SPDX-License-Identifier: MIT
// Series files: steps read back one by one and together; the folder of parts.
#include "raytracer/results/result_file.h"
#include "raytracer/results/run_parts.h"
#include "scenario/files/error.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <filesystem>
#include <functional>

using namespace helioray;
using test::sample_result;

namespace {

/// The sample with other numbers, as the step `k` of a series.
RunResult result_of(int k) {
    RunResult result = sample_result();
    const double more = 0.25 * k;
    for (TargetResult& target : result.targets) {
        target.power_w += more;
        target.centroid_m[1] += more;
        for (double& flux : target.flux) flux += more;
    }
    for (HeliostatResult& heliostat : result.heliostats) {
        heliostat.energy.target_power += more;
        heliostat.orientation[6] += more;
        heliostat.rays += k;
        for (float& flux : heliostat.flux) flux += static_cast<float>(more);
    }
    result.provenance.fingerprint += std::to_string(k);
    result.provenance.rays += k;
    result.provenance.sun_direction = {0.0, -0.6, 0.8};
    return result;
}

SeriesStep step_of(int k) {
    SeriesStep step;
    step.time = k == 1 ? "2026-06-21T12:00:00+02:00" : "";
    step.azimuth_deg = 100.0 + k;
    step.elevation_deg = 20.0 + k;
    step.dni_w_m2 = 700.0 + k;
    step.trace_seconds = 0.5 * k;
    return step;
}

/// Three steps in one file.
std::filesystem::path write_sample(const test::ScratchFolder& folder) {
    std::vector<std::filesystem::path> parts;
    for (int k = 0; k < 3; ++k) {
        parts.push_back(folder / ("part" + std::to_string(k) + ".h5"));
        write_series_part(result_of(k), step_of(k), parts.back());
    }
    write_series(parts, sample_result().provenance, folder / "series.h5");
    return folder / "series.h5";
}

RunIdentity identity() {
    return {"configuration", "scenario", "positions", "build", "cpu", 3};
}

std::string message_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("A step of a series is read as the run it was") {
    const test::ScratchFolder folder;
    const auto path = write_sample(folder);
    CHECK(is_series(path));
    for (int k = 0; k < 3; ++k) {
        const RunResult wanted = result_of(k);
        const RunResult step = read_result(path, static_cast<size_t>(k));
        CHECK(step.provenance.fingerprint == wanted.provenance.fingerprint);
        CHECK(step.provenance.rays == wanted.provenance.rays);
        CHECK(step.provenance.sun_direction == wanted.provenance.sun_direction);
        CHECK(step.provenance.seed == wanted.provenance.seed);
        REQUIRE(step.targets.size() == wanted.targets.size());
        REQUIRE(step.heliostats.size() == wanted.heliostats.size());
        for (size_t i = 0; i < step.targets.size(); ++i) {
            CHECK(step.targets[i].target == wanted.targets[i].target);
            CHECK(step.targets[i].flux == wanted.targets[i].flux);
            CHECK(step.targets[i].flux_std_error == wanted.targets[i].flux_std_error);
            CHECK(step.targets[i].power_w == wanted.targets[i].power_w);
            CHECK(step.targets[i].centroid_m == wanted.targets[i].centroid_m);
        }
        for (size_t i = 0; i < step.heliostats.size(); ++i) {
            CHECK(step.heliostats[i].name == wanted.heliostats[i].name);
            CHECK(step.heliostats[i].energy.target_power ==
                  wanted.heliostats[i].energy.target_power);
            CHECK(step.heliostats[i].orientation == wanted.heliostats[i].orientation);
            CHECK(step.heliostats[i].rays == wanted.heliostats[i].rays);
            CHECK(step.heliostats[i].flux == wanted.heliostats[i].flux);
        }
    }
    CHECK(message_of([&] { read_result(path, 3); }).find("0 to 2") != std::string::npos);
    CHECK(message_of([&] { read_result(path); }).find("series of 3 steps") != std::string::npos);
}

TEST_CASE("All steps together") {
    const test::ScratchFolder folder;
    const SeriesResult series = read_series(write_sample(folder));
    REQUIRE(series.steps.size() == 3);
    CHECK(series.steps[1].time == "2026-06-21T12:00:00+02:00");
    CHECK(series.steps[2].time.empty());
    CHECK(series.steps[2].azimuth_deg == 102.0);
    CHECK(series.steps[2].elevation_deg == 22.0);
    CHECK(series.steps[2].dni_w_m2 == 702.0);
    CHECK(series.steps[2].rays == result_of(2).provenance.rays);
    CHECK(series.trace_seconds == 1.5);
    CHECK(series.provenance.rays == 3 * sample_result().provenance.rays + 3);
    std::vector<std::string> fingerprints;
    for (int k = 0; k < 3; ++k) fingerprints.push_back(result_of(k).provenance.fingerprint);
    CHECK(series.provenance.fingerprint == series_fingerprint(fingerprints));
    std::swap(fingerprints[0], fingerprints[1]);
    CHECK(series.provenance.fingerprint != series_fingerprint(fingerprints));
    CHECK(series.strongest_step() == 2);
    CHECK(series.field_energy(1).target_power ==
          Approx(series.field_energy(0).target_power + 3 * 0.25));
    CHECK(find_time(series, "2026-06-21T10:00Z") == 1);
    CHECK_FALSE(find_time(series, "2026-06-21T12:00Z"));
    CHECK_THROWS_AS(find_time(series, "noon"), InputError);
    CHECK(step_label(series, 1) == "2026-06-21T12:00:00+02:00 (step 1 of 0-2)");
}

TEST_CASE("A single run is no series") {
    const test::ScratchFolder folder;
    write_result(sample_result(), folder / "one.h5");
    CHECK_FALSE(is_series(folder / "one.h5"));
    CHECK(message_of([&] { read_series(folder / "one.h5"); }).find("not a series") !=
          std::string::npos);
    CHECK_THROWS_AS(read_result(folder / "one.h5", 0), InputError);
}

TEST_CASE("A cut series is refused") {
    const test::ScratchFolder folder;
    const auto path = write_sample(folder);
    const std::string bytes = test::read_bytes(path);
    test::write_bytes(path, bytes.substr(0, bytes.size() / 2));
    CHECK_THROWS_AS(read_series(path), InputError);
    CHECK_THROWS_AS(read_result(path, 1), InputError);
}

TEST_CASE("Parts wait for the missing steps") {
    const test::ScratchFolder folder;
    RunParts parts(folder / "out.h5", identity());
    parts.check(false);
    CHECK_FALSE(std::filesystem::exists(parts.folder()));
    parts.open();
    CHECK(parts.missing() == std::vector<size_t>{0, 1, 2});
    write_series_part(result_of(1), step_of(1), parts.part(1));
    test::write_bytes(parts.part(2), "half a file");
    CHECK(parts.missing() == std::vector<size_t>{0, 2});
    parts.check(false);

    SECTION("one process at a time") {
        RunParts second(folder / "out.h5", identity());
        second.check(false);
        CHECK(message_of([&] { second.open(); }).find("another process") != std::string::npos);
    }
    SECTION("of the same series only") {
        RunIdentity changed = identity();
        changed.scenario = "other";
        changed.device = "cuda";
        const RunParts other(folder / "out.h5", changed);
        const std::string message = message_of([&] { other.check(false); });
        CHECK(message.find("the scenario, the kind of device") != std::string::npos);
        CHECK(message.find("--restart") != std::string::npos);
        CHECK_NOTHROW(other.check(true));
    }
    SECTION("a damaged manifest says nothing") {
        test::write_bytes(parts.folder() / "manifest.json", "{");
        CHECK(message_of([&] { parts.check(false); }).find("cannot be read") != std::string::npos);
    }
    SECTION("what the user put there stays") {
        test::write_bytes(parts.folder() / "notes.txt", "mine");
        parts.remove();
        CHECK_FALSE(std::filesystem::exists(parts.part(1)));
        CHECK(std::filesystem::exists(parts.folder() / "notes.txt"));
    }
    SECTION("nothing is left in the end") {
        parts.remove();
        CHECK(folder.num_entries() == 0);
    }
}
