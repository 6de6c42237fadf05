// SPDX-License-Identifier: MIT
// Variants of a configuration in a sweep.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray::sweep {

/// A key of the configuration with its values.
struct Variation {
    std::string key;                  ///< key, "optics.slope_error_mrad"
    std::vector<std::string> values;  ///< values in YAML, as on the command line; at least one
};

/// Reads "key=a,b,c" or "key=from:to:n": n numbers from the first to the last in equal steps, both
/// included. Commas inside brackets, braces and quotes belong to a value. Throws InputError (place
/// `--vary`) for a text without key or values, an empty value, a repeated value (also as 1 and
/// 1.0), and a range of fewer than two numbers.
Variation parse_variation(const std::string& text);

/// Returns the number in a text, or no value if the text is not a number.
std::optional<double> number_of(const std::string& value);

/// All combinations of the values of several keys.
class Variants {
  public:
    /// Creates the combinations of at least one variation. Throws InputError for a key that is
    /// named twice, and for more than kMostVariants.
    explicit Variants(std::vector<Variation> variations);

    /// Returns the keys with their values, as given.
    const std::vector<Variation>& variations() const { return variations_; }
    /// Returns the number of combinations.
    std::size_t size() const { return size_; }
    /// Returns the values of a combination in the order of the keys; the last key varies fastest.
    std::vector<std::string> values(std::size_t variant) const;
    /// Returns "key=value" for each key.
    std::vector<std::string> settings(std::size_t variant) const;
    /// Returns the settings in one line for messages: "sun.azimuth_deg=120, sun.elevation_deg=30".
    std::string text(std::size_t variant) const;

    /// Largest number of variants that a readable table can hold.
    static constexpr std::size_t kMostVariants = 1'000'000;

  private:
    std::vector<Variation> variations_;
    std::size_t size_ = 1;
};

}  // namespace helioray::sweep
