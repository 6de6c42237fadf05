// SPDX-License-Identifier: MIT
// Opens, prints to and flushes the standard streams.
#include "app/program/common/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <initializer_list>

namespace helioray::app {

void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
        // open() returns the lowest free number, which is this one, because those below are open.
        if (::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY) < 0) return;
    }
}

namespace {

template <typename Json>
void print(const Json& object, JsonLayout layout) {
    const int indent = layout == JsonLayout::indented ? 2 : -1;
    fmt::print("{}\n", object.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void print_json(const nlohmann::json& object, JsonLayout layout) {
    print(object, layout);
}

void print_json(const nlohmann::ordered_json& object, JsonLayout layout) {
    print(object, layout);
}

bool flush_stdout() {
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

void print_failure(const std::string& message) noexcept {
    // fmt::print would throw if stderr cannot be written.
    std::fprintf(stderr, "helioray: %s\n", message.c_str());
}

}  // namespace helioray::app
