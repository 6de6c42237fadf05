// SPDX-License-Identifier: MIT
// Traces and compares one case; creates tables of the comparisons.
#include "app/validation/study.h"

#include "app/output/summary/text_table.h"
#include "raytracer/run/make_job.h"
#include "scenario/config/checks/checks.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace helioray::validation {

namespace {

int64_t count_passed(const std::vector<Row>& rows) {
    return std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.pass(); });
}

}  // namespace

bool Row::pass() const {
    return note.empty() && std::isfinite(ours) && std::abs(ours - reference) <= tolerance;
}

std::string rows_table(const std::vector<Row>& rows) {
    TextTable table({{"case", Align::left},
                     {"what", Align::left},
                     {"quantity", Align::left},
                     {"unit", Align::left},
                     {"published", Align::right},
                     {"ours", Align::right},
                     {"+-", Align::right},
                     {"difference", Align::right},
                     {"tolerance", Align::right},
                     {"source", Align::left},
                     {"", Align::left}});
    std::map<std::string, std::string> notes;  // ids by the note they share
    for (const Row& row : rows) {
        if (!row.note.empty()) {
            notes[row.note] += row.id + " ";
            table.add_row({row.id, row.title, "", "", "", "", "", "", "", "", "NOT RUN"});
            continue;
        }
        table.add_row({row.id,
                       row.title,
                       row.quantity,
                       row.unit,
                       significant(row.reference, 7),
                       significant(row.ours, 7),
                       row.std_error > 0.0 ? fmt::format("{:.1g}", row.std_error) : "",
                       fmt::format("{:+.2g}", row.ours - row.reference),
                       fmt::format("{:.2g}", row.tolerance),
                       row.source,
                       row.pass() ? "pass" : "FAIL"});
    }
    std::string text = table.str();
    for (const auto& [note, ids] : notes) text += fmt::format("\n  Not run: {}\n  {}\n", ids, note);
    return text + fmt::format("\n{} of {} rows pass\n", count_passed(rows), rows.size());
}

nlohmann::json rows_json(const std::vector<Row>& rows) {
    using nlohmann::json;
    json list = json::array();
    for (const Row& row : rows) {
        json entry{{"id", row.id}, {"title", row.title}, {"pass", row.pass()}};
        if (row.note.empty()) {
            entry["quantity"] = row.quantity;
            entry["unit"] = row.unit;
            entry["reference"] = row.reference;
            entry["source"] = row.source;
            entry["ours"] = row.ours;
            entry["std_error"] = row.std_error;
            entry["tolerance"] = row.tolerance;
        } else {
            entry["note"] = row.note;
        }
        list.push_back(std::move(entry));
    }
    const int64_t passed = count_passed(rows);
    return {{"passed", passed}, {"failed", std::ssize(rows) - passed}, {"rows", list}};
}

bool all_pass(const std::vector<Row>& rows) {
    return !rows.empty() && count_passed(rows) == std::ssize(rows);
}

namespace {

double energy_gap(const EnergyTerms& terms) {
    double sum = 0.0;
    for (const EnergyTermInfo& info : energy_term_infos()) sum += terms.*info.member;
    sum -= terms.solar_power;
    return std::abs(sum - terms.solar_power) / terms.solar_power;
}

double map_gap(const TargetResult& target) {
    double sum = 0.0;
    for (const double flux : target.flux) sum += flux;
    const auto extent = surface_extent(target.target);
    const double pixel_area =
        extent[0] * extent[1] / static_cast<double>(target.width * target.height);
    return std::abs(sum * pixel_area - target.power_w) / std::max(target.power_w, 1.0);
}

}  // namespace

RunResult trace_scene(Scene scene, int64_t rays, uint64_t seed, const TraceControl& control) {
    const auto heliostats = std::ssize(scene.scenario.heliostats);
    scene.config.tracing.rays_per_heliostat = (rays + heliostats - 1) / heliostats;
    scene.config.tracing.seed = seed;
    check_supported(scene.config);
    const auto job = make_job(scene.config, scene.scenario);
    job->trace(0, job->num_units(), control);
    return job->result();
}

Study::Study(const Effort& effort, std::string id, std::string title, Identities& identities)
    : effort_(effort), id_(std::move(id)), title_(std::move(title)), identities_(identities) {}

int64_t Study::rays_per_heliostat(size_t heliostats) const {
    const auto n = static_cast<int64_t>(heliostats);
    return (effort_.rays + n - 1) / n;
}

RunResult Study::trace(const Scene& scene) {
    RunResult result = trace_scene(scene, effort_.rays, effort_.seed, effort_.control);
    ++identities_.scenes;
    for (const HeliostatResult& heliostat : result.heliostats)
        identities_.energy_gap = std::max(identities_.energy_gap, energy_gap(heliostat.energy));
    for (const TargetResult& target : result.targets)
        identities_.map_gap = std::max(identities_.map_gap, map_gap(target));
    return result;
}

void Study::compare(const std::string& quantity,
                    const std::string& unit,
                    double reference,
                    const std::string& source,
                    double ours,
                    double std_error,
                    double tolerance) {
    rows_.push_back(
        {id_, title_, quantity, unit, reference, source, ours, std_error, tolerance, ""});
}

}  // namespace helioray::validation
