// SPDX-License-Identifier: MIT
// Reads tables of sweeps.
#include "raytracer/studies/sweep/sweep_reader.h"

#include "raytracer/results/result_layout.h"
#include "raytracer/studies/sweep/sweep_columns.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::sweep {

const SweptColumn* StoredSweep::find(const std::string& name) const {
    const auto found = std::ranges::find(columns, name, &SweptColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

const SweptColumn* StoredSweep::target_power() const {
    for (const EnergyTermInfo& term : energy_term_infos())
        if (term.member == &EnergyTerms::target_power) return find(term.name + unit_ending("W"));
    return nullptr;
}

SweptNumber StoredSweep::efficiency() const {
    return {find(kEfficiency), find(kEfficiencyError)};
}

std::vector<SweptTarget> StoredSweep::targets() const {
    const std::string unit = target_power() != nullptr ? "W" : "1";
    const std::string power = target_number(&SweepTarget::power).prefix(unit);
    std::vector<SweptTarget> found;
    for (const SweptColumn& column : columns) {
        if (!column.name.starts_with(power)) continue;
        const std::string name = column.name.substr(power.size());
        const auto find_number = [&](const TargetNumber& number) {
            return find(number.prefix(unit) + name);
        };
        found.push_back({name,
                         {&column, find_number(target_number(&SweepTarget::power_std_error))},
                         {find_number(target_number(&SweepTarget::peak_flux)),
                          find_number(target_number(&SweepTarget::peak_flux_std_error))}});
    }
    return found;
}

bool is_sweep(const hdf5::Group& root) {
    return root.has_attribute("format") && root.read_attribute_string("format") == "helioray-sweep";
}

StoredSweep read_sweep(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    if (!is_sweep(root) || root.read_attribute_number("format_version") != 1.0)
        refuse_result(root.where(), "is not the table of a sweep of this version");
    StoredSweep table;
    const hdf5::Group results = root.group("results");
    table.fingerprints = results.read_strings("fingerprint");
    const std::size_t count = table.size();
    if (count == 0) refuse_result(results.where(), "has no variants");
    for (const std::string& name : results.names()) {
        if (name == "fingerprint") continue;
        const hdf5::Dataset data = results.dataset(name);
        table.columns.push_back(
            {name, data.read_attribute_string("unit"), read_shaped(results, name, {count})});
    }
    const hdf5::Group vary = root.group("vary");
    for (const std::string& name : vary.names()) {
        SweptKey key{name, {}, {}};
        if (vary.dataset(name).kind() == hdf5::ElementKind::string) {
            key.values = read_texts(vary, name, count);
        } else {
            key.numbers = read_shaped(vary, name, {count});
            for (const double number : key.numbers) key.values.push_back(fmt::format("{}", number));
        }
        table.keys.push_back(std::move(key));
    }
    if (table.keys.empty()) refuse_result(vary.where(), "has no varied keys");
    return table;
}

}  // namespace helioray::sweep
