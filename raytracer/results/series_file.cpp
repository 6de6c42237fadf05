// SPDX-License-Identifier: MIT
// Files of series: writes parts and the description of steps, and reads everything except maps.
#include "raytracer/results/axes.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "raytracer/results/series_join.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"

#include <algorithm>
#include <utility>

namespace helioray {

namespace {

SeriesStep step_of_part(const hdf5::Group& root) {
    SeriesStep step;
    step.time = root.read_attribute_string("time");
    step.azimuth_deg = root.read_attribute_number("azimuth_deg");
    step.elevation_deg = root.read_attribute_number("elevation_deg");
    step.dni_w_m2 = root.read_attribute_number("dni_w_m2");
    step.trace_seconds = root.read_attribute_number("trace_seconds");
    step.rays = root.read_attribute_integer("rays");
    step.fingerprint = root.read_attribute_string("fingerprint");
    const std::vector<double> sun = root.read_attribute_numbers("sun_direction");
    require(sun.size() == 3, root.where() + ": sun_direction has not three numbers");
    std::copy_n(sun.begin(), 3, step.sun_direction.begin());
    return step;
}

/// Appends the data of a part to a target.
void add_target(SeriesTarget& target, const hdf5::Group& part) {
    target.power_w.push_back(part.read_attribute_number("power_w"));
    target.power_std_error_w.push_back(part.read_attribute_number("power_std_error_w"));
    target.peak_flux_w_m2.push_back(part.read_attribute_number("peak_flux_w_m2"));
    target.peak_flux_std_error_w_m2.push_back(
        part.read_attribute_number("peak_flux_std_error_w_m2"));
    target.peak_area_m2.push_back(part.read_attribute_number("peak_area_m2"));
    target.peak_pixel_w_m2.push_back(part.read_attribute_number("peak_pixel_w_m2"));
    target.centroid_m.push_back(StepRows::whole().vector(part, "centroid_m"));
}

void write_steps(hdf5::Group group, const std::vector<SeriesStep>& steps) {
    std::vector<std::string> times, fingerprints;
    std::vector<int64_t> rays;
    std::vector<double> directions;
    for (const SeriesStep& step : steps) {
        times.push_back(step.time);
        fingerprints.push_back(step.fingerprint);
        rays.push_back(step.rays);
        directions.insert(directions.end(), step.sun_direction.begin(), step.sun_direction.end());
    }
    const auto column = [&](const char* name,
                            double SeriesStep::*member,
                            const char* unit,
                            const char* description) {
        std::vector<double> values;
        for (const SeriesStep& step : steps) values.push_back(step.*member);
        annotate(group.write_array<double>(name, values, {values.size()}), unit, description);
    };
    annotate(group.write_strings("time", times),
             "",
             "Time of each step, ISO 8601; empty where angles without a time gave the position.");
    column("azimuth_deg", &SeriesStep::azimuth_deg, "deg", "Sun's azimuth, clockwise from north.");
    column("elevation_deg",
           &SeriesStep::elevation_deg,
           "deg",
           "Sun's elevation above the horizon, with refraction where it follows from a time.");
    column("dni_w_m2", &SeriesStep::dni_w_m2, "W/m2", "Direct normal irradiance.");
    annotate(group.write_array<double>("sun_direction", directions, {steps.size(), 3}),
             "1",
             "Unit vector to the sun, east-north-up.");
    annotate(group.write_array<int64_t>("rays", rays, {rays.size()}), "1", "Rays of each step.");
    annotate(group.write_strings("fingerprint", fingerprints),
             "",
             "Hash of each step's exact integer sums.");
    column("trace_seconds", &SeriesStep::trace_seconds, "s", "Time that tracing took.");
    attach_axes(group);
}

}  // namespace

void fill_series_part(hdf5::Group root, const RunResult& result, const SeriesStep& step) {
    fill_result(root, result);
    root.write_attribute("time", step.time);
    root.write_attribute("azimuth_deg", step.azimuth_deg);
    root.write_attribute("elevation_deg", step.elevation_deg);
    root.write_attribute("dni_w_m2", step.dni_w_m2);
    root.write_attribute("trace_seconds", step.trace_seconds);
}

void write_series_part(const RunResult& result,
                       const SeriesStep& step,
                       const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) { fill_series_part(std::move(root), result, step); });
}

bool is_series_part(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) return false;
    try {
        step_of_part(hdf5::File::open(path).root());
        return true;
    } catch (const InputError&) {
        return false;  // incomplete or damaged: the step is traced again
    }
}

void write_series(const std::vector<std::filesystem::path>& parts,
                  Provenance provenance,
                  const std::filesystem::path& path) {
    std::vector<SeriesStep> steps;
    std::vector<std::string> fingerprints;
    provenance.rays = 0;
    for (const std::filesystem::path& part : parts) {
        steps.push_back(step_of_part(hdf5::File::open(part).root()));
        fingerprints.push_back(steps.back().fingerprint);
        provenance.rays += steps.back().rays;
    }
    require(!steps.empty(), "a series without steps");
    provenance.fingerprint = series_fingerprint(fingerprints);
    provenance.sun_direction = steps.front().sun_direction;
    write_image(path, [&](hdf5::Group root) {
        write_provenance(root, provenance);
        root.write_attribute("num_steps", static_cast<int64_t>(steps.size()));
        write_steps(root.create_group("series"), steps);
        join_parts(root, parts);
    });
}

SeriesResult series_of_parts(const std::vector<std::filesystem::path>& parts,
                             Provenance provenance) {
    SeriesResult series;
    std::vector<std::string> fingerprints;
    provenance.rays = 0;
    for (const std::filesystem::path& path : parts) {
        const hdf5::File file = hdf5::File::open(path);
        const hdf5::Group root = file.root();
        const hdf5::Group heliostats = root.group("heliostats");
        const hdf5::Group targets = root.group("targets");
        series.steps.push_back(step_of_part(root));
        const SeriesStep& step = series.steps.back();
        fingerprints.push_back(step.fingerprint);
        provenance.rays += step.rays;
        series.trace_seconds += step.trace_seconds;
        if (series.steps.size() == 1) {
            series.heliostats = heliostats.read_strings("name");
            series.heliostat_targets = read_texts(heliostats, "target", series.heliostats.size());
            for (const std::string& name : targets.names()) {
                series.targets.emplace_back().name = name;
                series.targets.back().unit =
                    targets.group(name).dataset("flux").read_attribute_string("unit");
            }
        }
        for (SeriesTarget& target : series.targets) add_target(target, targets.group(target.name));
        const size_t count = series.heliostats.size();
        std::vector<EnergyTerms> own(count);
        for (const EnergyTermInfo& term : energy_term_infos()) {
            const std::vector<double> values = read_shaped(heliostats, term.name, {count});
            for (size_t i = 0; i < count; ++i) own[i].*term.member = values[i];
        }
        series.energy.insert(series.energy.end(), own.begin(), own.end());
        const std::vector<double> errors =
            read_shaped(heliostats, "target_power_std_error", {count});
        series.target_power_std_error.insert(
            series.target_power_std_error.end(), errors.begin(), errors.end());
    }
    require(!series.steps.empty(), "a series without steps");
    provenance.fingerprint = series_fingerprint(fingerprints);
    provenance.sun_direction = series.steps.front().sun_direction;
    series.provenance = std::move(provenance);
    return series;
}

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
    // Versions up to 0.4 stored the largest pixel under the name of the peak.
    const bool has_peak = group.contains("peak_pixel_w_m2");
    const std::vector<double> unknown(steps, std::nan(""));
    const auto peak = [&](const char* attribute) {
        return has_peak ? read_shaped(group, attribute, {steps}) : unknown;
    };
    return {name,
            group.dataset("flux").read_attribute_string("unit"),
            read_shaped(group, "power_w", {steps}),
            read_shaped(group, "power_std_error_w", {steps}),
            peak("peak_flux_w_m2"),
            peak("peak_flux_std_error_w_m2"),
            peak("peak_area_m2"),
            read_shaped(group, has_peak ? "peak_pixel_w_m2" : "peak_flux_w_m2", {steps}),
            vectors(group, "centroid_m", steps)};
}

}  // namespace

bool is_series(const std::filesystem::path& result) {
    const hdf5::File file = hdf5::File::open(result);
    check_result_format(file.root());
    return count_steps(file.root()) > 0;
}

SeriesResult read_series(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_result_format(root);
    const size_t steps = count_steps(root);
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
