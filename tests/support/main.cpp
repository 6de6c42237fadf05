// SPDX-License-Identifier: MIT
// Entry point of every test program: runs its cases and says which of them were skipped.
//
// Exit codes: 0 all passed, 1 any failed, 77 every case was skipped (CTest shows the entry as
// skipped), 3 no case ran at all.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#endif

#include "tests/support/skip.h"

#include <cstdio>
#include <iostream>

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitSkipped = 77;
constexpr int kExitNothingRan = 3;

/// What the cases of this program came to.
struct Count {
    int cases = 0;    ///< that began
    int skipped = 0;  ///< that skipped and checked nothing
};

Count count;
std::string running_case;
bool case_has_skip = false;

class SkipCounter : public Listener {
  public:
    using Listener::Listener;

    void testCaseStarting(const Catch::TestCaseInfo& info) override {
        running_case = info.name;
        case_has_skip = false;
    }

    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        ++count.cases;
        if (case_has_skip && stats.totals.assertions.total() == 0) ++count.skipped;
    }
};

CATCH_REGISTER_LISTENER(SkipCounter)

bool only_lists(const Catch::ConfigData& options) {
#if __has_include(<catch2/catch_session.hpp>)
    return options.showHelp || options.listTests || options.listTags || options.listReporters ||
           options.listListeners;
#else
    return options.showHelp || options.listTests || options.listTags || options.listReporters ||
           options.listTestNamesOnly || options.libIdentify;
#endif
}

}  // namespace

void helioray::test::report_skip(const std::string& reason) {
    case_has_skip = true;
    // One line, which scripts/test finds in the output.
    std::string line = "SKIP: " + running_case + ": " + reason;
    for (char& c : line)
        if (c == '\n') c = ' ';
    std::cout << line << std::endl;
}

int main(int argc, char** argv) {
    Catch::Session session;
    if (const int failed = session.applyCommandLine(argc, argv)) return failed;
    const int failures = session.run();
    // A listing's result is not a number of failures.
    if (only_lists(session.configData())) return 0;
    // Catch2 gives the number of failures, which may be that of a skip.
    if (failures != 0) return kExitFailed;
    if (count.cases == 0) {
        std::fprintf(stderr, "no test case has the wanted name or tag\n");
        return kExitNothingRan;
    }
    return count.skipped == count.cases ? kExitSkipped : 0;
}
