// SPDX-License-Identifier: MIT
// Changes single objects of an HDF5 file in place, to damage or vary good files.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray::test {

/// How the numbers of a replaced dataset are stored.
enum class Stored { float64, float32, int64, int32, big_endian_float32 };

class FileEditor {
  public:
    explicit FileEditor(const std::filesystem::path& path);
    FileEditor(const FileEditor&) = delete;
    FileEditor& operator=(const FileEditor&) = delete;
    ~FileEditor();

    void remove(const std::string& path);
    void remove_attribute(const std::string& name);
    void add_group(const std::string& path);
    void move(const std::string& from, const std::string& to);
    /// Puts numbers or text in the place of whatever is there.
    void put(const std::string& path,
             const std::vector<double>& values,
             const hdf5::Shape& shape,
             Stored stored = Stored::float64);
    void put(const std::string& path, double value) { put(path, {value}, {}); }
    void put_text(const std::string& path, const std::string& text);

  private:
    hdf5::Id file_;
};

}  // namespace helioray::test
