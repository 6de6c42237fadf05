// SPDX-License-Identifier: MIT
// Reads whole text files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace helioray {

/// Throws InputError for files that are not text, which means files with zero bytes that are not
/// UTF-16 or UTF-32 with a byte order mark.
void refuse_binary(const std::string& text, const std::string& name);

/// Returns the text of a whole file. Throws InputError if it does not exist or cannot be read, for
/// a pipe without a writer (after 10 s), and for a pipe or device that gives more than 1 GiB.
/// `purpose` describes the use of the file for messages.
std::string read_text_file(const std::filesystem::path& file, const std::string& purpose);

/// While it lives, reading of pipes and devices on its thread calls `shall_end` ten times a second,
/// and throws InputError when it returns true. Without it any signal ends the reading.
class StreamStop {
  public:
    /// Installs `shall_end`, which is called on this thread.
    explicit StreamStop(std::function<bool()> shall_end);
    /// Restores the previous function.
    ~StreamStop();
    StreamStop(StreamStop&&) = delete;

  private:
    std::function<bool()> before_;
};

}  // namespace helioray
