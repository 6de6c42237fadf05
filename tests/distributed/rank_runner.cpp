// SPDX-License-Identifier: MIT
// Starts ranks of the tests and collects their results.
#include "tests/distributed/rank_runner.h"

#include "distributed/launch/child_process.h"
#include "tests/support/catch2.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace helioray::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Running {
    pid_t pid = 0;
    std::string file;
    Clock::time_point start = Clock::now();
};

std::string temporary_file() {
    char name[] = "/tmp/helioray_rank_XXXXXX";
    const int fd = ::mkstemp(name);
    if (fd < 0) throw std::runtime_error("no temporary file");
    ::close(fd);
    return name;
}

Running start(const std::string& program,
              const std::vector<std::string>& arguments,
              const Variables& environment) {
    Running running;
    running.file = temporary_file();
    detail::ChildOptions child;
    child.program = program;
    child.arguments = arguments;
    child.environment = environment;
    // Use one thread per rank, because several ranks share few cores.
    child.environment.emplace("OMP_NUM_THREADS", "1");
    child.output_file = running.file;
    child.empty_input = true;
    running.pid = detail::start_child(child);
    return running;
}

std::vector<RankResult> collect(std::vector<Running> ranks, double limit_s) {
    std::vector<RankResult> results(ranks.size());
    std::size_t left = ranks.size();
    const auto begin = Clock::now();
    while (left > 0) {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            int status = 0;
            if (ranks[i].pid == 0 || ::waitpid(ranks[i].pid, &status, WNOHANG) != ranks[i].pid)
                continue;
            ranks[i].pid = 0;
            --left;
            results[i].seconds =
                std::chrono::duration<double>(Clock::now() - ranks[i].start).count();
            if (WIFEXITED(status)) results[i].exit_code = WEXITSTATUS(status);
            if (WIFSIGNALED(status)) results[i].signal = WTERMSIG(status);
            std::ostringstream text;
            text << std::ifstream(ranks[i].file).rdbuf();
            results[i].output = text.str();
            ::unlink(ranks[i].file.c_str());
        }
        if (std::chrono::duration<double>(Clock::now() - begin).count() > limit_s)
            for (const auto& rank : ranks)
                if (rank.pid != 0) ::kill(rank.pid, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return results;
}

}  // namespace

std::vector<RankResult> run_ranks(const std::vector<std::string>& arguments,
                                  const std::vector<Variables>& environments,
                                  double limit_s) {
    std::vector<std::string> argv{"rank_program"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    std::vector<Running> ranks;
    for (const auto& environment : environments)
        ranks.push_back(start(HELIORAY_RANK_PROGRAM, argv, environment));
    return collect(std::move(ranks), limit_s);
}

std::vector<RankResult> run_world(int size,
                                  const std::vector<std::string>& arguments,
                                  const Variables& more) {
    const std::string port = std::to_string(free_port());
    std::vector<Variables> environments;
    for (int rank = 0; rank < size; ++rank) {
        Variables variables{{"RANK", std::to_string(rank)},
                            {"WORLD_SIZE", std::to_string(size)},
                            {"MASTER_ADDR", "127.0.0.1"},
                            {"MASTER_PORT", port}};
        variables.insert(more.begin(), more.end());
        environments.push_back(variables);
    }
    return run_ranks(arguments, environments);
}

void check_world(int size, const std::string& scenario) {
    const auto ranks = run_world(size, {scenario});
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        CAPTURE(size, rank, ranks[rank].output);
        CHECK(ranks[rank].exit_code == 0);
    }
}

std::vector<std::string> lines_of(const RankResult& rank, const std::string& word) {
    std::vector<std::string> lines;
    std::istringstream text(rank.output);
    for (std::string line; std::getline(text, line);)
        if (line.starts_with(word + " ")) lines.push_back(line.substr(word.size() + 1));
    return lines;
}

RankResult run_command(const std::string& command, double limit_s) {
    return collect({start("/bin/sh", {"sh", "-c", command}, {})}, limit_s).front();
}

int free_port() {
    // Below the ports that the system gives to clients: one of those could be taken by the
    // connection of another test before this one listens.
    constexpr int kFirst = 10000, kCount = 20000;
    static int next = static_cast<int>(::getpid() * 61L % kCount);
    for (int tries = 0; tries < kCount; ++tries) {
        const int port = kFirst + next;
        next = (next + 1) % kCount;
        const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        const bool is_free =
            ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
        ::close(fd);
        if (is_free) return port;
    }
    throw std::runtime_error("no port of this machine is free");
}

}  // namespace helioray::test
