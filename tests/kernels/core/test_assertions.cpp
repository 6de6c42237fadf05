// SPDX-License-Identifier: MIT
// Assertions of the kernels: what they say and when; in other builds that they are not there.
#include "kernels/core/assert.h"
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

using namespace helioray::kernels;
using helioray::test::Scene;

namespace {

/// How a process ended and what it wrote to stderr.
struct Ending {
    int signal = 0;
    std::string text;
};

/// Runs `work` in a process of its own.
Ending run_apart(const std::function<void()>& work) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        work();
        _exit(0);
    }
    close(ends[1]);
    Ending ending;
    char buffer[256];
    for (ssize_t n = read(ends[0], buffer, sizeof(buffer)); n > 0;
         n = read(ends[0], buffer, sizeof(buffer)))
        ending.text.append(buffer, static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
    return ending;
}

Scene small_scene() {
    Scene scene = helioray::test::paraboloid_scene();
    helioray::test::use_flat_bspline(scene, 7);
    scene.plan(1, 64);
    return scene;
}

/// One wrong index, and words of the assertion that finds it.
struct WrongIndex {
    const char* expected;
    void (*change)(Scene&);
};

const WrongIndex kWrongIndices[] = {
    {"a unit's heliostats are part", [](Scene& s) { s.units[0].first_heliostat = 1; }},
    {"a unit's heliostats are part", [](Scene& s) { s.units[0].first_heliostat = -1; }},
    {"a unit's target is", [](Scene& s) { s.units[0].target = 1; }},
    {"heliostat's facets are part", [](Scene& s) { s.heliostats[0].num_facets = 2; }},
    {"control points are part", [](Scene& s) { s.facets[0].control_points += 1 << 20; }},
    {"control points are part", [](Scene& s) { s.facets[0].num_control_points[0] = 1 << 15; }},
    {"sampling tables are part", [](Scene& s) { s.facets[0].sampling_tables = -1; }},
    {"candidate is one of", [](Scene& s) { s.shade_by({}, {}), s.candidates[0] = 1; }},
    {"candidates are part", [](Scene& s) { s.shade_by({}, {}), s.heliostats[0].first_shader = 1; }},
    {"occluder's facets are part",
     [](Scene& s) {
         s.shade_by({{}, 1.0f, 5, 1}, {});
     }},
};

}  // namespace

TEST_CASE("a failed assertion says where it stands and what must hold, and aborts") {
    const Ending ending = run_apart([] { assertion_failed("kernels/some.h", 7, "all is well"); });
    CHECK(ending.signal == SIGABRT);
    CHECK(ending.text == "kernels/some.h:7: assertion failed: all is well\n");
}

TEST_CASE("conditions are evaluated where assertions are on, and only there") {
    int evaluated = 0;
    HELIORAY_ASSERT(++evaluated > 0, "it was evaluated");
    CHECK(evaluated == (kAssertions ? 1 : 0));
}

TEST_CASE("wrong indices are found before they corrupt memory") {
    if (!kAssertions) HELIORAY_SKIP("this build has no assertions");
    small_scene().trace();
    for (const WrongIndex& wrong : kWrongIndices) {
        Scene scene = small_scene();
        wrong.change(scene);
        const Ending ending = run_apart([&] { scene.trace(); });
        CAPTURE(wrong.expected);
        CHECK(ending.signal == SIGABRT);
        CHECK_THAT(ending.text, ContainsSubstring("unit_assertions.h:"));
        CHECK_THAT(ending.text, ContainsSubstring(wrong.expected));
    }
}
