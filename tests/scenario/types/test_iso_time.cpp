// SPDX-License-Identifier: MIT
// ISO 8601 times.
#include "scenario/types/utc_time.h"
#include "tests/support/catch2.h"

using namespace helioray;

TEST_CASE("good times are normalised") {
    const std::pair<const char*, const char*> cases[] = {
        {"2026-06-21T12:00:00+02:00", "2026-06-21T12:00:00+02:00"},
        {"2026-06-21 12:00:00-0930", "2026-06-21T12:00:00-09:30"},
        {"2024-02-29T23:59Z", "2024-02-29T23:59:00+00:00"},
        {"2026-06-21T12:00:00.250+01", "2026-06-21T12:00:00.250+01:00"},
    };
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK(parse_iso_time(text).error.empty());
        CHECK(parse_iso_time(text).normalised == expected);
    }
}

TEST_CASE("bad times say why") {
    const std::pair<const char*, const char*> cases[] = {
        {"", "not an ISO 8601"},
        {"21.06.2026 12:00", "not an ISO 8601"},
        {"2026-6-21T12:00Z", "not an ISO 8601"},
        {"2026-06-21", "no time of day"},
        {"2026-06-21T12", "not an ISO 8601"},
        {"2026-06-21T12:00:00", "no offset"},
        {"2026-06-21T12:00:00.Z", "not an ISO 8601"},
        {"2026-06-21T12:00:00+02:00x", "not an ISO 8601"},
        {"2026-06-21T12:00:00 CEST", "not an ISO 8601"},
        {"2026-02-29T12:00Z", "a day that does not exist"},
        {"2026-13-01T12:00Z", "a day that does not exist"},
        {"2026-06-21T24:00Z", "a time of day that does not exist"},
        {"2026-06-21T12:60Z", "a time of day that does not exist"},
        {"2026-06-21T12:00+15:00", "impossible offset"},
    };
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK_THAT(parse_iso_time(text).error, ContainsSubstring(expected));
        CHECK(parse_iso_time(text).normalised.empty());
    }
}
