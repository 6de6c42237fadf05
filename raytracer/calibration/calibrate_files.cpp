// SPDX-License-Identifier: MIT
// From files of the PAINT database to a calibrated scenario.
#include "raytracer/calibration/calibrate_files.h"

#include "scenario/files/error.h"
#include "scenario/reader/read_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace helioray::calibration {

namespace {

constexpr size_t kMostSearched = 200;

/// Heliostats whose properties are of the database's older version.
std::set<std::string> older_heliostats(const std::vector<PaintHeliostat>& heliostats) {
    std::set<std::string> older;
    ReadLog log;
    for (const PaintHeliostat& heliostat : heliostats) {
        log.attempt([&] {
            if (is_older_paint_version(heliostat.file)) older.insert(name_of(heliostat));
        });
    }
    log.throw_if_any();
    return older;
}

/// All records of the folders and files. A folder without any may hold properties alone.
RecordFiles all_records(const CalibrationFiles& files) {
    std::vector<std::string> names;
    for (const PaintHeliostat& heliostat : files.heliostats) names.push_back(name_of(heliostat));
    RecordFiles records = files.records;
    for (const std::filesystem::path& folder : files.folders) {
        try {
            for (PaintFile& file : find_paint_calibrations(folder, names))
                records.paint.push_back(std::move(file));
        } catch (const InputError&) {
            continue;
        }
    }
    return records;
}

}  // namespace

void require_records(const std::vector<HeliostatRecords>& field) {
    const bool any = std::any_of(field.begin(), field.end(), [](const HeliostatRecords& one) {
        return !one.records.empty() || !one.rejected.empty();
    });
    if (any) return;
    throw InputError(
        Problem{"records",
                fmt::format("none of the {} heliostats has a record", field.size()),
                "kinematics follow from measured spots",
                "name a folder with <heliostat>/Calibration/*-calibration-properties.json, or a "
                "table of records"});
}

CalibratedField calibrate_files(const CalibrationFiles& files,
                                const std::optional<Level>& level,
                                int num_threads) {
    const std::set<std::string> older = older_heliostats(files.heliostats);
    PaintInputs inputs;
    inputs.tower = files.tower;
    inputs.heliostats = files.heliostats;
    inputs.drives_called_ideal = files.drives;
    CalibratedField result;
    const Scenario nominal = scenario_from_paint(inputs, &result.report);
    const std::vector<HeliostatRecords> field =
        field_records(nominal, read_records(all_records(files), nominal), older);
    require_records(field);

    CalibrationOptions how;
    how.level = level;
    how.latitude_deg = nominal.position.latitude_deg;
    how.num_threads = num_threads;
    how.next_measurement = field.size() <= kMostSearched;
    result.heliostats = calibrate(field, target_planes(nominal), how);
    for (const HeliostatCalibration& one : result.heliostats)
        result.states.push_back(state_of(one));
    result.scenario = calibrated_scenario(nominal, result.states);
    return result;
}

}  // namespace helioray::calibration
