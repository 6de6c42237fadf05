// SPDX-License-Identifier: MIT
// Which instruction set a trace uses: the best one, one that is asked for, or what the environment
// leaves.
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <cstdlib>
#include <optional>
#include <stdexcept>

using namespace helioray::kernels;

namespace {

/// Sets the variable, or unsets it, until the end of its scope.
class Variable {
  public:
    explicit Variable(const char* value) {
        if (const char* before = std::getenv(kInstructionSetVariable)) before_ = before;
        set(value);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }

  private:
    static void set(const char* value) {
        if (value == nullptr) {
            unsetenv(kInstructionSetVariable);
        } else {
            setenv(kInstructionSetVariable, value, 1);
        }
    }
    std::optional<std::string> before_;
};

std::string message_of(InstructionSet wanted = InstructionSet::automatic) {
    try {
        resolve_instruction_set(wanted);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("without the variable, or with an empty one, the processor's best set is used") {
    const std::vector<InstructionSet> sets = processor_instruction_sets();
    REQUIRE(sets.front() == InstructionSet::portable);
    for (const char* value : {static_cast<const char*>(nullptr), ""}) {
        const Variable variable(value);
        CHECK(usable_instruction_sets() == sets);
        CHECK(resolve_instruction_set() == sets.back());
        for (const InstructionSet set : sets) CHECK(resolve_instruction_set(set) == set);
    }
}

TEST_CASE("the variable leaves the sets up to the one it names") {
    const std::vector<InstructionSet> sets = processor_instruction_sets();
    for (size_t i = 0; i < sets.size(); ++i) {
        const Variable variable(to_string(sets[i]));
        CHECK(resolve_instruction_set() == sets[i]);
        for (size_t k = 0; k < sets.size(); ++k) {
            if (k <= i) {
                CHECK(resolve_instruction_set(sets[k]) == sets[k]);
                continue;
            }
            // As on a processor without it, a better set is refused even where it is asked for.
            CHECK_THAT(message_of(sets[k]), ContainsSubstring(kInstructionSetVariable));
            CHECK_THAT(message_of(sets[k]), ContainsSubstring(to_string(sets[k])));
            CHECK_THROWS_AS(helioray::test::paraboloid_scene().trace(1, sets[k]),
                            std::invalid_argument);
        }
    }
}

TEST_CASE("an unknown name is refused with the variable, its value and what there is") {
    for (const char* value : {"avx1024", "AVX2", "automatic", " "}) {
        const Variable variable(value);
        const std::string message = message_of();
        CHECK_THAT(message,
                   ContainsSubstring(std::string(kInstructionSetVariable) + "=" + value + ": no"));
        for (const InstructionSet set : processor_instruction_sets())
            CHECK_THAT(message, ContainsSubstring(to_string(set)));
        CHECK_THAT(message, ContainsSubstring("unset"));
        CHECK_THROWS_AS(helioray::test::paraboloid_scene().trace(), std::invalid_argument);
    }
}

TEST_CASE("a set that this processor lacks is refused") {
    const std::vector<InstructionSet> sets = processor_instruction_sets();
    bool all = true;
    for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
        if (set <= sets.back()) continue;
        all = false;
        {
            const Variable variable(to_string(set));
            CHECK_THAT(message_of(), ContainsSubstring("lacks"));
        }
        const Variable variable(nullptr);
        CHECK_THAT(message_of(set), ContainsSubstring("this processor has no"));
    }
    if (all) HELIORAY_SKIP("this processor has every instruction set");
}
