// SPDX-License-Identifier: MIT
// Catch2 2.x or 3.x, whichever the distribution has, under one include.
#pragma once

// LibTorch's logging defines a CHECK that aborts. It comes first, so that tests get Catch2's
// whatever they include.
#if __has_include(<c10/util/Logging.h>)
#include <c10/util/Logging.h>
#undef CHECK
#endif

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) {
    return Catch::Matchers::Contains(text);
}
#endif

#include "tests/support/skip.h"

#include <cstdlib>
#include <string>

namespace helioray::test {

/// Root of the source tree, for data files of the tests.
inline std::string source_dir() {
    const char* dir = std::getenv("HELIORAY_SOURCE_DIR");
    return dir ? dir : ".";
}

/// Folder with ARTIST's sample scenarios (HELIORAY_TEST_DATA); empty where there is none, then
/// tests skip.
inline std::string artist_data_dir() {
    const char* dir = std::getenv("HELIORAY_TEST_DATA");
    return dir ? dir : "";
}

}  // namespace helioray::test
