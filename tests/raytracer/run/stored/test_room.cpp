// SPDX-License-Identifier: MIT
// Memory and disk that are asked for before any work, against what is used.
#include "raytracer/run/stored/room.h"
#include "raytracer/run/trace.h"
#include "scenario/files/error.h"
#include "tests/raytracer/run/small_run.h"
#include "tests/support/catch2.h"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace helioray;
using namespace helioray::test;
namespace fs = std::filesystem;

namespace {

std::uint64_t size_of(const fs::path& path) {
    if (fs::is_regular_file(path)) return fs::file_size(path);
    std::uint64_t bytes = 0;
    for (const auto& file : fs::directory_iterator(path)) bytes += file.file_size();
    return bytes;
}

/// A result that is named and never written.
fs::path unused_file() {
    return fs::temp_directory_path() / ("helioray_unused_" + std::to_string(::getpid()) + ".h5");
}

std::vector<Aim> aims_of(const run::PreparedRun& prepared) {
    return resolve_aims(prepared.config.aim, *prepared.scenario);
}

}  // namespace

TEST_CASE("maps of single heliostats need memory that the machine has") {
    const run::PreparedRun prepared = run::prepare(
        small_config({"output.per_heliostat=true", "output.file=" + unused_file().string()}));
    const std::vector<Aim> aims = aims_of(prepared);
    REQUIRE(aims.size() == 3);
    constexpr std::uint64_t kNeeded = 3 * 16 * 16 * 8;
    CHECK_NOTHROW(run::check_memory(prepared.config, aims, kNeeded));
    CHECK_THROWS_WITH(run::check_memory(prepared.config, aims, kNeeded - 1),
                      ContainsSubstring("output.per_heliostat") &&
                          ContainsSubstring("3 heliostats with 16 x 16 pixels") &&
                          ContainsSubstring("GB of memory") && ContainsSubstring("aim.active"));
    CHECK_NOTHROW(run::check_memory(small_config(), aims, 1));
    CHECK(run::usable_memory() > (1U << 24));
}

TEST_CASE("the sums of a run with maps of single heliostats have the fingerprint of one without") {
    const auto fingerprint_of = [](const std::vector<std::string>& overrides) {
        run::Session session([&] { return run::prepare(small_config(overrides)); }, alone());
        return run::trace(session)->provenance.fingerprint;
    };
    // Few rays, so that heliostats share units; several rounds; model artist.
    for (const std::vector<std::string>& overrides :
         {std::vector<std::string>{"tracing.rays_per_heliostat=8", "bitmap.width=64"},
          {"tracing.relative_error=0.003"},
          {"tracing.model=artist", "artist.rays_per_point=2"}}) {
        std::vector<std::string> with_maps = overrides;
        with_maps.emplace_back("output.per_heliostat=true");
        with_maps.push_back("output.file=" + unused_file().string());
        CHECK(fingerprint_of(with_maps) == fingerprint_of(overrides));
    }
}

TEST_CASE("files of runs and series take between the least and the most that is expected") {
    const fs::path folder =
        fs::temp_directory_path() / ("helioray_room_" + std::to_string(::getpid()));
    fs::create_directory(folder);
    const fs::path file = folder / "result.h5";
    std::string positions;
    for (int i = 0; i < 12; ++i)
        positions += std::string(i == 0 ? "" : ", ") +
                     "{azimuth_deg: " + std::to_string(120 + 10 * i) + ", elevation_deg: 40}";
    for (const std::string width : {"bitmap.width=16", "bitmap.width=400"}) {
        run::Session session(
            [&] {
                return run::prepare(small_config({"sun.azimuth_deg=null",
                                                  "sun.elevation_deg=null",
                                                  "sun.positions=[" + positions + "]",
                                                  width,
                                                  "output.file=" + file.string()}));
            },
            alone());
        const std::vector<Aim> aims = aims_of(session.prepared());
        const RunConfig config = session.prepared().config;
        const run::DiskRoom room = run::disk_room(config, aims, 12, file);
        REQUIRE(run::trace_series(session, file));
        const std::uint64_t parts = size_of(folder / "result.h5.parts");
        const std::uint64_t taken = parts + size_of(file);
        CAPTURE(width, taken, room.least, room.most);
        CHECK(room.least <= taken);
        CHECK(taken <= room.most);
        if (width == "bitmap.width=400") CHECK(3 * room.least > taken);
        // What is stored already needs no more room.
        CHECK(run::disk_room(config, aims, 12, file).least < room.least);
        session.prepared().remove_parts();
        session.close();
    }
    const run::DiskRoom one =
        run::disk_room(small_config(), aims_of(run::prepare(small_config())), 0, file);
    CHECK(one.least < one.most);
    fs::remove_all(folder);
}
