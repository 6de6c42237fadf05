// SPDX-License-Identifier: MIT
// Outputs against the disk, each other and the inputs.
#include "raytracer/output/output_files.h"

#include "raytracer/output/atomic_file.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <system_error>

namespace helioray {

namespace fs = std::filesystem;

namespace {

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    // Where one does not exist yet, the names decide.
    const fs::path one = fs::weakly_canonical(fs::absolute(a, error), error);
    if (error) return false;
    const fs::path other = fs::weakly_canonical(fs::absolute(b, error), error);
    return !error && one == other;
}

}  // namespace

void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& inputs) {
    std::vector<Problem> problems;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const fs::path& path = outputs[i].path;
        try {
            check_writable(path, outputs[i].expected_bytes);
        } catch (const InputError& error) {
            problems.insert(problems.end(), error.problems().begin(), error.problems().end());
            continue;
        }
        for (const fs::path& input : inputs) {
            if (!same_file(path, input)) continue;
            problems.push_back({path.string(),
                                input == path ? "is read by this command as well"
                                              : fmt::format("is the input '{}'", input.string()),
                                "what is written would replace it",
                                "choose another name"});
            break;
        }
        for (size_t other = 0; other < i; ++other) {
            if (!same_file(path, outputs[other].path)) continue;
            problems.push_back({path.string(),
                                "two outputs have this name",
                                "one would replace the other",
                                "choose another name"});
            break;
        }
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace helioray
