// SPDX-License-Identifier: MIT
// Series files: steps read back one by one and together; the folder of parts.
#include "raytracer/results/mirror_pose.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/series/run_parts.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"
#include "tests/support/message_of.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

using namespace helioray;
using test::sample_result;

namespace {

/// How a heliostat may stand.
std::array<double, 16> standing(int k, int heliostat) {
    const double tilt = 0.3 + 0.1 * k + 0.05 * heliostat, azimuth = 1.0 + 0.2 * k - heliostat;
    return convert_to_matrix(
        {{std::sin(tilt) * std::sin(azimuth), std::sin(tilt) * std::cos(azimuth), std::cos(tilt)},
         {10.0 * heliostat, 20.0 + k, 1.5},
         0.7 - k});
}

bool is_near(const std::array<double, 16>& a, const std::array<double, 16>& b) {
    return std::ranges::equal(
        a, b, [](double one, double other) { return std::abs(one - other) < 1e-14; });
}

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
        heliostat.orientation = standing(k, static_cast<int>(heliostat.rays % 10));
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
    step.temperature_c = 10.0 + k;
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
        CHECK(step.provenance.temperature_c == 10.0 + k);
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
            CHECK(is_near(step.heliostats[i].orientation, wanted.heliostats[i].orientation));
            CHECK(step.heliostats[i].mirror_outline == wanted.heliostats[i].mirror_outline);
            CHECK(step.heliostats[i].rays == wanted.heliostats[i].rays);
            CHECK(step.heliostats[i].flux == wanted.heliostats[i].flux);
        }
    }
    CHECK(test::message_of([&] { read_result(path, 3); }).find("0 to 2") != std::string::npos);
    CHECK(test::message_of([&] { read_result(path); }).find("series of 3 steps") !=
          std::string::npos);
}

TEST_CASE("The file of a series names the time zone of its steps, if it has one") {
    const test::ScratchFolder folder;
    const auto path = write_sample(folder);
    CHECK(read_time_zone(path).empty());
    write_series({folder / "part0.h5", folder / "part1.h5"},
                 sample_result().provenance,
                 folder / "zone.h5",
                 "Europe/Berlin");
    CHECK(read_time_zone(folder / "zone.h5") == "Europe/Berlin");
    const SeriesResult series = read_series(folder / "zone.h5");
    CHECK(step_reader(folder / "zone.h5", series)(1).step ==
          read_step(folder / "zone.h5", series, 1).step);
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
    CHECK(step_label(series, 1) == "2026-06-21T12:00:00+02:00, step 1 (0 to 2)");
}

TEST_CASE("Parts give the same series as its file") {
    const test::ScratchFolder folder;
    const SeriesResult file = read_series(write_sample(folder));
    const std::vector<std::filesystem::path> parts{
        folder / "part0.h5", folder / "part1.h5", folder / "part2.h5"};
    const SeriesResult series = series_of_parts(parts, sample_result().provenance);
    CHECK(series.provenance.fingerprint == file.provenance.fingerprint);
    CHECK(series.provenance.rays == file.provenance.rays);
    CHECK(series.heliostats == file.heliostats);
    CHECK(series.heliostat_targets == file.heliostat_targets);
    CHECK(series.trace_seconds == file.trace_seconds);
    CHECK(series.target_power_std_error == file.target_power_std_error);
    REQUIRE(series.energy.size() == 9);
    REQUIRE(series.steps.size() == 3);
    for (size_t k = 0; k < 3; ++k) {
        CHECK(series.steps[k].fingerprint == file.steps[k].fingerprint);
        CHECK(series.power(k) == file.power(k));
        for (const EnergyTermInfo& term : energy_term_infos())
            CHECK(series.field_energy(k).*term.member == file.field_energy(k).*term.member);
    }
    REQUIRE(series.targets.size() == file.targets.size());
    for (size_t t = 0; t < file.targets.size(); ++t) {
        const SeriesTarget &one = series.targets[t], &other = file.targets[t];
        CHECK(one.name == other.name);
        CHECK(one.unit == other.unit);
        CHECK(one.centroid_m == other.centroid_m);
        CHECK(one.power_std_error_w == other.power_std_error_w);
        CHECK(one.peak_flux_w_m2 == other.peak_flux_w_m2);
        CHECK(one.peak_flux_std_error_w_m2 == other.peak_flux_std_error_w_m2);
        CHECK(one.peak_area_m2 == other.peak_area_m2);
        CHECK(one.peak_pixel_w_m2 == other.peak_pixel_w_m2);
    }
}

TEST_CASE("Chunks of several steps, and of the rest, hold the rows of their steps") {
    const test::ScratchFolder folder;
    constexpr int kSteps = 37;
    constexpr int kHeliostats = 600;
    std::vector<std::filesystem::path> parts;
    const auto result_at = [](int k) {
        RunResult result = result_of(k);
        const HeliostatResult one = result.heliostats.front();
        result.heliostats.assign(kHeliostats, one);
        for (int i = 0; i < kHeliostats; ++i) {
            HeliostatResult& heliostat = result.heliostats[static_cast<size_t>(i)];
            heliostat.name = "H" + std::to_string(i);
            heliostat.energy.target_power = 1000.0 * k + i;
            heliostat.motor_positions = {1.0 * i, 1.0 * k};
            heliostat.aim_point = {1.0 * i, 2.0 * k, 3.0};
            heliostat.rays = 1000 * k + i;
            heliostat.flux.clear();
        }
        return result;
    };
    for (int k = 0; k < kSteps; ++k) {
        parts.push_back(folder / ("part" + std::to_string(k) + ".h5"));
        write_series_part(result_at(k), step_of(k), parts.back());
    }
    write_series(parts, sample_result().provenance, folder / "series.h5");
    const hdf5::File file = hdf5::File::open(folder / "series.h5");
    const hdf5::Group heliostats = file.root().group("heliostats");
    CHECK(heliostats.dataset("target_power").shape() == hdf5::Shape{kSteps, kHeliostats});
    CHECK(heliostats.dataset("mirror_outline").shape() == hdf5::Shape{kHeliostats, 4, 3});
    CHECK_FALSE(heliostats.contains("orientation"));
    for (const int k : {0, 15, 16, 31, 32, 36}) {
        const RunResult wanted = result_at(k);
        const RunResult step = read_result(folder / "series.h5", static_cast<size_t>(k));
        REQUIRE(step.heliostats.size() == kHeliostats);
        bool same = true;
        for (size_t i = 0; i < kHeliostats; ++i) {
            const HeliostatResult &a = step.heliostats[i], &b = wanted.heliostats[i];
            same = same && a.energy.target_power == b.energy.target_power && a.rays == b.rays &&
                   a.motor_positions == b.motor_positions && a.aim_point == b.aim_point &&
                   a.name == b.name && is_near(a.orientation, b.orientation);
        }
        CHECK(same);
        CHECK(step.targets[0].flux == wanted.targets[0].flux);
    }
}

TEST_CASE("Maps of heliostats without light take no room in a series") {
    const test::ScratchFolder folder;
    std::vector<std::filesystem::path> parts;
    for (int k = 0; k < 3; ++k) {
        RunResult result = result_of(k);
        result.heliostats[static_cast<size_t>(k)].flux.clear();
        parts.push_back(folder / ("part" + std::to_string(k) + ".h5"));
        write_series_part(result, step_of(k), parts.back());
    }
    write_series(parts, sample_result().provenance, folder / "series.h5");
    for (int k = 0; k < 3; ++k) {
        const RunResult step = read_result(folder / "series.h5", static_cast<size_t>(k));
        for (int i = 0; i < 3; ++i) {
            const auto& flux = step.heliostats[static_cast<size_t>(i)].flux;
            if (i == k) {
                CHECK(std::ranges::all_of(flux, [](float one) { return one == 0.0F; }));
            } else {
                CHECK(flux == result_of(k).heliostats[static_cast<size_t>(i)].flux);
            }
        }
    }
}

TEST_CASE("Series of earlier versions have matrices and outlines for each step") {
    const test::ScratchFolder folder;
    const auto path = write_sample(folder);
    hdf5::change_file(path, path, [](hdf5::Group root) {
        hdf5::Group group = root.group("heliostats");
        std::vector<double> matrices, outlines;
        for (int k = 0; k < 3; ++k) {
            for (const HeliostatResult& heliostat : result_of(k).heliostats) {
                matrices.insert(
                    matrices.end(), heliostat.orientation.begin(), heliostat.orientation.end());
                for (const Vec3& corner : *heliostat.mirror_outline)
                    outlines.insert(outlines.end(), corner.begin(), corner.end());
            }
        }
        for (const char* name : {"mirror_normal", "mirror_origin", "mirror_turn", "mirror_outline"})
            group.remove(name);
        group.write_array<double>("orientation", matrices, {3, 3, 4, 4});
        group.write_array<double>("mirror_outline", outlines, {3, 3, 4, 3});
    });
    for (int k = 0; k < 3; ++k) {
        const RunResult step = read_result(path, static_cast<size_t>(k));
        for (size_t i = 0; i < 3; ++i) {
            const HeliostatResult wanted = result_of(k).heliostats[i];
            CHECK(step.heliostats[i].orientation == wanted.orientation);
            CHECK(step.heliostats[i].mirror_outline == wanted.mirror_outline);
        }
    }
}

TEST_CASE("A part without room leaves no file") {
    const test::ScratchFolder folder;
    const auto path = write_sample(folder);
    const std::string before = test::read_bytes(path);
    const size_t entries = folder.num_entries();
    const std::vector<std::filesystem::path> parts{
        folder / "part0.h5", folder / "part1.h5", folder / "part2.h5"};
    for (const size_t room : {0, 100, 4096, 8000}) {
        CAPTURE(room);
        const test::FullDisk full(room);
        CHECK_THROWS_WITH(write_series(parts, sample_result().provenance, path),
                          ContainsSubstring("File too large"));
        CHECK_THROWS_AS(write_series_part(result_of(0), step_of(0), folder / "new.h5"),
                        std::runtime_error);
    }
    CHECK(test::read_bytes(path) == before);
    CHECK(folder.num_entries() == entries);
    write_series(parts, sample_result().provenance, path);
    CHECK(read_series(path).steps.size() == 3);
}

TEST_CASE("A single run is no series") {
    const test::ScratchFolder folder;
    write_result(sample_result(), folder / "one.h5");
    CHECK_FALSE(is_series(folder / "one.h5"));
    CHECK(test::message_of([&] { read_series(folder / "one.h5"); }).find("not a series") !=
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
        CHECK(test::message_of([&] { second.open(); }).find("another process") !=
              std::string::npos);
    }
    SECTION("of the same series only") {
        RunIdentity changed = identity();
        changed.scenario = "other";
        changed.device = "cuda";
        const RunParts other(folder / "out.h5", changed);
        const std::string message = test::message_of([&] { other.check(false); });
        CHECK(message.find("the scenario, the kind of device") != std::string::npos);
        CHECK(message.find("--restart") != std::string::npos);
        CHECK_NOTHROW(other.check(true));
    }
    SECTION("a damaged manifest says nothing") {
        test::write_bytes(parts.folder() / "manifest.json", "{");
        CHECK(test::message_of([&] { parts.check(false); }).find("cannot be read") !=
              std::string::npos);
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
