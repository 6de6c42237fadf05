// SPDX-License-Identifier: MIT
// Reads files, pipes and devices to their end.
#include "scenario/files/text_file.h"

#include "scenario/files/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

namespace helioray {

namespace {

thread_local std::function<bool()> shall_end_reading;

[[noreturn]] void refuse_text(const std::filesystem::path& file,
                              const std::string& what,
                              const std::string& why,
                              const std::string& advice) {
    throw InputError(Problem{file.string(), what, why, advice});
}

/// Reads a pipe or device, which may have no end or no writer.
std::string read_stream(int descriptor, const std::filesystem::path& file) {
    using Clock = std::chrono::steady_clock;
    // The aim points of 100 steps and 100,000 heliostats take 600 MB.
    constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    constexpr std::chrono::seconds kPatience{10};
    constexpr int kPollMilliseconds = 100;
    const auto start = Clock::now();
    bool has_writer = false;
    std::string text;
    std::array<char, 1 << 16> buffer;
    while (true) {
        pollfd events{descriptor, POLLIN, 0};
        const bool was_woken = ::poll(&events, 1, kPollMilliseconds) < 0;
        if (shall_end_reading ? shall_end_reading() : was_woken)
            refuse_text(file, "cannot be read", "it was interrupted", "");
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got < 0 && errno != EAGAIN)
            refuse_text(file, "cannot be read", std::strerror(errno), "name a file");
        has_writer = has_writer || got != 0 || (events.revents & POLLHUP) != 0;
        if (got > 0) {
            // Devices such as /dev/zero have no end.
            if (text.empty()) refuse_binary({buffer.data(), static_cast<std::size_t>(got)}, file);
            text.append(buffer.data(), static_cast<std::size_t>(got));
        }
        if (got == 0 && (has_writer || (events.revents & POLLIN) != 0)) return text;
        if (text.size() > kMostBytes)
            refuse_text(file, "gives more than 1 GiB of text", "it is no file", "name a file");
        if (!has_writer && Clock::now() - start > kPatience)
            refuse_text(file, "is a pipe into which nobody writes", "", "name a file");
    }
}

}  // namespace

StreamStop::StreamStop(std::function<bool()> shall_end)
    : before_(std::exchange(shall_end_reading, std::move(shall_end))) {}

StreamStop::~StreamStop() {
    shall_end_reading = std::move(before_);
}

void refuse_binary(const std::string& text, const std::string& name) {
    const size_t zero = text.find('\0');
    if (zero == std::string::npos) return;
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
        text.starts_with(std::string("\0\0\xFE\xFF", 4))) {
        return;
    }
    throw InputError(Problem{name,
                             "is not a text file",
                             fmt::format("byte {} is 0", zero + 1),
                             "name a text file in UTF-8"});
}

std::string read_text_file(const std::filesystem::path& file, const std::string& purpose) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        refuse_text(file, "is a folder", purpose, "name a file");
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        const bool exists = std::filesystem::exists(file, ignored);
        refuse_text(file,
                    exists ? "cannot be read" : "there is no such file",
                    purpose,
                    exists ? "check its permissions" : "check the path");
    }
    const std::unique_ptr<const int, void (*)(const int*)> closing(
        &descriptor, [](const int* open) { ::close(*open); });
    if (!std::filesystem::is_regular_file(file, ignored)) return read_stream(descriptor, file);
    std::string text;
    std::array<char, 1 << 16> buffer;
    while (true) {
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got < 0) refuse_text(file, "cannot be read", std::strerror(errno), "check the path");
        if (got == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace helioray
