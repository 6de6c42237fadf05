// SPDX-License-Identifier: MIT
// Runs the closed-form and published cases.
#include "app/validation/validate.h"

#include "scenario/files/error.h"

#include <fmt/format.h>

namespace helioray::validation {

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Sums of integers are exact, so only the conversion to watts causes rounding errors.
constexpr double kRounding = 1e-12;

void add_identities(const Identities& identities, std::vector<Row>& rows) {
    if (identities.scenes == 0) return;
    const auto row = [&](const char* id, const char* title, const char* quantity, double gap) {
        rows.push_back({id, title, quantity, "", 0.0, "identity", gap, 0.0, kRounding, ""});
    };
    row("I1", "energy terms of every mirror add up", "worst relative gap", identities.energy_gap);
    row("I2",
        "flux times pixel area is the target's power",
        "worst relative gap",
        identities.map_gap);
}

}  // namespace

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const auto& group : {closed_form_cases,
                              single_mirror_cases,
                              scene_cases,
                              buie_cases,
                              round_a_cases,
                              round_b_cases,
                              round_c_cases,
                              air_cases,
                              sun_position_cases}) {
        for (Case& validation_case : group()) cases.push_back(std::move(validation_case));
    }
    return cases;
}

std::vector<Row> validate(const Effort& effort,
                          const std::string& only,
                          const CaseObserver& observer) {
    Identities identities;
    std::vector<Row> rows;
    bool any_match = false;
    for (const Case& validation_case : all_cases()) {
        if (!contains(validation_case.id, only) && !contains(validation_case.title, only)) continue;
        any_match = true;
        if (validation_case.only_full && !effort.full) continue;
        if (observer) observer(validation_case);
        Study study(effort, validation_case.id, validation_case.title, identities);
        try {
            validation_case.run(study);
        } catch (const InputError& error) {
            Row row;
            row.id = validation_case.id;
            row.title = validation_case.title;
            row.note = error.what();
            rows.push_back(std::move(row));
            continue;
        }
        rows.insert(rows.end(), study.rows().begin(), study.rows().end());
    }
    if (!any_match) {
        throw InputError(Problem{"--only",
                                 fmt::format("no case has '{}' in its id or title", only),
                                 "",
                                 "for example --only B1 or --only Buie"});
    }
    if (rows.empty()) {
        throw InputError(Problem{"--only",
                                 fmt::format("'{}' names cases of whole fields only", only),
                                 "these take long",
                                 "add --full"});
    }
    add_identities(identities, rows);
    return rows;
}

}  // namespace helioray::validation
