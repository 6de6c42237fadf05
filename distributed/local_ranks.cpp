// SPDX-License-Identifier: MIT
// Start, watch and end of local ranks.
#include "distributed/local_ranks.h"

#include "distributed/child_process.h"
#include "distributed/rank_info.h"

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

/// A signal, passed from its handler to the loop; SIGINT of a terminal reaches the ranks by itself.
struct ReceivedSignal {
    int signal;
    bool from_terminal;
};

std::atomic<int> signal_pipe{-1};

void record_signal(int signal, siginfo_t* info, void*) {
    const int saved = errno;
    const ReceivedSignal NOTE{signal, info && info->si_code == SI_KERNEL};
    [[maybe_unused]] const auto written = ::write(signal_pipe.load(), &NOTE, sizeof(NOTE));
    errno = saved;
}

/// Turns signals into readable notes while it lives.
class SignalListener {
  public:
    SignalListener() {
        if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0)
            throw std::runtime_error("no pipe for signals");
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

    std::optional<ReceivedSignal> wait(milliseconds patience) const {
        ReceivedSignal NOTE{};
        pollfd entry{ends_[0], POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(patience.count()));
        if (::read(ends_[0], &NOTE, sizeof(NOTE)) != sizeof(NOTE)) return std::nullopt;
        return NOTE;
    }

  private:
    static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD};
    int ends_[2];
    struct sigaction saved_[std::size(kSignals)];
};

/// A folder of this user alone, for as long as this object lives.
class PrivateFolder {
  public:
    PrivateFolder() : path_((std::filesystem::temp_directory_path() / "helioray-XXXXXX").string()) {
        if (!::mkdtemp(path_.data()))
            throw std::runtime_error("no folder for the ranks can be made in " +
                                     std::filesystem::temp_directory_path().string() + ": " +
                                     std::strerror(errno));
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

/// The running ranks. Destruction leaves none behind.
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

    /// `store`: the file that they meet through.
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
            child.empty_input = rank > 0;
            if (rank > 0) child.output_file = log_file(rank);
            pids_.push_back(detail::start_child(child));
        }
    }

    bool running() const {
        return std::any_of(pids_.begin(), pids_.end(), [](pid_t pid) { return pid != 0; });
    }

    bool any_ended() const { return std::count(pids_.begin(), pids_.end(), 0) != 0; }

    /// Those that have not ended with the others hang.
    void fail_stragglers(milliseconds patience) {
        if (failure_ || !running()) return;
        const auto rank =
            std::find_if(pids_.begin(), pids_.end(), [](pid_t pid) { return pid != 0; });
        failure_ = 1;
        message_ = "rank " + std::to_string(rank - pids_.begin()) + " (pid " + std::to_string(*rank) +
                ") hangs: it did not end within " + detail::format_seconds(patience) +
                " after the others";
    }

    /// A stopped process cannot end by itself.
    void kill_stopped() const {
        for (const pid_t pid : pids_) {
            siginfo_t info{};
            if (pid != 0 &&
                ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
                info.si_pid == pid)
                ::kill(pid, SIGKILL);
        }
    }

    void send(int signal) const {
        for (const pid_t pid : pids_)
            if (pid != 0) ::kill(pid, signal);
    }

    /// Collects ranks that have ended. The first failure decides: among those seen at once a
    /// signal, since a rank that was killed makes others fail, not the other way round.
    void collect() {
        std::optional<int> exited, killed;
        for (int rank = 0; rank < static_cast<int>(pids_.size()); ++rank) {
            int status = 0;
            if (pids_[rank] == 0 || ::waitpid(pids_[rank], &status, WNOHANG) != pids_[rank])
                continue;
            pids_[rank] = 0;
            if (failure_) continue;
            if (WIFSIGNALED(status) && !killed) {
                killed = 1;
                // The reader of the pipe to rank 0 closed it on purpose: the exit code reports
                // that, as for any program in a pipe.
                if (WTERMSIG(status) == SIGPIPE) {
                    killed = 128 + SIGPIPE;
                    continue;
                }
                message_ = "rank " + std::to_string(rank) + " was killed by signal " +
                        std::to_string(WTERMSIG(status)) + " (" +
                        detail::signal_name(WTERMSIG(status)) + ")" + log_hint(rank);
            } else if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && !exited) {
                exited = WEXITSTATUS(status);
                if (!killed)
                    message_ = "rank " + std::to_string(rank) + " failed with exit code " +
                            std::to_string(*exited) + log_hint(rank);
            }
        }
        if (!failure_ && (killed || exited)) failure_ = killed ? killed : exited;
    }

    const std::optional<int>& failure() const { return failure_; }
    const std::string& NOTE() const { return message_; }

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
    std::vector<pid_t> pids_;  // 0: has ended
    std::optional<int> failure_;
    std::string message_;
};

}  // namespace

int run_local_ranks(const LocalRanksOptions& options) {
    if (options.ranks < 1)
        throw std::invalid_argument("the number of local ranks must be at least 1");
    if (options.arguments.empty())
        throw std::invalid_argument("local ranks need the arguments of the program");
    if (!options.log_dir.empty()) std::filesystem::create_directories(options.log_dir);
    const auto report = [&](const std::string& line) {
        options.report ? options.report(line) : void(std::cerr << line << std::endl);
    };

    // The ranks meet through a file that nobody else can read.
    const SignalListener signals;
    const PrivateFolder folder;
    LocalRanks ranks(options);
    ranks.start(folder.path() + "/store");

    int own_signal = 0;
    bool reported = false, terminated = false;
    std::optional<Clock::time_point> deadline, first_end;
    while (true) {
        ranks.collect();
        if (ranks.any_ended() && !first_end) first_end = Clock::now();
        if (options.straggler_timeout.count() > 0 && first_end && !deadline &&
            Clock::now() >= *first_end + options.straggler_timeout)
            ranks.fail_stragglers(options.straggler_timeout);
        if (ranks.failure() && !reported && own_signal == 0) {
            if (!ranks.NOTE().empty()) report(ranks.NOTE());
            reported = true;
            if (!deadline) deadline = Clock::now() + options.grace;
        }
        if (!ranks.running()) break;
        if (ranks.failure()) ranks.kill_stopped();

        // Ranks that hang do not end by themselves: ask them first, then kill them.
        if (deadline && Clock::now() >= *deadline) {
            ranks.send(terminated ? SIGKILL : SIGTERM);
            terminated = true;
            deadline = Clock::now() + options.grace;
        }

        auto patience = milliseconds(500);
        if (deadline)
            patience =
                std::clamp(std::chrono::duration_cast<milliseconds>(*deadline - Clock::now()) +
                               milliseconds(1),
                           milliseconds(1),
                           patience);
        const auto NOTE = signals.wait(patience);
        if (!NOTE || NOTE->signal == SIGCHLD) continue;
        if (!(NOTE->from_terminal && NOTE->signal == SIGINT)) ranks.send(NOTE->signal);
        if (own_signal != 0) continue;
        own_signal = NOTE->signal;
        terminated = true;
        deadline = Clock::now() + options.grace;
    }
    if (own_signal != 0) return 128 + own_signal;
    return ranks.failure().value_or(0);
}

}  // namespace helioray
