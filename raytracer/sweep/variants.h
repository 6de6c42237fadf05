// SPDX-License-Identifier: MIT
// Which variants of a configuration a sweep has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray::sweep {

/// A key of the configuration with the values that it takes.
struct Variation {
    std::string key;                  ///< "optics.slope_error_mrad"
    std::vector<std::string> values;  ///< in YAML, as on the command line; at least one
};

/// Reads "key=a,b,c" or "key=from:to:n": n numbers from the first to the last in equal steps, both
/// included. Commas inside of brackets, braces and quotes belong to a value. Throws InputError
/// (place `--vary`) for a text without key or values, an empty value, a value that comes twice
/// (also as 1 and 1.0), and a range of fewer than two numbers.
Variation parse_variation(const std::string& text);

/// The number that a value is, unless it is something else.
std::optional<double> number_of(const std::string& value);

/// Every combination of the values of several keys.
class Variants {
  public:
    /// At least one variation. Throws InputError for a key that is named twice, and for more than
    /// kMostVariants.
    explicit Variants(std::vector<Variation> variations);

    /// The keys with their values, as given.
    const std::vector<Variation>& variations() const { return variations_; }
    /// How many combinations there are.
    std::size_t size() const { return size_; }
    /// The values of a combination in the order of the keys; the last key varies fastest.
    std::vector<std::string> values(std::size_t variant) const;
    /// "key=value" of each key.
    std::vector<std::string> settings(std::size_t variant) const;
    /// The settings in one line, for messages: "sun.azimuth_deg=120, sun.elevation_deg=30".
    std::string text(std::size_t variant) const;

    /// More have no room in one table that people read.
    static constexpr std::size_t kMostVariants = 1'000'000;

  private:
    std::vector<Variation> variations_;
    std::size_t size_ = 1;
};

}  // namespace helioray::sweep
