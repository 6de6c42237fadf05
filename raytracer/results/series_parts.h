// SPDX-License-Identifier: MIT
// The folder in which the finished steps of a series wait for the others.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// Everything that determines the numbers of a series, as hashes and names.
struct SeriesIdentity {
    std::string configuration;  ///< without outputs, device and processes
    std::string scenario;       ///< of the file's bytes
    std::string positions;      ///< of the sun, with their irradiances
    std::string build;          ///< of the program: version and commit
    std::string device;         ///< "cpu" or "cuda"
    std::size_t num_steps = 0;  ///< how many parts make the series
};

/// `<output>.parts`: one file per finished step, and manifest.json with the identity of the series.
class SeriesParts {
  public:
    /// Changes nothing yet: check(), then open().
    SeriesParts(const std::filesystem::path& output, SeriesIdentity identity);
    SeriesParts(const SeriesParts&) = delete;
    SeriesParts& operator=(const SeriesParts&) = delete;
    /// Unlocks; parts stay.
    ~SeriesParts();

    /// Its path, whether it exists or not.
    const std::filesystem::path& folder() const { return folder_; }

    /// Throws InputError when the folder holds anything but parts, or, unless they are to be
    /// removed, parts of another series. Changes nothing.
    void check(bool to_be_removed) const;

    /// Makes folder and manifest where there are none, and locks them for this process. Throws
    /// InputError when another process works there.
    void open();

    /// Path of a step's file, whether it exists or not.
    std::filesystem::path part(std::size_t step) const;
    /// Path for the joined series while results are made from it.
    std::filesystem::path joined() const { return folder_ / "step_all.h5"; }
    /// Steps that are not finished, ascending.
    std::vector<std::size_t> missing() const;

    /// Removes manifest, parts and folder.
    void remove();

  private:
    std::filesystem::path manifest() const { return folder_ / "manifest.json"; }

    std::filesystem::path folder_;
    SeriesIdentity identity_;
    int lock_ = -1;
};

}  // namespace helioray
