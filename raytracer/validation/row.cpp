// SPDX-License-Identifier: MIT
// Rows as text and as JSON.
#include "raytracer/validation/row.h"

#include "raytracer/output/number_text.h"
#include "raytracer/output/text_table.h"

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
    std::map<std::string, std::string> notes;  // ids by what they share
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
        json one{{"id", row.id}, {"title", row.title}, {"pass", row.pass()}};
        if (row.note.empty()) {
            one["quantity"] = row.quantity;
            one["unit"] = row.unit;
            one["reference"] = row.reference;
            one["source"] = row.source;
            one["ours"] = row.ours;
            one["std_error"] = row.std_error;
            one["tolerance"] = row.tolerance;
        } else {
            one["note"] = row.note;
        }
        list.push_back(std::move(one));
    }
    const int64_t passed = count_passed(rows);
    return {{"passed", passed}, {"failed", std::ssize(rows) - passed}, {"rows", list}};
}

bool all_pass(const std::vector<Row>& rows) {
    return !rows.empty() && count_passed(rows) == std::ssize(rows);
}

}  // namespace helioray::validation
