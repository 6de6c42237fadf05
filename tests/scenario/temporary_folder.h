// SPDX-License-Identifier: MIT
// A folder for the files of one test case, removed at its end.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace helioray::test {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        static int counter = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("helioray_test_" + std::to_string(::getpid()) + "_" + std::to_string(counter++));
        std::filesystem::create_directories(path_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

}  // namespace helioray::test
