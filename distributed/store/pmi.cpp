// SPDX-License-Identifier: MIT
// Messages of PMI version 1 are lines: "cmd=put kvsname=... key=... value=...".
#include "distributed/store/pmi.h"

#include "distributed/launch/message_text.h"

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

// Launchers allow at least 256 to 1024 bytes per value.
constexpr std::size_t kMaxValueBytes = 900;

/// Returns the value of "name=" in an answer, up to the next blank; empty if there is none.
std::string find_field(const std::string& line, const std::string& name) {
    const std::string start = " " + name + "=";
    const auto found = (" " + line).find(start);
    if (found == std::string::npos) return {};
    const auto begin = found + start.size() - 1;
    return line.substr(begin, line.find(' ', begin) - begin);
}

/// The PMI session of this process. There is only one: a launcher treats it as a crash if a process
/// ends after "init" without "finalize".
class PmiSession {
  public:
    explicit PmiSession(int socket) : socket_(socket) {}
    ~PmiSession() {
        if (space_.empty()) return;
        try {
            request("cmd=finalize", Clock::now() + milliseconds(2000), {});
        } catch (const TransportError&) {
            // The launcher has ended already.
        }
    }
    PmiSession(const PmiSession&) = delete;
    PmiSession& operator=(const PmiSession&) = delete;

    void put(const std::string& key,
             std::string value,
             Deadline deadline,
             const WaitCallback& wait_callback) {
        begin(deadline, wait_callback);
        // Shorten long values by whole lines. Values contain no blanks, so only newlines need
        // encoding.
        while (value.size() > kMaxValueBytes && value.find('\n') != value.rfind('\n'))
            value.erase(value.rfind('\n', value.size() - 2) + 1);
        std::replace(value.begin(), value.end(), '\n', '|');
        request("cmd=put kvsname=" + space_ + " key=" + key + " value=" + value,
                deadline,
                wait_callback);
        request("cmd=barrier_in", deadline, wait_callback);
    }

    /// Returns the value of a key. The barrier makes the keys of all ranks visible.
    std::string get(const std::string& key, Deadline deadline, const WaitCallback& wait_callback) {
        begin(deadline, wait_callback);
        const auto known = values_.find(key);
        if (known != values_.end()) return known->second;
        request("cmd=barrier_in", deadline, wait_callback);
        std::string value = find_field(
            request("cmd=get kvsname=" + space_ + " key=" + key, deadline, wait_callback), "value");
        std::replace(value.begin(), value.end(), '|', '\n');
        return values_[key] = value;
    }

  private:
    void begin(Deadline deadline, const WaitCallback& wait_callback) {
        if (!space_.empty()) return;
        request("cmd=init pmi_version=1 pmi_subversion=1", deadline, wait_callback);
        space_ = find_field(request("cmd=get_my_kvsname", deadline, wait_callback), "kvsname");
        if (space_.empty()) throw TransportError("the launcher's PMI has no key-value space");
    }

    /// Sends a line and returns the answer.
    std::string request(const std::string& line,
                        Deadline deadline,
                        const WaitCallback& wait_callback) {
        const std::string out = line + "\n";
        if (::send(socket_, out.data(), out.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(out.size()))
            throw TransportError(std::string("the launcher's PMI cannot be reached: ") +
                                 std::strerror(errno));
        while (received_.find('\n') == std::string::npos) {
            if (!wait_for_socket(socket_, false, deadline, wait_callback))
                throw TimeoutError(
                    "the launcher's PMI does not answer; another rank may be missing");
            char buffer[2048];
            const auto count = ::recv(socket_, buffer, sizeof(buffer), 0);
            if (count <= 0) throw TransportError("the launcher's PMI has closed its connection");
            received_.append(buffer, static_cast<std::size_t>(count));
        }
        const auto end = received_.find('\n');
        const std::string answer = received_.substr(0, end);
        received_.erase(0, end + 1);
        const std::string status = find_field(answer, "rc");
        if (!status.empty() && status != "0")
            throw TransportError("the launcher's PMI refuses '" + line.substr(0, line.find(' ')) +
                                 "': " + make_printable(answer, 200));
        return answer;
    }

    const int socket_;
    std::string received_;
    std::string space_;  // empty before the first call
    std::map<std::string, std::string> values_;
};

}  // namespace

LauncherStore make_pmi_store(int socket, milliseconds timeout, const WaitCallback& wait_callback) {
    static PmiSession session(socket);
    LauncherStore store;
    store.set = [timeout, wait_callback](const std::string& key, const std::string& value) {
        session.put(key, value, Clock::now() + timeout, wait_callback);
    };
    store.get = [timeout, wait_callback](const std::string& key) {
        return session.get(key, Clock::now() + timeout, wait_callback);
    };
    return store;
}

}  // namespace helioray::detail
