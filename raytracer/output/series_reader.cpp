// SPDX-License-Identifier: MIT
// Reading of series without their maps.
#include "raytracer/output/result_datasets.h"
#include "raytracer/output/series_file.h"
#include "raytracer/output/step_rows.h"
#include "scenario/hdf5/file.h"

#include <algorithm>
#include <numeric>

namespace helioray {

namespace {

std::vector<Vec3> vectors(const hdf5::Group& group, const std::string& name, size_t count) {
    const std::vector<double> values = read_shaped(group, name, {count, 3});
    std::vector<Vec3> found(count);
    for (size_t i = 0; i < count; ++i)
        found[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
    return found;
}

std::vector<SeriesStep> read_steps(const hdf5::Group& group, size_t count) {
    std::vector<SeriesStep> steps(count);
    const auto column = [&](const char* name, auto set) {
        const std::vector<double> values = read_shaped(group, name, {count});
        for (size_t i = 0; i < count; ++i) set(steps[i], values[i]);
    };
    column("azimuth_deg", [](SeriesStep& s, double value) { s.azimuth_deg = value; });
    column("elevation_deg", [](SeriesStep& s, double value) { s.elevation_deg = value; });
    column("dni_w_m2", [](SeriesStep& s, double value) { s.dni_w_m2 = value; });
    column("trace_seconds", [](SeriesStep& s, double value) { s.trace_seconds = value; });
    column("rays", [](SeriesStep& s, double value) { s.rays = static_cast<int64_t>(value); });
    const std::vector<std::string> times = read_texts(group, "time", count);
    const std::vector<std::string> fingerprints = read_texts(group, "fingerprint", count);
    const std::vector<Vec3> directions = vectors(group, "sun_direction", count);
    for (size_t i = 0; i < count; ++i) {
        steps[i].time = times[i];
        steps[i].fingerprint = fingerprints[i];
        steps[i].sun_direction = directions[i];
    }
    return steps;
}

SeriesTarget read_target(const hdf5::Group& group, const std::string& name, size_t steps) {
    return {name,
            group.dataset("flux").read_attribute_string("unit"),
            read_shaped(group, "power_w", {steps}),
            read_shaped(group, "power_std_error_w", {steps}),
            read_shaped(group, "peak_flux_w_m2", {steps}),
            vectors(group, "centroid_m", steps)};
}

}  // namespace

bool is_series(const std::filesystem::path& result) {
    const hdf5::File file = hdf5::File::open(result);
    check_result_format(file.root());
    return num_steps_of(file.root()) > 0;
}

SeriesResult read_series(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_result_format(root);
    const size_t steps = num_steps_of(root);
    if (steps == 0) refuse_result(root.where(), "is a single run, not a series");

    SeriesResult series;
    series.provenance = read_provenance(root);
    series.steps = read_steps(root.group("series"), steps);
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names())
        series.targets.push_back(read_target(targets.group(name), name, steps));

    const hdf5::Group heliostats = root.group("heliostats");
    series.heliostats = heliostats.read_strings("name");
    const size_t count = series.heliostats.size();
    series.heliostat_targets = read_texts(heliostats, "target", count);
    series.energy.resize(steps * count);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        const std::vector<double> values = read_shaped(heliostats, term.name, {steps, count});
        for (size_t i = 0; i < values.size(); ++i) series.energy[i].*term.member = values[i];
    }
    series.target_power_std_error =
        read_shaped(heliostats, "target_power_std_error", {steps, count});
    for (const SeriesStep& step : series.steps) series.trace_seconds += step.trace_seconds;
    return series;
}

RunResult read_step(const std::filesystem::path& path, const SeriesResult& series, size_t step) {
    RunResult result = read_result(path, step, HeliostatFlux::skip);
    result.step = step_label(series, step);
    return result;
}

}  // namespace helioray
