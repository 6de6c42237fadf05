// SPDX-License-Identifier: MIT
// Writes temporary files beside their targets, and checks outputs against the disk, each other and
// the inputs.
#include "scenario/files/output_files.h"

#include "scenario/files/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace helioray {

namespace fs = std::filesystem;

namespace {

/// Returns the folder of a path; "." if it names none.
fs::path parent_folder(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Returns the target of a link, even if it does not exist yet; returns any other path unchanged.
fs::path followed(const fs::path& path) {
    constexpr int kMostLinks = 40;  // the limit of Linux
    fs::path end = path;
    std::error_code error;
    for (int link = 0; link < kMostLinks && fs::is_symlink(end, error); ++link) {
        const fs::path next = fs::read_symlink(end, error);
        if (error) return path;
        // An absolute link replaces the folder.
        end = end.parent_path() / next;
    }
    return end;
}

/// Returns a number that only processes with the same process ids have in common: those of one boot
/// of one machine and one container. Returns an empty text where the system does not tell.
const std::string& process_space() {
    static const std::string space = [] {
        std::string boot;
        std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
        std::error_code error;
        const fs::path container = fs::read_symlink("/proc/self/ns/pid", error);
        if (boot.empty() || error) return std::string();
        std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
        for (const char c : boot + container.string())
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        return fmt::format("{:016x}", hash);
    }();
    return space;
}

constexpr std::string_view kTemporaryPrefix = ".helioray-";
constexpr std::string_view kTemporaryEnding = ".part";

/// Returns a new name in the target's folder. It is unique among threads and processes, including
/// those of other machines, and so short that it fits wherever the target's own name does.
fs::path temporary_beside(const fs::path& target) {
    static const unsigned process = std::random_device{}();
    static std::atomic<int> counter{0};
    return parent_folder(target) / fmt::format("{}{}-{}-{:08x}-{}{}",
                                               kTemporaryPrefix,
                                               ::getpid(),
                                               process_space(),
                                               process,
                                               counter++,
                                               kTemporaryEnding);
}

/// Returns true for the name of a temporary file whose process has ended. Returns false where the
/// process could still run, for example on another machine or in another container.
bool is_of_dead_process(std::string_view name) {
    if (process_space().empty() || !name.starts_with(kTemporaryPrefix) ||
        !name.ends_with(kTemporaryEnding))
        return false;
    name.remove_prefix(kTemporaryPrefix.size());
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc() || process <= 0) return false;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (!name.starts_with("-" + process_space() + "-")) return false;
    return ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Removes the temporary files that killed processes have left in a folder.
void remove_leftovers(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> leftovers;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (is_of_dead_process(entry->path().filename().native()))
            leftovers.push_back(entry->path());
    }
    for (const fs::path& leftover : leftovers) fs::remove(leftover, error);
}

std::string reason(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void fail(const fs::path& target, int error) {
    throw std::runtime_error(
        fmt::format("{}: the file cannot be stored ({})", target.string(), reason(error)));
}

// Flushes a file or folder to the disk. Returns 0 or an errno.
int flush_to_disk(const fs::path& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    return error;
}

[[noreturn]] void refuse(const fs::path& path,
                         const std::string& what,
                         const std::string& why,
                         const std::string& advice) {
    throw InputError(Problem{path.string(), what, why, advice});
}

/// Throws InputError for a device, because renaming a file to a device would replace the device.
void refuse_device(const fs::path& path, const fs::file_status& status) {
    if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)) return;
    refuse(path,
           "is a device or pipe",
           "the file is written beside it and renamed",
           "name a regular file");
}

void check_target(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::none) {
        // This happens if a name is too long or links form a circle, for example.
        refuse(path, "no file can have this name", error.message(), "choose another name");
    }
    if (!fs::exists(status)) return;
    if (fs::is_directory(status)) {
        refuse(path, "is a folder, not a file", "a file is written there", "add a file name");
    }
    refuse_device(path, status);
    if (::access(path.c_str(), W_OK) != 0) {
        refuse(path,
               "the file exists and may not be overwritten",
               reason(errno),
               "change its permissions or choose another name");
    }
}

void check_folder(const fs::path& path) {
    const fs::path folder = parent_folder(path);
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (!fs::exists(status)) {
        refuse(path,
               fmt::format("the folder '{}' does not exist", folder.string()),
               "the file is written there",
               "create it or choose another path");
    }
    if (!fs::is_directory(status)) {
        refuse(path,
               fmt::format("'{}' is not a folder", folder.string()),
               "the file is written there",
               "choose another path");
    }
    // Only creating a file shows the problem: read-only file systems and quotas apply to root as
    // well.
    const fs::path probe = temporary_beside(path);
    const int descriptor = ::open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        refuse(path,
               fmt::format("no file can be created in the folder '{}'", folder.string()),
               reason(errno),
               "change its permissions or choose another path");
    }
    ::close(descriptor);
    fs::remove(probe, error);
    remove_leftovers(folder);
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target)
    : target_(followed(target)), temporary_(temporary_beside(target_)) {
    std::error_code ignored;
    refuse_device(target, fs::status(target, ignored));
}

AtomicFile::~AtomicFile() {
    std::error_code ignored;
    if (!committed_) fs::remove(temporary_, ignored);
}

void AtomicFile::write(std::span<const std::byte> bytes, std::span<const std::byte> more) {
    const int descriptor =
        ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0) fail(errno);
    int error = 0;
    for (std::span<const std::byte> left : {bytes, more}) {
        while (!left.empty() && error == 0) {
            // Linux writes at most 2 GiB per call anyway.
            const ssize_t count = ::write(descriptor, left.data(), left.size());
            if (count >= 0) {
                left = left.subspan(static_cast<std::size_t>(count));
            } else if (errno != EINTR) {
                error = errno;
            }
        }
    }
    // Some file systems report a full disk only when the file is closed.
    if (::close(descriptor) != 0 && error == 0) error = errno;
    if (error != 0) fail(error);
}

void AtomicFile::copy(const fs::path& from) {
    std::error_code error;
    fs::copy_file(from, temporary_, error);
    if (!error) fs::permissions(temporary_, fs::perms::owner_write, fs::perm_options::add, error);
    if (error) fail(error.value());
}

void AtomicFile::fail(int error) const {
    helioray::fail(target_, error);
}

void AtomicFile::commit() {
    if (const int error = flush_to_disk(temporary_, O_RDONLY)) fail(error);
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) fail(error.value());
    committed_ = true;
    // The new name is stored safely only with the folder. Some file systems cannot flush a folder,
    // so this is not an error.
    flush_to_disk(parent_folder(target_), O_RDONLY | O_DIRECTORY);
}

ChangeLock::ChangeLock(const fs::path& file) {
    constexpr auto kPatience = std::chrono::seconds(30);
    constexpr useconds_t kPause = 5000;      // microseconds
    constexpr std::size_t kMostBytes = 200;  // length of a name; longer names may share a lock
    const fs::path target = followed(file);
    lock_ = parent_folder(target) /
            fmt::format(".helioray-{}.lock", target.filename().string().substr(0, kMostBytes));
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (true) {
        descriptor_ = ::open(lock_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
        if (descriptor_ < 0) {
            refuse(file,
                   "cannot be locked for a change",
                   reason(errno),
                   "change the permissions of its folder");
        }
        const bool is_mine = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
        // Some file systems have no locks. Simultaneous changes are so rare that the change
        // continues without one.
        if (!is_mine && errno != EWOULDBLOCK && errno != EINTR) return;
        if (is_mine) {
            // The previous owner may have removed the file that this lock is on.
            struct stat mine {
            }, now{};
            if (::fstat(descriptor_, &mine) == 0 && ::stat(lock_.c_str(), &now) == 0 &&
                mine.st_ino == now.st_ino && mine.st_dev == now.st_dev)
                return;
        }
        ::close(descriptor_);
        descriptor_ = -1;
        const bool interrupted = ::usleep(kPause) != 0 && errno == EINTR;
        if (interrupted || std::chrono::steady_clock::now() > deadline) {
            refuse(file,
                   "another process is changing the file",
                   interrupted ? "the wait for it was interrupted"
                               : fmt::format("for {} s already", kPatience.count()),
                   "try again when it has ended");
        }
    }
}

ChangeLock::~ChangeLock() {
    std::error_code ignored;
    fs::remove(lock_, ignored);
    ::close(descriptor_);
}

void write_text_file(const fs::path& path, const std::string& text) {
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

void check_writable(const fs::path& path, std::uint64_t expected_bytes) {
    if (!path.has_filename()) {
        refuse(path, "is not a file name", "a file is written there", "add a file name");
    }
    const fs::path target = followed(path);
    check_target(target);
    check_folder(target);

    std::error_code error;
    const fs::space_info space = fs::space(parent_folder(target), error);
    if (!error && space.available < expected_bytes) {
        constexpr double kMega = 1e6;
        refuse(path,
               fmt::format("the disk has room for {:.1f} MB, the file needs about {:.1f} MB",
                           static_cast<double>(space.available) / kMega,
                           static_cast<double>(expected_bytes) / kMega),
               "the result could not be stored after the run",
               "free space or choose another path");
    }
}

std::string lower_extension(const fs::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return ending;
}

void check_ending(const std::string& option,
                  const fs::path& path,
                  const std::string& kind,
                  const std::vector<std::string>& endings) {
    if (std::find(endings.begin(), endings.end(), lower_extension(path)) != endings.end()) return;
    const std::string wanted = fmt::format("{}", fmt::join(endings, " or "));
    throw InputError(Problem{option,
                             fmt::format("'{}' does not end in {}", path.string(), wanted),
                             kind,
                             fmt::format("use a name like {}{}",
                                         path.has_stem() ? path.stem().string() : "file",
                                         endings.front())});
}

namespace {

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    // If one of the files does not exist yet, compare the names.
    const fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);
    if (error) return false;
    const fs::path second = fs::weakly_canonical(fs::absolute(b, error), error);
    return !error && first == second;
}

}  // namespace

void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& inputs) {
    std::vector<Problem> problems;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const fs::path& path = outputs[i].path;
        try {
            check_writable(path, outputs[i].expected_bytes);
        } catch (const InputError& error) {
            problems.insert(problems.end(), error.problems().begin(), error.problems().end());
            continue;
        }
        for (const fs::path& input : inputs) {
            if (!same_file(path, input)) continue;
            problems.push_back({path.string(),
                                input == path ? "is read by this command as well"
                                              : fmt::format("is the input '{}'", input.string()),
                                "what is written would replace it",
                                "choose another name"});
            break;
        }
        for (size_t other = 0; other < i; ++other) {
            if (!same_file(path, outputs[other].path)) continue;
            problems.push_back({path.string(),
                                "two outputs have this name",
                                "one would replace the other",
                                "choose another name"});
            break;
        }
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace helioray
