// SPDX-License-Identifier: MIT
// The progress bar: what its line shows, and how it ends.
#include "app/output/summary/progress.h"
#include "scenario/files/number_text.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

using namespace helioray;

namespace {

// The text that `work` makes a bar write into a file.
template <typename Work>
std::string written(ProgressBar::Show show, Work work) {
    const test::ScratchFolder folder;
    const std::filesystem::path path = folder / "stderr";
    const int descriptor = ::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    std::atomic<std::int64_t> done{0};
    try {
        ProgressBar bar(done, 1000, show, descriptor);
        work(done, bar);
    } catch (const std::runtime_error&) {
    }
    ::close(descriptor);
    return test::read_bytes(path);
}

}  // namespace

TEST_CASE("The line shows share, rate and remaining time") {
    const std::string line = progress_line(25'000'000, 100'000'000, 2.0, 79);
    CHECK_THAT(line, ContainsSubstring("[##########.............................."));
    CHECK_THAT(line, ContainsSubstring("25.0 %"));
    CHECK_THAT(line, ContainsSubstring("12.5 Mrays/s"));
    CHECK_THAT(line, ContainsSubstring("6.00 s left"));
}

TEST_CASE("The line ends with the elapsed time") {
    const std::string line = progress_line(100, 100, 83.0, 79);
    CHECK_THAT(line, ContainsSubstring("100.0 %"));
    CHECK_THAT(line, ContainsSubstring("1 min 23 s"));
    CHECK_THAT(line, !ContainsSubstring("left"));
    CHECK_THAT(line, ContainsSubstring("#]"));
}

TEST_CASE("The bar copes with nothing done, no total and too much done") {
    CHECK_THAT(progress_line(0, 100, 0.0, 79), ContainsSubstring("waiting"));
    CHECK_THAT(progress_line(5'000'000, 0, 2.0, 79), ContainsSubstring("5.00 million rays"));
    CHECK_THAT(progress_line(200, 100, 1.0, 79), ContainsSubstring("100.0 %"));
}

TEST_CASE("The line is never longer than the terminal is wide") {
    for (const size_t width : {0U, 1U, 10U, 30U, 45U, 60U, 79U, 200U}) {
        CHECK(text_width(progress_line(123'456'789, 1'000'000'000, 7.0, width)) <=
              std::max<size_t>(1, width));
    }
}

TEST_CASE("Nothing is written into a file unless asked for") {
    const std::string text =
        written(ProgressBar::Show::on_terminal, [](auto& done, auto&) { done = 1000; });
    CHECK(text.empty());
}

TEST_CASE("The last state is printed once, and its line is ended") {
    const std::string text = written(ProgressBar::Show::always, [](auto& done, ProgressBar& bar) {
        done = 1000;
        bar.finish();
        bar.finish();
    });
    CHECK_THAT(text, ContainsSubstring("100.0 %"));
    CHECK(text.front() == '\r');
    CHECK(text.back() == '\n');
    CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("An exception ends the line too") {
    const std::string text = written(ProgressBar::Show::always, [](auto& done, ProgressBar&) {
        done = 250;
        throw std::runtime_error("interrupted");
    });
    CHECK_THAT(text, ContainsSubstring("25.0 %"));
    CHECK(text.back() == '\n');
}
