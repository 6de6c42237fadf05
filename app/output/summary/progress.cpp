// SPDX-License-Identifier: MIT
// The thread of the progress bar and its line.
#include "app/output/summary/progress.h"

#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

namespace helioray {

namespace {

constexpr std::size_t kLongestBar = 40;
constexpr std::size_t kShortestBar = 6;

std::size_t terminal_width(int descriptor) {
    winsize size{};
    const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

std::string bar(double share, std::size_t length) {
    const auto full = static_cast<std::size_t>(share * static_cast<double>(length));
    return fmt::format("[{}{}]", std::string(full, '#'), std::string(length - full, '.'));
}

// Writes text and ignores errors: a bar that cannot be drawn must not stop the run.
void write_text(int descriptor, const std::string& text) {
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
        if (count <= 0) return;
        written += static_cast<std::size_t>(count);
    }
}

}  // namespace

std::string progress_line(std::int64_t done,
                          std::int64_t total,
                          double elapsed_seconds,
                          std::size_t width) {
    const double rate = elapsed_seconds > 0.0 ? static_cast<double>(done) / elapsed_seconds : 0.0;
    const std::string speed = significant(rate / 1e6, 3) + " Mrays/s";
    if (total <= 0) {
        return shortened(
            fmt::format("{} rays  {}  {}", count_text(done), speed, duration_text(elapsed_seconds)),
            width);
    }
    const double share =
        std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
    std::string time = duration_text(elapsed_seconds);
    if (done < total) {
        const double left = static_cast<double>(total - done);
        // Print whole seconds, since decimals would only flicker.
        time = rate > 0.0 ? duration_text(std::max(1.0, std::round(left / rate))) + " left"
                          : "waiting for the first rays";
    }
    const std::string text = fmt::format("{:5.1f} %  {}  {}", 100.0 * share, speed, time);
    const std::size_t used = text_width(text) + 3;
    if (used + kShortestBar > width) return shortened(text, width);
    return bar(share, std::min(kLongestBar, width - used)) + " " + text;
}

ProgressBar::ProgressBar(const std::atomic<std::int64_t>& done,
                         std::int64_t total,
                         Show show,
                         int descriptor)
    : done_(done),
      total_(total),
      descriptor_(descriptor),
      start_(std::chrono::steady_clock::now()) {
    if (show == Show::always || (show == Show::on_terminal && ::isatty(descriptor) == 1)) {
        // Block signals here, because the threads that wait for them handle them.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        thread_ = std::thread([this] { loop(); });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
}

ProgressBar::~ProgressBar() {
    finish();
}

void ProgressBar::finish() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
    draw();
    write_text(descriptor_, "\n");
}

void ProgressBar::loop() {
    constexpr auto kPeriod = std::chrono::milliseconds(200);
    std::unique_lock lock(mutex_);
    // Wait before the first line, so that short runs print only one.
    while (!wake_.wait_for(lock, kPeriod, [this] { return stopping_; })) draw();
}

void ProgressBar::draw() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    const std::size_t width = terminal_width(descriptor_) - 1;
    // Return to the first column, print the line, and erase the rest of a longer one.
    const std::string text =
        progress_line(done_.load(std::memory_order_relaxed), total_, elapsed.count(), width);
    write_text(descriptor_, fmt::format("\r{}\x1b[K", text));
}

}  // namespace helioray
