// SPDX-License-Identifier: MIT
// Checks and normalises ISO 8601 times.
#pragma once

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

}  // namespace helioray
