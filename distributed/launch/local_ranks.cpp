// SPDX-License-Identifier: MIT
// Starts local ranks, forwards signals to them and ends them after a failure.
#include "distributed/launch/local_ranks.h"

#include "distributed/launch/child_process.h"
#include "distributed/launch/message_text.h"
#include "distributed/launch/random_text.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>

namespace helioray {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A signal that the handler passes to the main loop through a pipe. The terminal sends SIGINT to
/// the ranks itself, so that one must not be forwarded.
struct ReceivedSignal {
    int signal;
    bool from_terminal;
};

std::atomic<int> signal_pipe{-1};

void record_signal(int signal, siginfo_t* info, void*) {
    const int saved = errno;
    const ReceivedSignal received{signal, info && info->si_code == SI_KERNEL};
    [[maybe_unused]] const auto written = ::write(signal_pipe.load(), &received, sizeof(received));
    errno = saved;
}

/// Handles signals during its lifetime by writing them to a pipe, from which wait() reads them.
class SignalListener {
  public:
    SignalListener() {
        if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0)
            throw std::runtime_error(std::string("a pipe for signals cannot be created: ") +
                                     std::strerror(errno));
        signal_pipe = ends_[1];
        struct sigaction action {};
        action.sa_sigaction = record_signal;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        for (std::size_t i = 0; i < std::size(kSignals); ++i)
            ::sigaction(kSignals[i], &action, &saved_[i]);
    }
    ~SignalListener() {
        for (std::size_t i = 0; i < std::size(kSignals); ++i)
            ::sigaction(kSignals[i], &saved_[i], nullptr);
        signal_pipe = -1;
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    SignalListener(const SignalListener&) = delete;
    SignalListener& operator=(const SignalListener&) = delete;

    std::optional<ReceivedSignal> wait(milliseconds timeout) const {
        ReceivedSignal received{};
        pollfd entry{ends_[0], POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(timeout.count()));
        if (::read(ends_[0], &received, sizeof(received)) != sizeof(received)) return std::nullopt;
        return received;
    }

  private:
    static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD};
    int ends_[2];
    struct sigaction saved_[std::size(kSignals)];
};

/// A temporary folder that only this user can access; removed on destruction.
class PrivateFolder {
  public:
    PrivateFolder() {
        const char* const set = std::getenv("TMPDIR");
        const std::string parent = set && *set != 0 ? set : "/tmp";
        path_ = parent + "/helioray-XXXXXX";
        if (!::mkdtemp(path_.data()))
            throw std::runtime_error("a folder for the ranks cannot be created in " + parent +
                                     ": " + std::strerror(errno) +
                                     "; set TMPDIR to another folder");
    }
    ~PrivateFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// Returns the secret of the ranks: the one that is set, or a random one.
std::string choose_secret() {
    if (const char* const set = std::getenv("HELIORAY_SECRET"); set && *set != 0) return set;
    return detail::make_random_text();
}

/// The running ranks. The destructor kills those that are left.
class LocalRanks {
  public:
    explicit LocalRanks(const LocalRanksOptions& options) : options_(options) {}
    ~LocalRanks() {
        for (auto& pid : pids_) {
            if (pid == 0) continue;
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
    }
    LocalRanks(const LocalRanks&) = delete;
    LocalRanks& operator=(const LocalRanks&) = delete;

    /// Starts all ranks. `store` is the file through which they find the address of their store.
    void start(const std::string& store) {
        for (int rank = 0; rank < options_.ranks; ++rank) {
            detail::ChildOptions child;
            child.program = options_.program;
            child.arguments = options_.arguments;
            for (const auto& [name, value] : options_.environment) child.environment[name] = value;
            const std::string size = std::to_string(options_.ranks);
            child.environment["RANK"] = child.environment["LOCAL_RANK"] = std::to_string(rank);
            child.environment["WORLD_SIZE"] = child.environment["LOCAL_WORLD_SIZE"] = size;
            child.environment["HELIORAY_STORE"] = "file://" + store;
            child.environment["HELIORAY_LAUNCHER"] = "local";
            // A secret in the file of the store would stay behind if this process is killed.
            child.environment["HELIORAY_SECRET"] = secret_;
            child.empty_input = rank > 0;
            if (rank > 0) child.output_file = log_file(rank);
            pids_.push_back(detail::start_child(child));
        }
    }

    bool running() const {
        return std::any_of(pids_.begin(), pids_.end(), [](pid_t pid) { return pid != 0; });
    }

    /// Returns true while rank 0 runs.
    bool root_runs() const { return pids_.front() != 0; }

    bool any_ended() const { return std::count(pids_.begin(), pids_.end(), 0) != 0; }

    /// Records a failure of the first rank that is still running after the others have ended.
    void fail_stragglers(milliseconds timeout) {
        if (failure_ || !running()) return;
        const auto rank =
            std::find_if(pids_.begin(), pids_.end(), [](pid_t pid) { return pid != 0; });
        failure_ = 1;
        failure_message_ = "rank " + std::to_string(rank - pids_.begin()) + " (pid " +
                           std::to_string(*rank) + ") hangs: it did not end within " +
                           detail::format_seconds(timeout) + " after the others";
    }

    /// Kills stopped processes, which cannot end by themselves.
    void kill_stopped() const {
        for (const pid_t pid : pids_) {
            siginfo_t info{};
            if (pid != 0 &&
                ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
                info.si_pid == pid)
                ::kill(pid, SIGKILL);
        }
    }

    void send(int signal) {
        signalled_ = true;
        for (const pid_t pid : pids_)
            if (pid != 0) ::kill(pid, signal);
    }

    /// Collects ranks that have ended and records the first failure. If several are found at once,
    /// a rank that was killed by a signal takes precedence, because its death makes the others
    /// fail.
    void collect() {
        std::optional<int> exited, killed;
        for (int rank = 0; rank < static_cast<int>(pids_.size()); ++rank) {
            int status = 0;
            if (pids_[rank] == 0 || ::waitpid(pids_[rank], &status, WNOHANG) != pids_[rank])
                continue;
            pids_[rank] = 0;
            // Rank 0 reports that it continues without this rank.
            if (rank > 0 && options_.may_lose_ranks) continue;
            // A rank that ends because of a signal makes the others fail, perhaps earlier.
            if (WIFEXITED(status) && WEXITSTATUS(status) > 128 && !stopped_ && !signalled_)
                stopped_ = WEXITSTATUS(status);
            if (failure_) continue;
            if (WIFSIGNALED(status) && !killed) {
                killed = 1;
                // The reader of rank 0's output closed the pipe on purpose, so there is no message;
                // the exit code is that of any program in a closed pipe.
                if (WTERMSIG(status) == SIGPIPE) {
                    killed = 128 + SIGPIPE;
                    continue;
                }
                failure_message_ = "rank " + std::to_string(rank) + " was killed by signal " +
                                   std::to_string(WTERMSIG(status)) + " (" +
                                   detail::signal_name(WTERMSIG(status)) + ")" + log_hint(rank);
            } else if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && !exited) {
                exited = WEXITSTATUS(status);
                if (!killed)
                    failure_message_ = "rank " + std::to_string(rank) + " failed with exit code " +
                                       std::to_string(*exited) + log_hint(rank);
            }
        }
        if (!failure_ && (killed || exited)) failure_ = killed ? killed : exited;
    }

    const std::optional<int>& failure() const { return failure_; }
    /// Returns the exit code for users after a failure.
    int exit_code() const { return stopped_ ? *stopped_ : failure_.value_or(0); }
    const std::string& failure_message() const { return failure_message_; }

  private:
    std::string log_file(int rank) const {
        if (options_.log_dir.empty()) return {};
        return (std::filesystem::path(options_.log_dir) / ("rank_" + std::to_string(rank) + ".out"))
            .string();
    }
    std::string log_hint(int rank) const {
        const std::string file = rank > 0 ? log_file(rank) : std::string();
        return file.empty() ? "" : "; see " + file;
    }

    const LocalRanksOptions& options_;
    const std::string secret_ = choose_secret();
    std::vector<pid_t> pids_;  // by rank; 0 after the rank has ended
    std::optional<int> failure_;
    std::optional<int> stopped_;  // exit code of the first rank that ended after a signal
    bool signalled_ = false;      // send() was called
    std::string failure_message_;
};

}  // namespace

namespace {

// Time for the workers to end after rank 0 has ended without a failure.
constexpr auto kWorkerGrace = milliseconds(1000);

}  // namespace

int run_local_ranks(const LocalRanksOptions& options) {
    if (options.ranks < 1)
        throw std::invalid_argument("the number of local ranks is " +
                                    std::to_string(options.ranks) + "; it must be at least 1");
    if (options.arguments.empty())
        throw std::invalid_argument(
            "the arguments of local ranks are empty; pass argv, the program name first");
    if (!options.log_dir.empty()) std::filesystem::create_directories(options.log_dir);
    const auto report = [&](const std::string& line) {
        options.report ? options.report(line) : void(std::cerr << line << std::endl);
    };

    // The file with the address and secret of the store must not be readable by other users.
    const SignalListener signals;
    const PrivateFolder folder;
    LocalRanks ranks(options);
    ranks.start(folder.path() + "/store");

    int own_signal = 0;
    bool reported = false, terminated = false;
    std::optional<Clock::time_point> deadline, first_end;
    while (true) {
        ranks.collect();
        if (options.may_lose_ranks && !ranks.root_runs() && !ranks.failure()) {
            // Workers end by themselves when rank 0 ends; those that hang or have just started do
            // not, and have no work and no files.
            if (!deadline) deadline = Clock::now() + kWorkerGrace;
            if (ranks.running() && Clock::now() >= *deadline) ranks.send(SIGKILL);
        }
        if (ranks.any_ended() && !first_end) first_end = Clock::now();
        if (options.straggler_timeout.count() > 0 && !options.may_lose_ranks && first_end &&
            !deadline && Clock::now() >= *first_end + options.straggler_timeout)
            ranks.fail_stragglers(options.straggler_timeout);
        if (ranks.failure() && !reported && own_signal == 0) {
            if (!ranks.failure_message().empty()) report(ranks.failure_message());
            reported = true;
            if (!deadline) deadline = Clock::now() + options.grace;
        }
        if (!ranks.running()) break;
        if (ranks.failure()) ranks.kill_stopped();

        // After the grace period, send SIGTERM to ranks that hang, and SIGKILL after another one.
        if (deadline && Clock::now() >= *deadline) {
            ranks.send(terminated ? SIGKILL : SIGTERM);
            terminated = true;
            deadline = Clock::now() + options.grace;
        }

        auto timeout = milliseconds(500);
        if (deadline)
            timeout =
                std::clamp(std::chrono::duration_cast<milliseconds>(*deadline - Clock::now()) +
                               milliseconds(1),
                           milliseconds(1),
                           timeout);
        const auto received = signals.wait(timeout);
        if (!received || received->signal == SIGCHLD) continue;
        if (!(received->from_terminal && received->signal == SIGINT)) ranks.send(received->signal);
        if (own_signal != 0) continue;
        own_signal = received->signal;
        terminated = true;
        deadline = Clock::now() + options.grace;
    }
    if (own_signal != 0) return 128 + own_signal;
    return ranks.exit_code();
}

}  // namespace helioray
