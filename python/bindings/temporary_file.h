// SPDX-License-Identifier: MIT
// A file that is removed at the end of its scope.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace helioray::python {

/// The path of a file (.h5) with a unique name. The file need not be created; the destructor
/// removes it.
class TemporaryFile {
  public:
    TemporaryFile() : path_(std::filesystem::temp_directory_path() / unused_name()) {}
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    static std::string unused_name() {
        static std::atomic<int> number{0};
        return "helioray_" + std::to_string(getpid()) + "_" + std::to_string(number++) + ".h5";
    }

    std::filesystem::path path_;
};

}  // namespace helioray::python
