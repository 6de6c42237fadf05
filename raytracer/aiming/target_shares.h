// SPDX-License-Identifier: MIT
// Which heliostat serves which of several targets, so that each gets its share of the power.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace helioray::aiming {

/// What heliostats bring to targets, each with everybody aimed at the same one.
struct PowerTable {
    size_t num_targets = 0;
    std::vector<double> watts;  ///< [heliostat, target]; 0: it is not sent there

    size_t num_heliostats() const { return watts.size() / num_targets; }
    double at(size_t heliostat, size_t target) const {
        return watts[heliostat * num_targets + target];
    }
};

/// A field divided among targets.
struct FieldDivision {
    /// Place of a heliostat that brings nothing to any target.
    static constexpr size_t kNowhere = std::numeric_limits<size_t>::max();
    std::vector<size_t> target_of;  ///< by heliostat, index of a target or kNowhere
    std::vector<double> watts;      ///< by target
    /// W: of no division does every target get its share of more. What targets have beyond their
    /// shares does not count.
    double bound = 0.0;
};

/// The power of which every target gets its share, W: the least of watts / shares.
double shared_power(std::span<const double> watts, std::span<const double> shares);

/// Divides the field for the most shared_power(); what one target can get no more of is divided
/// among the others in the same way. Every heliostat that brings anything serves a target. shares:
/// by target, above 0, with sum 1.
///
/// By linear programming duality there is a price m_t >= 0 for each target with which nearly all
/// heliostats serve the target of their largest m_t P_it; the prices minimise
///
///     sum over i of max over t of m_t P_it,   with   sum over t of s_t m_t = 1
///
/// which is the bound. Those that are tied are divided in turn, then single heliostats and pairs
/// (in small fields also more at once) are exchanged as long as that helps: shares are met to
/// within the power of one heliostat. Ties go to the lower index.
FieldDivision divide_field(const PowerTable& table, std::span<const double> shares);

}  // namespace helioray::aiming
