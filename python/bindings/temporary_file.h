// SPDX-License-Identifier: MIT
// A file that goes away with its scope.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace helioray::python {

/// The path of a file (.h5) that nobody else uses. It need not be made, and is removed in the end.
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
