// SPDX-License-Identifier: MIT
// The lines of PMI version 1: "cmd=put kvsname=... key=... value=...".
#include "distributed/store/pmi.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The least that launchers grant a value is 256 to 1024 bytes.
constexpr std::size_t kMostValueBytes = 900;

/// The value of "name=" in an answer; the last field may hold blanks.
std::string field_of(const std::string& line, const std::string& name) {
    const std::string start = " " + name + "=";
    const auto found = (" " + line).find(start);
    if (found == std::string::npos) return {};
    const auto begin = found + start.size() - 1;
    return line.substr(begin, line.find(' ', begin) - begin);
}

/// The launcher's side of one process. There is one per process, because a launcher takes the end
/// of a process that began and did not finish for a crash.
class PmiSession {
  public:
    explicit PmiSession(int socket) : socket_(socket) {}
    ~PmiSession() {
        if (space_.empty()) return;
        try {
            ask("cmd=finalize", Clock::now() + milliseconds(2000), {});
        } catch (const TransportError&) {
            // The launcher has gone.
        }
    }
    PmiSession(const PmiSession&) = delete;
    PmiSession& operator=(const PmiSession&) = delete;

    void put(const std::string& key, std::string value, Deadline deadline, const Look& look) {
        begin(deadline, look);
        // Lines are kept whole, blanks there are none.
        while (value.size() > kMostValueBytes && value.find('\n') != value.rfind('\n'))
            value.erase(value.rfind('\n', value.size() - 2) + 1);
        std::replace(value.begin(), value.end(), '\n', '|');
        ask("cmd=put kvsname=" + space_ + " key=" + key + " value=" + value, deadline, look);
        ask("cmd=barrier_in", deadline, look);
    }

    /// A key is there once its writer has come to the barrier.
    std::string get(const std::string& key, Deadline deadline, const Look& look) {
        begin(deadline, look);
        const auto known = values_.find(key);
        if (known != values_.end()) return known->second;
        ask("cmd=barrier_in", deadline, look);
        std::string value =
            field_of(ask("cmd=get kvsname=" + space_ + " key=" + key, deadline, look), "value");
        std::replace(value.begin(), value.end(), '|', '\n');
        return values_[key] = value;
    }

  private:
    void begin(Deadline deadline, const Look& look) {
        if (!space_.empty()) return;
        ask("cmd=init pmi_version=1 pmi_subversion=1", deadline, look);
        space_ = field_of(ask("cmd=get_my_kvsname", deadline, look), "kvsname");
        if (space_.empty()) throw TransportError("the launcher's PMI gives no key-value space");
    }

    /// Sends a line, and returns the answer.
    std::string ask(const std::string& line, Deadline deadline, const Look& look) {
        const std::string out = line + "\n";
        if (::send(socket_, out.data(), out.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(out.size()))
            throw TransportError(std::string("the launcher's PMI cannot be asked: ") +
                                 std::strerror(errno));
        while (received_.find('\n') == std::string::npos) {
            if (!wait_for_socket(socket_, false, deadline, look))
                throw Unanswered("the launcher's PMI does not answer; another rank may be missing");
            char buffer[2048];
            const auto count = ::recv(socket_, buffer, sizeof(buffer), 0);
            if (count <= 0) throw TransportError("the launcher's PMI has closed its connection");
            received_.append(buffer, static_cast<std::size_t>(count));
        }
        const auto end = received_.find('\n');
        const std::string answer = received_.substr(0, end);
        received_.erase(0, end + 1);
        const std::string status = field_of(answer, "rc");
        if (!status.empty() && status != "0")
            throw TransportError("the launcher's PMI refuses '" + line.substr(0, line.find(' ')) +
                                 "': " + printable(answer, 200));
        return answer;
    }

    const int socket_;
    std::string received_;
    std::string space_;  // empty before the first call
    std::map<std::string, std::string> values_;
};

}  // namespace

LauncherStore pmi_store(int socket, milliseconds timeout, const Look& look) {
    static PmiSession session(socket);
    LauncherStore store;
    store.set = [timeout, look](const std::string& key, const std::string& value) {
        session.put(key, value, Clock::now() + timeout, look);
    };
    store.get = [timeout, look](const std::string& key) {
        return session.get(key, Clock::now() + timeout, look);
    };
    return store;
}

}  // namespace helioray::detail
