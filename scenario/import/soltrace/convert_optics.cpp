// SPDX-License-Identifier: MIT
// Converts the optics of mirrors.
#include "scenario/import/soltrace/conversion.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::soltrace {

namespace {

struct SideCount {
    const OpticPair* pair = nullptr;
    size_t mirrors = 0;
};

ErrorShape error_shape(const OpticSide& side, double width_mrad) {
    if (width_mrad == 0.0) return NoError{};
    if (side.distribution == 'p') return PillboxShape{width_mrad * 1e-3};
    return GaussianShape{width_mrad * 1e-3};
}

std::string describe(const OpticPair& pair) {
    const OpticSide& side = pair.front;
    return fmt::format("'{}': reflectivity {}, slope error {} mrad, specularity error {} mrad, {}",
                       pair.name,
                       side.reflectivity,
                       side.slope_error,
                       side.specularity_error,
                       side.distribution == 'p' ? "pillbox" : "Gaussian");
}

bool same_side(const OpticSide& a, const OpticSide& b) {
    return a.distribution == b.distribution && a.reflectivity == b.reflectivity &&
           a.slope_error == b.slope_error && a.specularity_error == b.specularity_error &&
           a.table == b.table;
}

/// Sets the reflectivity to the largest of a table by angle, and its factors by angle.
void set_table(const OpticSide& side, const Findings& findings, OpticsConfig& optics) {
    double largest = 0.0;
    double before = -1.0;
    for (const auto& [angle, reflectivity] : side.table) {
        constexpr double kRightAngle = 500.0 * std::numbers::pi;  // mrad
        const bool is_angle = angle >= 0.0 && angle <= kRightAngle * (1.0 + 1e-6);
        if (!is_angle || !(angle > before) || !(reflectivity >= 0.0 && reflectivity <= 1.0)) {
            findings.problem(side.line,
                             fmt::format("a reflectivity of {} at {} mrad", reflectivity, angle),
                             "rows hold ascending angles of incidence and shares of the light",
                             "give angles from 0 to 1570.8 mrad and reflectivities from 0 to 1");
            return;
        }
        before = angle;
        largest = std::max(largest, reflectivity);
    }
    if (!(largest > 0.0)) {
        findings.problem(
            side.line, "all reflectivities by angle are 0", "mirrors reflect light", "");
        return;
    }
    optics.reflectivity = largest;
    for (const auto& [angle, reflectivity] : side.table)
        optics.reflectivity_by_angle.push_back(
            {std::min(1e-3 * angle, 0.5 * std::numbers::pi), reflectivity / largest});
    findings.remark(side.line,
                    fmt::format("reflectivity by angle of incidence in {} rows, linear between "
                                "them; SolTrace takes the mean of the rows on both sides",
                                side.table.size()));
}

}  // namespace

void convert_optics(const Project& project,
                    const std::vector<const Element*>& mirrors,
                    const Findings& findings,
                    OpticsConfig& optics) {
    std::vector<SideCount> counts;
    for (const Element* mirror : mirrors) {
        const OpticPair* pair = find_optic(project, *mirror);
        if (!pair) {
            findings.problem(mirror->line,
                             fmt::format("element {}: there are no optical properties '{}'",
                                         mirror->number,
                                         mirror->optic),
                             "its reflectivity is unknown",
                             "name a pair of the optics list");
            continue;
        }
        const auto it = std::find_if(counts.begin(), counts.end(), [&](const SideCount& count) {
            return same_side(count.pair->front, pair->front);
        });
        if (it == counts.end()) {
            counts.push_back({pair, 1});
        } else {
            ++it->mirrors;
        }
    }
    if (counts.empty()) return;
    const SideCount& most =
        *std::max_element(counts.begin(), counts.end(), [](const SideCount& a, const SideCount& b) {
            return a.mirrors < b.mirrors;
        });
    const OpticSide& side = most.pair->front;
    if (side.distribution != 'g' && side.distribution != 'p') {
        findings.problem(side.line,
                         fmt::format("optical errors of distribution '{}'", side.distribution),
                         "errors are Gaussian or a pillbox",
                         "change it in the project");
    }
    if (side.reflectivity < 0.0 || side.reflectivity > 1.0) {
        findings.problem(side.line,
                         fmt::format("reflectivity {}", side.reflectivity),
                         "it is a share of the light",
                         "give 0 to 1");
    }
    if (side.slope_error < 0.0 || side.specularity_error < 0.0) {
        findings.problem(
            side.line, "an optical error is negative", "it is a width", "give 0 or more");
    }
    findings.remark(side.line,
                    fmt::format("optics of all mirrors: front of {}", describe(*most.pair)));
    for (const SideCount& count : counts) {
        if (count.pair == most.pair) continue;
        findings.remark(count.pair->front.line,
                        fmt::format("{} mirrors have other optics, which one run cannot keep "
                                    "apart; not represented: {}",
                                    count.mirrors,
                                    describe(*count.pair)));
    }
    optics.reflectivity = side.reflectivity;
    if (!side.table.empty()) set_table(side, findings, optics);
    const bool has_errors = !project.trace || project.trace->has_errors;
    if (!has_errors)
        findings.remark(project.trace->line,
                        "ERRORS 0: mirrors have no slope and specularity errors");
    optics.slope_error = error_shape(side, has_errors ? side.slope_error : 0.0);
    optics.specularity_error = error_shape(side, has_errors ? side.specularity_error : 0.0);
}

}  // namespace helioray::soltrace
