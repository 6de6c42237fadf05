// SPDX-License-Identifier: MIT
// Checks and normalises ISO 8601 times.
#pragma once

#include <cstdint>
#include <string>

namespace helioray {

/// A checked time, or why it is none.
struct IsoTime {
    std::string normalised;  ///< "YYYY-MM-DDTHH:MM:SS[.fraction]+HH:MM"; 'Z' becomes +00:00
    std::string error;       ///< empty when good, else a phrase such as "has no offset from UTC"
};

/// Accepts YYYY-MM-DD, 'T' or a blank, HH:MM[:SS[.fraction]], and 'Z', +HH:MM, +HHMM or +HH (or
/// minus). The date must exist.
IsoTime parse_iso_time(const std::string& text);

/// Milliseconds since 1970-01-01T00:00:00Z of a normalised time; further decimals are cut off.
std::int64_t milliseconds_of(const std::string& normalised);

/// The normalised time at an instant, with the offset from UTC of another normalised time.
std::string iso_time_at(std::int64_t milliseconds, const std::string& offset_of);

}  // namespace helioray
