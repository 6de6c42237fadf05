// SPDX-License-Identifier: MIT
// Serves the store on rank 0, publishes its address, and connects the ranks to it.
#include "distributed/store/open_store.h"

#include "distributed/launch/random_text.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

/// Address and secret of the store, which rank 0 publishes in a file or the launcher's store.
struct StoreEndpoint {
    std::vector<std::string> hosts;  // clients try them in this order
    int port = 0;
    std::string secret;
};

constexpr const char* kEndpointFormat = "helioray-store-1";
constexpr std::size_t kMaxEndpointBytes = 16'384;

std::string to_text(const StoreEndpoint& endpoint) {
    std::ostringstream text;
    text << kEndpointFormat << '\n' << endpoint.port << '\n' << endpoint.secret << '\n';
    for (const std::string& host : endpoint.hosts) text << host << '\n';
    return text.str();
}

/// Parses the output of to_text(). Returns nothing if the text is incomplete or has another format.
std::optional<StoreEndpoint> parse_endpoint(const std::string& text) {
    std::istringstream lines(text);
    std::string format, port, host;
    StoreEndpoint endpoint;
    if (!std::getline(lines, format) || format != kEndpointFormat || !std::getline(lines, port) ||
        !std::getline(lines, endpoint.secret))
        return std::nullopt;
    std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
    while (std::getline(lines, host)) endpoint.hosts.push_back(host);
    if (endpoint.port < 1 || endpoint.hosts.empty()) return std::nullopt;
    return endpoint;
}

/// Returns the numeric addresses of the active interfaces of this machine, those of IPv4 first and
/// loopback last. Addresses that are valid on one link only are left out.
std::vector<std::string> find_own_addresses() {
    std::vector<std::string> addresses, of_ipv6;
    ifaddrs* found = nullptr;
    if (::getifaddrs(&found) == 0) {
        const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(found, &::freeifaddrs);
        for (const ifaddrs* entry = found; entry; entry = entry->ifa_next) {
            if (!entry->ifa_addr || (entry->ifa_flags & IFF_UP) == 0 ||
                (entry->ifa_flags & IFF_LOOPBACK) != 0)
                continue;
            if (entry->ifa_addr->sa_family == AF_INET) {
                addresses.push_back(format_address(entry->ifa_addr, sizeof(sockaddr_in)));
            } else if (entry->ifa_addr->sa_family == AF_INET6) {
                const auto& address = reinterpret_cast<const sockaddr_in6&>(*entry->ifa_addr);
                if (!IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr))
                    of_ipv6.push_back(format_address(entry->ifa_addr, sizeof(sockaddr_in6)));
            }
        }
    }
    addresses.insert(addresses.end(), of_ipv6.begin(), of_ipv6.end());
    addresses.emplace_back("127.0.0.1");
    return addresses;
}

bool is_on_one_machine(const LaunchInfo& launch) {
    return launch.local_world_size == launch.world_size &&
           (launch.launcher == Launcher::local || launch.launcher == Launcher::torchrun);
}

/// Returns the host at which rank 0 listens if clients use `address`; empty for all interfaces. A
/// name may resolve to 127.0.1.1 on its own machine, as Debian sets it up, but to another address
/// elsewhere. Rank 0 then listens on all interfaces.
std::string choose_listen_host(const std::string& address) {
    if (address.empty()) return {};
    if (address == "::1") return address;
    if (is_loopback(address)) return "127.0.0.1";
    const std::string numeric = resolve_address(address);
    return is_loopback(numeric) ? std::string() : numeric;
}

std::string make_generation_file(const LaunchInfo& launch, int generation) {
    return launch.store_file + "." + std::to_string(generation);
}

/// Writes the file so that only this user can read it. The rename makes it appear complete.
void write_endpoint(const std::string& file, const std::string& text) {
    const std::string temporary = file + ".part";
    ::unlink(temporary.c_str());
    const Descriptor part(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (part.get() < 0 ||
        ::write(part.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::rename(temporary.c_str(), file.c_str()) != 0)
        throw TransportError(file + " cannot be written: " + std::strerror(errno));
}

/// Reads the file; returns nothing if it does not exist yet. Throws TransportError if another user
/// may have written it, because this rank would trust the store of that user.
std::optional<StoreEndpoint> read_endpoint(const std::string& file) {
    const Descriptor endpoint(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (endpoint.get() < 0) return std::nullopt;
    struct stat status {};
    ::fstat(endpoint.get(), &status);
    if (status.st_uid != ::geteuid())
        throw TransportError(file + " belongs to another user; choose another file");
    if ((status.st_mode & (S_IWGRP | S_IWOTH | S_IRGRP | S_IROTH)) != 0)
        throw TransportError(file + " can be read or written by other users; remove it");
    std::string text(kMaxEndpointBytes, '\0');
    const auto size = ::read(endpoint.get(), text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return parse_endpoint(text);
}

/// Returns true if a store answers at this endpoint, so that the file is in use.
bool is_served(const StoreEndpoint& endpoint) {
    const auto soon = Clock::now() + milliseconds(500);
    for (const std::string& host : endpoint.hosts) {
        try {
            const Descriptor socket = connect_to(host, endpoint.port, soon, {});
            if (wait_for_socket(socket.get(), false, soon, {})) return true;
        } catch (const TransportError&) {
            // The store does not run any more; try the next host.
        }
    }
    return false;
}

/// Implementation of open_store().
class StoreOpener {
  public:
    StoreOpener(const LaunchInfo& launch,
                const OpenStoreOptions& options,
                const LauncherStore& launcher,
                const WaitCallback& wait_callback)
        : launch_(launch),
          options_(options),
          launcher_(launcher),
          wait_callback_(wait_callback),
          deadline_(Clock::now() + options.timeout) {
        client_options_.run = launch.run_id + "/" + std::to_string(launch.restart_count);
        client_options_.secret = launch.secret;
        client_options_.generation = options.generation;
        client_options_.ranks = launch.world_size;
        client_options_.rank = launch.rank;
        client_options_.name = options.name;
        client_options_.timeout = options.timeout;
    }

    OpenedStore open() {
        OpenedStore opened;
        const bool known = launch_.store_file.empty() && !uses_launcher_store();
        if (launch_.rank == 0) {
            const std::string file = make_generation_file(launch_, options_.generation);
            if (!launch_.store_file.empty()) {
                const auto earlier = read_endpoint(file);
                if (earlier && is_served(*earlier))
                    throw TransportError(
                        "another rank 0 uses this file; give every run a separate file");
            }
            opened.server = serve(known);
            if (!launch_.store_file.empty())
                opened.file = std::shared_ptr<const void>(
                    this, [file](const void*) { ::unlink(file.c_str()); });
            StoreEndpoint own{
                {opened.server->address().empty() ? "127.0.0.1" : opened.server->address()},
                opened.server->port(),
                client_options_.secret};
            opened.client = connect(own, options_.timeout);
        } else if (known) {
            opened.client = connect({{launch_.master_addr}, launch_.master_port, launch_.secret},
                                    options_.timeout);
        } else {
            opened.client = find_and_connect();
        }
        return opened;
    }

  private:
    std::unique_ptr<StoreServer> serve(bool known) {
        StoreServerOptions server;
        server.host = is_on_one_machine(launch_) ? "127.0.0.1"
                      : known                    ? choose_listen_host(launch_.master_addr)
                                                 : std::string();
        server.port = known ? launch_.master_port : 0;
        // Only ranks of this run can read the file or the launcher's store, so a random secret can
        // be published there.
        if (!known && client_options_.secret.empty()) client_options_.secret = make_random_text();
        server.run = client_options_.run;
        server.secret = client_options_.secret;
        server.generation = options_.generation;
        server.ranks = launch_.world_size;
        server.heartbeat_timeout = options_.heartbeat_timeout;
        server.work = options_.work;
        auto opened = std::make_unique<StoreServer>(server);
        if (known) return opened;
        const std::string text =
            to_text({opened->address().empty() ? find_own_addresses()
                                               : std::vector<std::string>{opened->address()},
                     opened->port(),
                     keeps_secret() ? std::string() : client_options_.secret});
        if (uses_launcher_store())
            launcher_.set(make_launcher_key(), text);
        else
            write_endpoint(make_generation_file(launch_, options_.generation), text);
        return opened;
    }

    /// Returns true if every rank knows the secret from its environment. The file of local ranks
    /// does not contain it, because it stays behind if the launcher is killed.
    bool keeps_secret() const {
        return launch_.launcher == Launcher::local && !launch_.secret.empty();
    }

    bool uses_launcher_store() const {
        return launch_.launcher_owns_store || launch_.pmi_socket >= 0;
    }

    std::string make_launcher_key() const {
        return "helioray/" + client_options_.run + "/" + std::to_string(options_.generation);
    }

    /// Connects to the first host that answers; tries each of them for `timeout`.
    std::shared_ptr<StoreClient> connect(const StoreEndpoint& endpoint, milliseconds timeout) {
        std::string reasons;
        for (const std::string& host : endpoint.hosts) {
            client_options_.host = host;
            client_options_.port = endpoint.port;
            client_options_.secret = keeps_secret() ? launch_.secret : endpoint.secret;
            // A store that serves many ranks on a busy machine may take longer for a call. If a
            // rank then closed its connection to connect again, the store would take it for lost.
            try {
                return std::make_shared<StoreClient>(client_options_, wait_callback_, timeout);
            } catch (const Refused&) {
                throw;
            } catch (const TransportError& error) {
                reasons += (reasons.empty() ? "" : "; ") +
                           (endpoint.hosts.size() > 1 ? host + ": " : std::string()) + error.what();
            }
        }
        throw TransportError(reasons);
    }

    /// Connects to the endpoint that rank 0 has published. Reads the endpoint again if nothing
    /// answers there, because the file may be left from an earlier run.
    std::shared_ptr<StoreClient> find_and_connect() {
        const std::string file = make_generation_file(launch_, options_.generation);
        std::string reason = "rank 0 has not published its address";
        while (true) {
            const auto endpoint = uses_launcher_store()
                                      ? parse_endpoint(launcher_.get(make_launcher_key()))
                                      : read_endpoint(file);
            if (endpoint) {
                try {
                    return connect(*endpoint, kTimeoutPerHost);
                } catch (const TransportError& error) {
                    reason = error.what();
                }
            } else if (!uses_launcher_store() && !fs::is_directory(fs::path(file).parent_path())) {
                throw TransportError(file +
                                     " cannot be read: its folder does not exist; create it");
            }
            if (wait_callback_) wait_callback_();
            if (Clock::now() >= deadline_) throw TransportError(reason);
            std::this_thread::sleep_for(kPause);
        }
    }

    static constexpr auto kPause = milliseconds(20);
    static constexpr auto kTimeoutPerHost = milliseconds(1000);

    const LaunchInfo& launch_;
    const OpenStoreOptions& options_;
    const LauncherStore& launcher_;
    const WaitCallback& wait_callback_;
    const Deadline deadline_;
    StoreClientOptions client_options_;
};

}  // namespace

OpenedStore open_store(const LaunchInfo& launch,
                       const OpenStoreOptions& options,
                       const LauncherStore& launcher,
                       const WaitCallback& wait_callback) {
    return StoreOpener(launch, options, launcher, wait_callback).open();
}

}  // namespace helioray::detail
