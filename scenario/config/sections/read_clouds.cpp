// SPDX-License-Identifier: MIT
// Reads section sun.clouds: fractions of the irradiance for each heliostat, or a map that moves.
#include "scenario/config/section.h"
#include "scenario/inputs/column_table.h"
#include "scenario/inputs/grid_rows.h"
#include "scenario/types/choices.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <cstdint>

namespace helioray {

namespace {

void read_shares(const ColumnTable& table, CloudConfig& clouds, std::vector<Problem>& problems) {
    for (size_t row = 0; row < table.num_rows(); ++row) {
        const auto share = table.number(row, "share", kSunlitShares.low, kSunlitShares.high);
        std::int64_t instant = INT64_MIN;
        if (table.has("time")) {
            const auto time = table.time(row, "time");
            if (!time) continue;
            instant = milliseconds_of(*time);
        }
        const std::string& name = table.text(row, "name");
        if (share && !clouds.by_heliostat[instant].emplace(name, *share).second) {
            problems.push_back({table.place(row, "name"),
                                fmt::format("'{}' is given twice", name),
                                "a heliostat receives one share of the light",
                                "keep one of the two"});
        }
    }
}

void read_map(const ColumnTable& table, CloudConfig& clouds, std::vector<Problem>& problems) {
    std::vector<GridRow> rows;
    for (size_t row = 0; row < table.num_rows(); ++row) {
        const auto east = table.number(row, "east_m", -kLengths.high, kLengths.high);
        const auto north = table.number(row, "north_m", -kLengths.high, kLengths.high);
        const auto share = table.number(row, "share", kSunlitShares.low, kSunlitShares.high);
        if (east && north && share) rows.push_back({*east, *north, *share, table.place(row)});
    }
    if (!problems.empty()) return;
    clouds.map = make_grid(rows, clouds.file.string(), {"east", "north"}, "shares", problems);
}

void read_table(const Section& section, CloudConfig& clouds, std::vector<Problem>& problems) {
    const ColumnTable table(
        clouds.file, {"share"}, {"name", "time", "east_m", "north_m"}, problems);
    section.warn(table.warning());
    const bool is_map = table.has("east_m") && table.has("north_m");
    if (table.num_rows() == 0) return;
    if (is_map == table.has("name") || (is_map && table.has("time"))) {
        problems.push_back({clouds.file.string(),
                            "is neither a table of heliostats nor a map",
                            "",
                            "give the columns name, share and perhaps time, or east_m, north_m and "
                            "share"});
        return;
    }
    if (!table.has("share")) return;
    if (is_map) {
        read_map(table, clouds, problems);
    } else {
        read_shares(table, clouds, problems);
    }
}

/// Reads the motion of a map.
void read_motion(const Section& section, CloudConfig& clouds) {
    if (const auto velocity = section.numbers("velocity_m_s", 2))
        clouds.velocity = {(*velocity)[0], (*velocity)[1]};
    if (const auto text = section.text("time")) {
        const IsoTime time = parse_iso_time(*text);
        if (time.error.empty()) {
            clouds.map_instant = milliseconds_of(time.normalised);
        } else {
            section.fail("time",
                         fmt::format("'{}' {}", *text, time.error),
                         "",
                         "write for example " + section.declaration("time").example);
        }
    }
    for (const char* key : {"velocity_m_s", "time"}) {
        if (!section.has(key)) {
            if (section.has("velocity_m_s") || section.has("time"))
                section.fail(key,
                             "is missing",
                             "a map moves from where it is at a time",
                             "give both, or none for clouds that stand");
        } else if (!clouds.map && !clouds.by_heliostat.empty()) {
            section.fail(key,
                         "belongs to a map",
                         "the file has shares of heliostats",
                         "remove it, or give east_m, north_m and share");
        }
    }
}

}  // namespace

std::optional<CloudConfig> read_clouds(const Section& section) {
    if (!section.require("file", "clouds are read from a file")) return std::nullopt;
    const auto file = existing_file(section, "file");
    if (!file) return std::nullopt;
    CloudConfig clouds;
    clouds.file = *file;
    std::vector<Problem> problems;
    try {
        // read_cloud_map() reads HDF5 files, so that parsing a configuration does not need HDF5.
        if (!is_hdf5(clouds.file)) read_table(section, clouds, problems);
    } catch (const InputError& error) {
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
    section.problems().insert(section.problems().end(), problems.begin(), problems.end());
    read_motion(section, clouds);
    return clouds;
}

}  // namespace helioray
