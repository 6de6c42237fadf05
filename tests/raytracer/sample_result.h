// SPDX-License-Identifier: MIT
// A small result with every field set, and a folder that cleans up after itself.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray::test {

/// Two targets (cylinder, plane; 5 x 4 pixels), three heliostats, no two numbers alike.
RunResult sample_result();

/// Returns sample_result() with other targets.
RunResult result_with(std::vector<TargetResult> targets);

/// A plane with a Gaussian spot; width and height in metres, peak in W/m2.
TargetResult spot(const std::string& name,
                  double width,
                  double height,
                  int64_t columns,
                  int64_t rows,
                  double peak);

/// New empty folder below the system's temporary one; removed with the object.
class ScratchFolder {
  public:
    ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// Number of entries, hidden ones included.
    size_t num_entries() const;

  private:
    std::filesystem::path path_;
};

/// All bytes of a file.
std::string read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

/// While it lives no file of this process grows beyond `bytes`: like a disk that is full.
class FullDisk {
  public:
    explicit FullDisk(size_t bytes);
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk();

  private:
    unsigned long limit_before_;
    void (*handler_before_)(int);
};

}  // namespace helioray::test
