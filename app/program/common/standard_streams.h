// SPDX-License-Identifier: MIT
// Standard input, output and error: prints JSON for programs and messages about failures.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <string>

namespace helioray::app {

/// Opens /dev/null for standard streams that are closed. Otherwise the next opened file would get
/// the number of the stream, and messages would end up in it.
void open_standard_streams();

/// Layout of a printed JSON object.
enum class JsonLayout { indented, one_line };

/// Prints a JSON object and a line end to stdout. Names may contain bytes that are not UTF-8,
/// because they come from files; these are printed as U+FFFD.
void print_json(const nlohmann::json& object, JsonLayout layout = JsonLayout::indented);
void print_json(const nlohmann::ordered_json& object, JsonLayout layout = JsonLayout::indented);

/// Flushes stdout. Returns false if printed text was lost (disk full); errno contains the reason.
bool flush_stdout();

/// Prints "helioray: message" to stderr; ignores a closed or full stderr.
void print_failure(const std::string& message) noexcept;

/// Thrown after a failure whose message has already been printed, for example on another rank.
class AlreadyReported : public std::exception {
  public:
    explicit AlreadyReported(int exit_code) : exit_code_(exit_code) {}
    int exit_code() const noexcept { return exit_code_; }

  private:
    int exit_code_;
};

}  // namespace helioray::app
