// SPDX-License-Identifier: MIT
// Sizes of sums and files against the machine.
#include "raytracer/run/stored/room.h"

#include "raytracer/results/result_file.h"
#include "raytracer/results/series/run_parts.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/types/run_config.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

namespace helioray::run {

namespace {

namespace fs = std::filesystem;

// Bytes of a heliostat in the file of a run: 41 numbers without its outline. 424 were measured with
// outlines and names.
constexpr std::uint64_t kBytesOfHeliostat = std::uint64_t{41} * 8;
// Least bytes of a heliostat and step in a compressed series, and largest ratio by which its maps
// become smaller. 100 steps of 10,000 heliostats with 100 rays each took 69 bytes of a heliostat
// and step, and a third of the maps. Series with dark steps and few rays take less, but hardly less
// than this.
constexpr std::uint64_t kBestBytesOfHeliostat = 40;
constexpr std::uint64_t kBestRatioOfMaps = 64;

/// Bytes of the steps that earlier starts have stored.
std::uint64_t stored_bytes(const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
        std::error_code unknown;
        const std::uintmax_t size = file->file_size(unknown);
        if (!unknown) bytes += size;
    }
    return bytes;
}

}  // namespace

std::uint64_t usable_memory() {
    std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur);
    // A container sees its own control group here, of version 2 or 1.
    for (const char* file :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::uint64_t of_group = 0;
        if (std::ifstream(file) >> of_group && of_group > 0) bytes = std::min(bytes, of_group);
    }
    return bytes;
}

void check_memory(const RunConfig& config, std::span<const Aim> aims, std::uint64_t usable) {
    if (!config.output.per_heliostat) return;
    const std::int64_t heliostats = std::ssize(aims);
    const std::int64_t pixels = config.bitmap.height * config.bitmap.width;
    const double needed = static_cast<double>(heliostats) * static_cast<double>(pixels) *
                          static_cast<double>(sizeof(std::int64_t));
    if (needed <= static_cast<double>(usable)) return;
    throw InputError(Problem{
        place_of(config, "output.per_heliostat"),
        fmt::format("the maps of {} heliostats with {} x {} pixels take {:.1f} GB of memory, this "
                    "machine gives {:.1f} GB",
                    grouped(heliostats),
                    config.bitmap.width,
                    config.bitmap.height,
                    needed / 1e9,
                    static_cast<double>(usable) / 1e9),
        "each pixel of each heliostat is summed in 8 bytes",
        "set a smaller bitmap, trace some heliostats at a time (aim.active), or leave "
        "output.per_heliostat out"});
}

DiskRoom disk_room(const RunConfig& config,
                   std::span<const Aim> aims,
                   std::size_t num_steps,
                   const std::filesystem::path& output) {
    // Targets that no heliostat serves have no maps.
    std::set<std::size_t> targets;
    for (const Aim& aim : aims) targets.insert(aim.target);
    const std::uint64_t heliostats = aims.size();
    const std::uint64_t maps = 2 * sizeof(double) * targets.size() *
                               static_cast<std::uint64_t>(config.bitmap.height) *
                               static_cast<std::uint64_t>(config.bitmap.width);
    // Maps of single heliostats are compressed, to next to nothing where they are dark.
    const DiskRoom one{maps + heliostats * kBytesOfHeliostat,
                       estimated_result_bytes(std::ssize(targets),
                                              static_cast<std::int64_t>(heliostats),
                                              config.bitmap.height,
                                              config.bitmap.width,
                                              config.output.per_heliostat)};
    if (num_steps == 0) return one;
    const DiskRoom joined{maps / kBestRatioOfMaps + heliostats * kBestBytesOfHeliostat, one.most};
    const std::uint64_t stored = stored_bytes(RunParts(output, {}).folder());
    const auto missing = [&](std::uint64_t bytes) { return bytes - std::min(bytes, stored); };
    return {missing(num_steps * one.least) + num_steps * joined.least,
            missing(num_steps * one.most) + num_steps * joined.most};
}

}  // namespace helioray::run
