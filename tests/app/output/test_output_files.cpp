// SPDX-License-Identifier: MIT
// Complete files or none; checks of output paths; full disks.
#include "app/output/plot/flux_plot.h"
#include "raytracer/results/result_file.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "tests/raytracer/sample_result.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

using namespace helioray;
namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& path, std::uint64_t bytes = 0) {
    try {
        check_writable(path, bytes);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

TEST_CASE("A file appears under its name when it is committed, and only then") {
    const test::ScratchFolder folder;
    test::write_bytes(folder / "out", "old");
    {
        AtomicFile file(folder / "out");
        file.write(bytes_of("new"));
        CHECK(file.temporary().parent_path() == folder.path());
        CHECK(test::read_bytes(folder / "out") == "old");
        file.commit();
    }
    CHECK(test::read_bytes(folder / "out") == "new");
    {
        AtomicFile file(folder / "out");
        file.write(bytes_of("never"));
    }
    CHECK(test::read_bytes(folder / "out") == "new");
    CHECK(folder.num_entries() == 1);
    write_text_file(folder / "out", "a text");
    CHECK(test::read_bytes(folder / "out") == "a text");
    CHECK(folder.num_entries() == 1);
}

TEST_CASE("Links are followed, not replaced") {
    const test::ScratchFolder folder;
    fs::create_directory(folder / "far");
    test::write_bytes(folder / "far/real", "old");
    fs::create_symlink("far/real", folder / "link");
    AtomicFile file(folder / "link");
    file.write(bytes_of("new"));
    file.commit();
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(test::read_bytes(folder / "far/real") == "new");
}

TEST_CASE("Two files of one name do not share their temporary file") {
    const test::ScratchFolder folder;
    CHECK(AtomicFile(folder / "out").temporary() != AtomicFile(folder / "out").temporary());
}

TEST_CASE("Good output paths pass and leave nothing behind") {
    const test::ScratchFolder folder;
    CHECK(refusal(folder / "out.h5", 1000) == "");
    CHECK(folder.num_entries() == 0);
    test::write_bytes(folder / "out.h5", "old");
    CHECK(refusal(folder / "out.h5") == "");
    CHECK(test::read_bytes(folder / "out.h5") == "old");
}

TEST_CASE("Bad output paths are refused before any work") {
    const test::ScratchFolder folder;
    test::write_bytes(folder / "file", "text");
    CHECK_THAT(refusal(folder / "none/out.h5"), ContainsSubstring("does not exist"));
    CHECK_THAT(refusal(folder / "file/out.h5"),
               ContainsSubstring("is not a folder") || ContainsSubstring("does not exist"));
    CHECK_THAT(refusal(folder.path()), ContainsSubstring("is a folder"));
    CHECK_THAT(refusal(folder / ""), ContainsSubstring("is not a file name"));
    CHECK_THAT(refusal("/dev/null"), ContainsSubstring("device"));
    // Replacing it would break the machine, whatever was checked before.
    CHECK_THROWS_WITH(AtomicFile("/dev/null"), ContainsSubstring("device"));
    CHECK_THAT(refusal("/proc/out.h5"), ContainsSubstring("no file can be created"));
    CHECK_THAT(refusal(folder / "out.h5", std::numeric_limits<std::uint64_t>::max()),
               ContainsSubstring("has room for"));
    CHECK(folder.num_entries() == 1);
}

TEST_CASE("A full disk leaves the old file and nothing else") {
    const test::ScratchFolder folder;
    test::write_bytes(folder / "out.h5", "old");
    test::write_bytes(folder / "out.png", "old");
    const RunResult result = test::sample_result();
    std::string of_result;
    std::string of_picture;
    {
        const test::FullDisk full(4096);
        try {
            write_result(result, folder / "out.h5");
        } catch (const std::runtime_error& error) {
            of_result = error.what();
        }
        try {
            plot_flux(result, folder / "out.png");
        } catch (const std::runtime_error& error) {
            of_picture = error.what();
        }
    }
    CHECK_THAT(of_result, ContainsSubstring("out.h5: the file cannot be stored"));
    CHECK_THAT(of_picture, ContainsSubstring("out.png: the file cannot be stored"));
    CHECK(test::read_bytes(folder / "out.h5") == "old");
    CHECK(test::read_bytes(folder / "out.png") == "old");
    CHECK(folder.num_entries() == 2);

    // The next attempt is not harmed.
    write_result(result, folder / "out.h5");
    CHECK(read_result(folder / "out.h5").targets.size() == 2);
}

TEST_CASE("Processes that change one file do so one after the other") {
    const test::TemporaryFolder folder;
    const fs::path file = folder / "count";
    std::ofstream(file) << 0;
    constexpr int kProcesses = 4, kChanges = 25;
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            for (int i = 0; i < kChanges; ++i) {
                const ChangeLock lock(file);
                int count = 0;
                std::ifstream(file) >> count;
                AtomicFile next(file);
                std::ofstream(next.temporary()) << count + 1;
                next.commit();
            }
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    int count = 0;
    std::ifstream(file) >> count;
    CHECK(count == kProcesses * kChanges);
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("Temporary files of killed processes are removed, those of others stay") {
    const test::ScratchFolder folder;
    // Returns the name of a temporary file whose process, a child, is killed.
    const auto leave_behind = [&] {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            AtomicFile file(folder / "out");
            file.write(bytes_of("half"));
            ::kill(::getpid(), SIGKILL);
        }
        REQUIRE(waitpid(child, nullptr, 0) == child);
        for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
            return entry.path().filename().string();
        return std::string();
    };
    const std::string left = leave_behind();
    REQUIRE(left.starts_with(".helioray-"));
    const size_t space = left.find('-', std::string_view(".helioray-").size()) + 1;
    const std::string process = left.substr(0, space), tail = left.substr(space);
    // A process that is alive, one of another machine, a file of an earlier version, other files.
    const std::string alive = fmt::format(".helioray-{}-{}", ::getpid(), tail);
    std::string far = left;
    far[space] = far[space] == '0' ? '1' : '0';
    const std::string old = process + "00000000-0.part";
    const std::string others[] = {alive, far, old, left + "x", "x" + left, ".helioray-out.lock"};
    for (const std::string& name : others) test::write_bytes(folder / name, "other");
    AtomicFile mine(folder / "mine");
    mine.write(bytes_of("not complete"));

    check_writable(folder / "out");
    CHECK_FALSE(fs::exists(folder / left));
    for (const std::string& name : others) CHECK(fs::exists(folder / name));
    CHECK(fs::exists(mine.temporary()));
}

TEST_CASE("A folder that is gone is reported as a failure, not as bad input") {
    const test::ScratchFolder folder;
    try {
        write_result(test::sample_result(), folder / "gone/out.h5");
        FAIL("nothing was thrown");
    } catch (const InputError&) {
        FAIL("an input error");
    } catch (const std::runtime_error& error) {
        CHECK_THAT(error.what(), ContainsSubstring("gone/out.h5"));
    }
}
