// SPDX-License-Identifier: MIT
// Reads tables of sweeps.
#include "raytracer/studies/sweep/sweep_reader.h"

#include "raytracer/results/result_layout.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::sweep {

const SweptColumn* StoredSweep::find(const std::string& name) const {
    const auto found = std::ranges::find(columns, name, &SweptColumn::name);
    return found == columns.end() ? nullptr : &*found;
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
