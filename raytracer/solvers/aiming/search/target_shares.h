// SPDX-License-Identifier: MIT
// Assigns heliostats to several targets so that each target receives its fraction of the power.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace helioray::aiming {

/// Power of each heliostat on each target, traced with all heliostats aimed at the same target.
struct PowerTable {
    size_t num_targets = 0;
    /// Power [heliostat, target], W; 0 if the heliostat is not sent to this target
    std::vector<double> watts;

    size_t num_heliostats() const { return watts.size() / num_targets; }
    double at(size_t heliostat, size_t target) const {
        return watts[heliostat * num_targets + target];
    }
};

/// Assignment of heliostats to targets.
struct FieldDivision {
    /// Marks a heliostat that brings no power to any target.
    static constexpr size_t kNowhere = std::numeric_limits<size_t>::max();
    std::vector<size_t> target_of;  ///< Index of the target, or kNowhere, by heliostat
    std::vector<double> watts;      ///< Power by target, W
    /// Upper bound on shared_power() over all assignments, W. Power that targets receive beyond
    /// their fractions does not count.
    double bound = 0.0;
};

/// Returns the largest total power of which every target receives at least its fraction, W: the
/// minimum of watts / shares.
double shared_power(std::span<const double> watts, std::span<const double> shares);

/// Assigns the heliostats so that shared_power() is largest. Power that one target cannot use any
/// more is divided among the others in the same way. Every heliostat that brings power to any
/// target serves one. shares: fraction by target, above 0, with sum 1.
///
/// By linear programming duality there is a price m_t >= 0 for each target such that nearly all
/// heliostats serve the target with their largest m_t P_it. The prices minimise
///
///     sum over i of max over t of m_t P_it,   with   sum over t of s_t m_t = 1
///
/// which is the bound. Heliostats with tied targets are assigned in turn. Then single heliostats
/// and pairs (in small fields also larger sets) are exchanged as long as this improves the result.
/// The fractions are met to within the power of one heliostat. Ties go to the lower index.
FieldDivision divide_field(const PowerTable& table, std::span<const double> shares);

}  // namespace helioray::aiming
