// SPDX-License-Identifier: MIT
// A sun whose radiance is a sum of Gaussians about its centre.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace helioray {

class RadialProfile;

/// Radiance as a sum of Gaussians, the description of measured suns in HELIOS (C. N. Vittitoe and
/// F. Biggs, Six-Gaussian representation of the angular-brightness distribution for solar
/// radiation, Solar Energy 27 (1981) 469-490). Term i has the fraction share[i] of the power and is
/// a normal distribution with standard deviation sigma[i] about each axis.
struct GaussSumShape {
    std::vector<double> sigma;  ///< standard deviations, radians, above 0
    /// Fractions of the power, above 0, one per sigma; scaled to a sum of 1.
    std::vector<double> share;
    bool operator==(const GaussSumShape&) const = default;

    static constexpr const char* kName = "gauss_sum";  ///< name in scenario files

    /// Calls visit(name of the dataset in scenario files, member) for each member.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        visit("sigma", shape.sigma);
        visit("share", shape.share);
    }
};

/// Returns the problem of the numbers of a shape; empty if there is none.
std::string problem_of(const GaussSumShape& shape);

/// Describes the shape for users.
std::string describe_shape(const GaussSumShape& shape);

/// Returns the radial profile of a shape. Throws InputError if the shape has a problem.
std::unique_ptr<const RadialProfile> make_profile(const GaussSumShape& shape);

}  // namespace helioray
