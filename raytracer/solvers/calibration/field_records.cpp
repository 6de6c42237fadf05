// SPDX-License-Identifier: MIT
// Reads records from files of the PAINT database and from tables.
#include "raytracer/solvers/calibration/field_records.h"

#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/import/paint/calibration.h"
#include "scenario/import/paint/splits.h"
#include "scenario/inputs/column_table.h"
#include "scenario/reader/read_log.h"
#include "scenario/sun/solar_position.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

namespace fs = std::filesystem;

const char* name_method(SpotSource source) {
    return source == SpotSource::helios ? "HeliOS" : "UTIS";
}

Vec3 in_plane(const Vec3& point, const TargetPlane& plane) {
    return add_scaled(point, -dot(subtract(point, plane.centre), plane.outward), plane.outward);
}

/// Collects the records and the problems of all files.
class RecordReader {
  public:
    RecordReader(const RecordFiles& files, const Scenario& scenario)
        : files_(files), scenario_(scenario) {
        for (const Heliostat& heliostat : scenario.heliostats) names_.push_back(heliostat.name);
        for (const Target& target : scenario.targets) targets_.push_back(target.name);
    }

    std::map<std::string, ReadRecords> read(std::vector<std::string>* remarks) {
        // Read the splits before all records: they assign the heliostats and select the test
        // records.
        std::vector<fs::path> test;
        for (const fs::path& file : files_.test) {
            const bool is_split = file.extension() == ".csv" && read_split(file);
            if (!is_split) test.push_back(file);
        }
        // Read the test records next, so that they are left out of the rest.
        for (const fs::path& file : test) log_.attempt([&] { read_test(file); });
        for (const fs::path& folder : files_.benchmarks) {
            for (const PaintSplitRecord& entry : splits_.records(folder, names_, log_)) {
                const auto& [heliostat, file] = entry.record;
                log_.attempt([&] { add(heliostat, read_paint(file, heliostat), !entry.fitted); });
            }
        }
        for (const PaintFile& file : files_.paint) {
            log_.attempt(
                [&] { add(file.heliostat, read_paint(file.file, file.heliostat), false); });
        }
        for (const fs::path& table : files_.tables) log_.attempt([&] { read_table(table, false); });
        log_.throw_if_any();
        if (remarks) {
            for (const std::string& line : log_.warnings()) remarks->push_back(line);
        }
        for (auto& [name, records] : records_) order_by_time(records);
        return std::move(records_);
    }

  private:
    /// Orders the records by their times if all have one, otherwise by their numbers.
    static void order_by_time(ReadRecords& records) {
        for (const auto* list : {&records.records, &records.test}) {
            for (const SpotRecord& record : *list) {
                if (!record.julian_day) return;
            }
        }
        for (auto* list : {&records.records, &records.test}) {
            for (SpotRecord& record : *list) record.order = record.julian_day;
        }
    }

    /// Returns true if a table is a split, or cannot be read, which the log reports.
    bool read_split(const fs::path& file) {
        bool is_split = false;
        return !log_.attempt([&] { is_split = splits_.read(file, log_); }) || is_split;
    }

    void read_test(const fs::path& file) {
        if (file.extension() == ".csv") return read_table(file, true);
        const std::string heliostat = heliostat_of(file);
        add(heliostat, read_paint(file, heliostat), true);
    }

    /// Returns the heliostat named by a record's file or folder, or else by its row in a split.
    std::string heliostat_of(const fs::path& file) const {
        try {
            return paint_heliostat_of(file, names_);
        } catch (const InputError&) {
            const auto row = splits_.heliostat_of(paint_record_id(file));
            if (!row || std::find(names_.begin(), names_.end(), *row) == names_.end()) throw;
            return *row;
        }
    }

    /// Reads a record of PAINT. Returns nothing and adds a rejection if it has no spot by the
    /// selected method.
    std::optional<SpotRecord> read_paint(const fs::path& file, const std::string& heliostat) {
        const PaintCalibration read = read_paint_calibration(file, scenario_.position);
        const Target& target = target_named(read.target, file.string() + ": target_name");
        SpotRecord record;
        record.id = read.id;
        record.source = file.string();
        record.target = read.target;
        record.motor_positions = read.motor_positions;
        record.to_sun = {std::sin(read.sun_azimuth) * std::cos(read.sun_elevation),
                         std::cos(read.sun_azimuth) * std::cos(read.sun_elevation),
                         std::sin(read.sun_elevation)};
        record.plane = target_plane(target);
        record.order = number_of(read.id);
        if (!read.time.empty()) {
            record.julian_day = parse_iso8601(read.time, file.string() + ": datetime").julian_day;
        }
        if (files_.spot == SpotSource::image) {
            const fs::path image = file.parent_path() / (read.id + "-flux.png");
            if (!fs::exists(image)) {
                records_[heliostat].rejected.push_back(
                    {read.id, fmt::format("no image '{}'", image.filename().string())});
                return std::nullopt;
            }
            const ImageSpot spot = spot_of_image(image, target);
            if (!spot.place) {
                records_[heliostat].rejected.push_back(
                    {read.id, fmt::format("'{}' {}", image.filename().string(), spot.fault)});
                return std::nullopt;
            }
            record.spot = in_plane(*spot.place, record.plane);
            return record;
        }
        const auto spot = read.focal_spots.find(name_method(files_.spot));
        if (spot == read.focal_spots.end()) {
            records_[heliostat].rejected.push_back(
                {read.id, fmt::format("no focal spot by {}", name_method(files_.spot))});
            return std::nullopt;
        }
        record.spot = in_plane(spot->second, record.plane);
        return record;
    }

    void read_table(const fs::path& file, bool test) {
        std::vector<Problem> problems;
        const ColumnTable table(file,
                                {"heliostat",
                                 "target",
                                 "axis_1_motor_position",
                                 "axis_2_motor_position",
                                 "spot_east_m",
                                 "spot_north_m",
                                 "spot_up_m"},
                                {"record", "time", "sun_azimuth_deg", "sun_elevation_deg"},
                                problems);
        if (!table.other_columns().empty()) {
            log_.warn(file.string(),
                      fmt::format("columns that are not used: {}",
                                  fmt::join(table.other_columns(), ", ")));
        }
        const bool angles = table.has("sun_azimuth_deg") && table.has("sun_elevation_deg");
        if (problems.empty() && !angles && !table.has("time")) {
            problems.push_back(
                {file.string(),
                 "has neither the column time nor sun_azimuth_deg and sun_elevation_deg",
                 "a spot belongs to a sun",
                 "add them"});
        }
        for (size_t row = 0; problems.empty() && row < table.num_rows(); ++row) {
            log_.attempt([&] { read_row(table, row, angles, test, problems); });
            for (Problem& problem : problems) log_.attempt([&] { throw InputError(problem); });
            problems.clear();
        }
        if (!problems.empty()) throw InputError(std::move(problems));
    }

    void read_row(const ColumnTable& table,
                  size_t row,
                  bool angles,
                  bool test,
                  std::vector<Problem>& problems) {
        constexpr double kMost = 1e9;
        SpotRecord record;
        record.id = table.has("record") ? table.text(row, "record")
                                        : fmt::format("line {}", table.line(row));
        record.unnamed = !table.has("record");
        record.source = table.place(row);
        record.order = number_of(record.id);
        const auto value = [&](const char* column, double low, double high) {
            return table.number(row, column, low, high).value_or(0.0);
        };
        record.motor_positions = {value("axis_1_motor_position", -kMost, kMost),
                                  value("axis_2_motor_position", -kMost, kMost)};
        record.spot = {value("spot_east_m", -1e5, 1e5),
                       value("spot_north_m", -1e5, 1e5),
                       value("spot_up_m", -1e5, 1e5)};
        if (angles) {
            const double azimuth = kRadiansPerDegree * value("sun_azimuth_deg", -360, 360);
            const double elevation = kRadiansPerDegree * value("sun_elevation_deg", 1e-6, 90);
            record.to_sun = {std::sin(azimuth) * std::cos(elevation),
                             std::cos(azimuth) * std::cos(elevation),
                             std::sin(elevation)};
        }
        if (table.has("time")) {
            if (const auto time = table.time(row, "time")) {
                record.julian_day = parse_iso8601(*time, table.place(row, "time")).julian_day;
                if (!angles) {
                    const SolarPosition sun = solar_position(*time, scenario_.position);
                    record.to_sun = direction_to_sun(sun);
                    if (sun.elevation <= 0) {
                        problems.push_back({table.place(row, "time"),
                                            "the sun is below the horizon then",
                                            "there is no light",
                                            "check the time and its offset from UTC"});
                    }
                }
            }
        }
        const Target& target = target_named(table.text(row, "target"), table.place(row, "target"));
        record.target = target.name;
        record.plane = target_plane(target);
        record.spot = in_plane(record.spot, record.plane);
        const std::string& heliostat = table.text(row, "heliostat");
        if (std::find(names_.begin(), names_.end(), heliostat) == names_.end()) {
            problems.push_back({table.place(row, "heliostat"),
                                fmt::format("there is no heliostat '{}'", heliostat),
                                "its properties are needed too",
                                suggest(heliostat, names_)});
        }
        if (problems.empty()) add(heliostat, std::move(record), test);
    }

    void add(const std::string& heliostat, std::optional<SpotRecord> record, bool test) {
        if (!record) return;
        const std::string numbers = measured_numbers(*record);
        const std::pair<std::string, std::string> name{heliostat, identity_of(*record)};
        if (const auto [before, is_new] = seen_.emplace(name, numbers); !is_new) {
            // The record was named for the test and appears in a folder again.
            if (!test && tested_.contains(name)) return;
            if (before->second == numbers) {
                records_[heliostat].rejected.push_back(
                    {record->id, "given twice: a record counts once"});
                return;
            }
            throw InputError(Problem{
                record->source,
                fmt::format(
                    "a second record '{}' of '{}' with other numbers", record->id, heliostat),
                "records are known by their names",
                "remove one of them"});
        }
        if (const auto [same, is_first] =
                measured_.emplace(std::pair{heliostat, numbers}, record->id);
            !is_first) {
            records_[heliostat].rejected.push_back(
                {record->id,
                 fmt::format("the same measurement as '{}': it counts once", same->second)});
            return;
        }
        if (!test) {
            const PaintUse use = splits_.use_of(heliostat, record->id);
            if (use == PaintUse::unlisted) {
                records_[heliostat].rejected.push_back({record->id, kNotInSplit});
                return;
            }
            test = use == PaintUse::predicted;
        }
        ReadRecords& records = records_[heliostat];
        if (test) tested_.insert(name);
        (test ? records.test : records.records).push_back(std::move(*record));
    }

    const Target& target_named(const std::string& name, const std::string& where) const {
        const auto index = scenario_.find_target(name);
        if (!index) {
            throw InputError(Problem{where,
                                     fmt::format("there is no target '{}'", name),
                                     "the tower file holds the targets",
                                     suggest(name, targets_)});
        }
        return scenario_.targets[*index];
    }

    const RecordFiles& files_;
    const Scenario& scenario_;
    std::vector<std::string> names_, targets_;
    std::map<std::string, ReadRecords> records_;
    // Numbers of the records seen, by heliostat and record (or numbers).
    std::map<std::pair<std::string, std::string>, std::string> seen_;
    std::map<std::pair<std::string, std::string>, std::string> measured_;  // ids by numbers
    std::set<std::pair<std::string, std::string>> tested_;
    PaintSplits splits_;
    ReadLog log_;
};

}  // namespace

TargetPlane target_plane(const Target& target) {
    const TargetFrame frame = target_frame(target);
    if (is_flat(target))
        return {default_aim_point(target), frame.axes[0], frame.axes[1], frame.axes[2]};
    // The z axis is the axis of the cylinder and y the middle of the sector.
    return {default_aim_point(target), frame.axes[0], frame.axes[2], frame.axes[1]};
}

std::vector<std::pair<std::string, TargetPlane>> target_planes(const Scenario& scenario) {
    std::vector<std::pair<std::string, TargetPlane>> planes;
    for (const Target& target : scenario.targets) {
        if (is_flat(target)) planes.emplace_back(target.name, target_plane(target));
    }
    return planes;
}

std::map<std::string, ReadRecords> read_records(const RecordFiles& files,
                                                const Scenario& scenario,
                                                std::vector<std::string>* remarks) {
    return RecordReader(files, scenario).read(remarks);
}

std::vector<HeliostatRecords> field_records(const Scenario& scenario,
                                            const std::map<std::string, ReadRecords>& records,
                                            const std::set<std::string>& older) {
    std::vector<size_t> indices;
    for (size_t i = 0; i < scenario.heliostats.size(); ++i)
        if (scenario.heliostats[i].kinematics) indices.push_back(i);
    const std::vector<KinematicsRecord> kinematics = kinematics_records(scenario, indices);
    const double metres_per_degree = wgs84_to_enu_linear({scenario.position.latitude_deg,
                                                          scenario.position.longitude_deg + 1.0,
                                                          scenario.position.altitude_m},
                                                         scenario.position)[0];
    std::map<const Surface*, std::vector<MirrorElement>> mirrors;  // heliostats may share a surface
    std::vector<HeliostatRecords> field;
    for (size_t k = 0; k < indices.size(); ++k) {
        const size_t i = indices[k];
        HeliostatRecords heliostat;
        heliostat.name = scenario.heliostats[i].name;
        heliostat.nominal = kinematics[k];
        if (older.contains(heliostat.name)) {
            heliostat.frame_shift_east = kOlderLongitudeShift * metres_per_degree;
        }
        if (const auto read = records.find(heliostat.name); read != records.end()) {
            heliostat.records = read->second.records;
            heliostat.test = read->second.test;
            heliostat.rejected = read->second.rejected;
            const Surface* surface = scenario.heliostats[i].surface.get();
            auto mirror = mirrors.find(surface);
            if (mirror == mirrors.end())
                mirror = mirrors.emplace(surface, mirror_elements(*surface)).first;
            heliostat.mirror = mirror->second;
        }
        field.push_back(std::move(heliostat));
    }
    return field;
}

}  // namespace helioray::calibration
