#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every type, function, datum and enumerator of the public headers says what it is, in a `///` comment.

Usage: test_public_docs.py SOURCE_DIR
"""
import pathlib
import sys

# Far fewer than there are: finding little must not pass for finding nothing wrong.
LEAST_ENTITIES = 1500

# Names that begin with bad_ lack their comment, all others are in order or not looked for.
SAMPLE = """\
// Of the file, not of what follows.
#pragma once
#define HIDDEN(x) \\
    struct x {};
namespace sample {

struct Forward;

/// A type.
struct Type {
    // Nothing for readers of the documentation.
    int bad_data = 0;  // also nothing
    int behind{1};     ///< here
    int bad_one = 0, last = 0;  ///< of the last one only
    /// Above a block, which
    /// holds: a;
    std::map<std::string, std::array<int, 2>> first;
    double second() const { return "};"[0] + '}'; }
    template <typename T>
    T third(std::function<void(int)> call = {}, int n = size(1, 2));

    void bad_function(int value = 1'000);
    bool operator==(const Type&) const = default;
    friend class Forward;
    enum class BadKind { one_line };
    /// The values: one, two.
    enum class Kind : int { one, two };
    using BadAlias = int;
};

/// Another one.
class Class final : public Type {
    int hidden;

  public:
    Class() = default;
    Class(const Class& other);
    Class& operator=(Class other) noexcept;
    virtual ~Class();
    explicit Class(int bad_constructor);
    void known() override;
    [[noreturn]] static void bad_static() noexcept {
        if (true) {
        }
    }

    /// With a body of several lines,
    int with_body() {
        return 1;
    }
    int bad_after_body() const;

  protected:
    int bad_protected[3];

  private:
    struct Hidden {
        int hidden;
    };
};

/// One value to the line.
enum class Values {
    a,  ///< first
    bad_b,
    /// third
    c = 3  ///< last
};

inline constexpr int bad_constant = 1;
int bad_free(const char* text = "(");
/// A function; the next one is of its block.
template <>
int free_function<int>(int);
bool operator<(const Type&, const Type&);
struct BadType {};

namespace {
int hidden;
}
}  // namespace sample
"""
SAMPLE_BAD = ["bad_data", "bad_one", "bad_function", "BadKind", "BadAlias", "Class", "bad_static", "bad_after_body",
              "bad_protected", "bad_b", "bad_constant", "bad_free", "BadType"]
# The values of an enumeration on one line need no words of their own.
SAMPLE_GOOD = {"Type", "behind", "last", "first", "second", "third", "one_line", "Kind", "one", "two", "Class", "with_body", "Values",
               "a", "c", "free_function", "operator<"}


def check_the_check(entities):
    """The sample's gaps are found, and nothing else in it."""
    found = entities(SAMPLE)
    bad = [entity.name for entity in found if not entity.is_documented]
    assert bad == SAMPLE_BAD, f"of the sample, not {SAMPLE_BAD} but {bad}"
    good = {entity.name for entity in found if entity.is_documented}
    assert good == SAMPLE_GOOD, f"of the sample, not {sorted(SAMPLE_GOOD)} but {sorted(good)}"
    lines = SAMPLE.splitlines()
    assert all(entity.name in lines[entity.line - 1] or entity.name in lines[entity.line] for entity in found), "wrong lines"
    third = next(entity for entity in found if entity.name == "third")
    assert lines[third.block[0] - 1:third.block[1]] == ["    /// Above a block, which", "    /// holds: a;"], third


def main(root):
    sys.path.insert(0, str(root / "scripts"))
    from public_entities import entities

    check_the_check(entities)
    problems, total = [], 0
    listed = [line for line in (root / "cmake/public_headers.txt").read_text().splitlines() if line and not line.startswith("#")]
    for header in listed:
        found = entities((root / header).read_text())
        total += len(found)
        if not found:
            problems.append(f"{header}:1: declares nothing that this test could find")
        problems += [f"{header}:{entity.line}: {entity.kind} '{entity.name}' has no /// comment"
                     for entity in found if not entity.is_documented]
    if total < LEAST_ENTITIES:
        problems.append(f"only {total} declarations were found: the parser no longer fits the headers")
    print("\n".join(problems) or f"{total} declarations in {len(listed)} headers say what they are")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
