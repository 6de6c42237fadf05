// SPDX-License-Identifier: MIT
// A sun whose radiance is a sum of Gaussians about its centre.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace helioray {

class RadialProfile;

/// Radiance as a sum of Gaussians, the way HELIOS describes measured suns (C. N. Vittitoe and F.
/// Biggs, Six-Gaussian representation of the angular-brightness distribution for solar radiation,
/// Solar Energy 27 (1981) 469-490). Term i holds share[i] of the power and is a normal distribution
/// of standard deviation sigma[i] about each axis.
struct GaussSumShape {
    std::vector<double> sigma;  ///< radians, above 0
    std::vector<double> share;  ///< of the power, above 0; same length; in all 1, or scaled to it
    bool operator==(const GaussSumShape&) const = default;

    static constexpr const char* kName = "gauss_sum";  ///< in scenario files

    /// Calls visit(name of the dataset in scenario files, member) for each member.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        visit("sigma", shape.sigma);
        visit("share", shape.share);
    }
};

/// What is wrong with the numbers of a shape; empty: nothing.
std::string problem_of(const GaussSumShape& shape);

/// The shape in words.
std::string words_of(const GaussSumShape& shape);

/// Its radial profile. Throws InputError where problem_of() has something to say.
std::unique_ptr<const RadialProfile> profile_of(const GaussSumShape& shape);

}  // namespace helioray
