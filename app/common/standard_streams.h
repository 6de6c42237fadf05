// SPDX-License-Identifier: MIT
// Standard input, output and error: JSON for programs, messages about failures.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <string>

namespace helioray::app {

/// Opens /dev/null where a standard stream is closed. Otherwise the next file that is opened would
/// take its place, and messages would end up in it.
void open_standard_streams();

/// How a JSON object is laid out.
enum class JsonLayout { indented, one_line };

/// Prints a JSON object and a line end to stdout. Names come from files, so bytes that are not
/// UTF-8 are printed as U+FFFD instead of being an error.
void print_json(const nlohmann::json& object, JsonLayout layout = JsonLayout::indented);
void print_json(const nlohmann::ordered_json& object, JsonLayout layout = JsonLayout::indented);

/// Sends to stdout what still waits. False when something printed there was lost (disk full);
/// errno holds the reason.
bool flush_stdout();

/// Prints "helioray: message" to stderr; a closed or full stderr is not a further failure.
void print_failure(const std::string& message) noexcept;

/// Thrown after a failure whose message has been printed already, on another rank for example.
class AlreadyReported : public std::exception {
  public:
    explicit AlreadyReported(int exit_code) : exit_code_(exit_code) {}
    int exit_code() const noexcept { return exit_code_; }

  private:
    int exit_code_;
};

}  // namespace helioray::app
