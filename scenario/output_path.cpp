// SPDX-License-Identifier: MIT
#include "scenario/output_path.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <system_error>

namespace helioray {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path followed(const fs::path& path) {
    constexpr int kMostLinks = 40;  // as many as Linux follows
    fs::path end = path;
    std::error_code error;
    for (int link = 0; link < kMostLinks && fs::is_symlink(end, error); ++link) {
        const fs::path next = fs::read_symlink(end, error);
        if (error) return path;
        // An absolute link replaces the folder.
        end = end.parent_path() / next;
    }
    return end;
}

fs::path temporary_beside(const fs::path& target) {
    static std::atomic<int> counter{0};
    return folder_of(target) / fmt::format(".helioray-{}-{}.part", ::getpid(), counter++);
}

}  // namespace helioray
