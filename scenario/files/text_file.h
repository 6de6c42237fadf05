// SPDX-License-Identifier: MIT
// Whole files of text.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace helioray {

/// Throws InputError for files that are not text: bytes of 0 in anything but UTF-16 and UTF-32 with
/// a byte order mark.
void refuse_binary(const std::string& text, const std::string& name);

/// A whole text file. Throws InputError when there is none or it cannot be read, for a pipe without
/// a writer (after 10 s) and for what gives more than 256 MiB without being a file; `purpose` says
/// what it is for.
std::string read_text_file(const std::filesystem::path& file, const std::string& purpose);

/// While it lives, reading of pipes and devices on its thread asks ten times a second whether it
/// shall end, and then throws InputError. Without it any signal ends the reading.
class StreamStop {
  public:
    /// shall_end: asked on this thread.
    explicit StreamStop(std::function<bool()> shall_end);
    /// What was asked before is asked again.
    ~StreamStop();
    StreamStop(StreamStop&&) = delete;

  private:
    std::function<bool()> before_;
};

}  // namespace helioray
