// SPDX-License-Identifier: MIT
// Serving and finding the store of a run.
#include "distributed/store/open_store.h"

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

/// What rank 0 publishes: where its store is, and what proves that one may use it.
struct StorePlace {
    std::vector<std::string> hosts;  // tried in turn
    int port = 0;
    std::string secret;
};

constexpr const char* kPlaceFormat = "helioray-store-1";
constexpr std::size_t kMostPlaceBytes = 16'384;

std::string to_text(const StorePlace& place) {
    std::ostringstream text;
    text << kPlaceFormat << '\n' << place.port << '\n' << place.secret << '\n';
    for (const std::string& host : place.hosts) text << host << '\n';
    return text.str();
}

/// Nothing for text that does not describe a place, or only a part of one.
std::optional<StorePlace> parse_place(const std::string& text) {
    std::istringstream lines(text);
    std::string format, port, host;
    StorePlace place;
    if (!std::getline(lines, format) || format != kPlaceFormat || !std::getline(lines, port) ||
        !std::getline(lines, place.secret))
        return std::nullopt;
    std::from_chars(port.data(), port.data() + port.size(), place.port);
    while (std::getline(lines, host)) place.hosts.push_back(host);
    if (place.port < 1 || place.hosts.empty()) return std::nullopt;
    return place;
}

std::string random_secret() {
    const Nonce bytes = make_nonce();
    std::string text;
    for (const unsigned char byte : bytes)
        for (const int nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
    return text;
}

/// Numeric addresses of this machine's interfaces that are up, loopback last.
std::vector<std::string> own_addresses() {
    std::vector<std::string> addresses;
    ifaddrs* found = nullptr;
    if (::getifaddrs(&found) == 0) {
        const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(found, &::freeifaddrs);
        for (const ifaddrs* entry = found; entry; entry = entry->ifa_next) {
            if (!entry->ifa_addr || (entry->ifa_flags & IFF_UP) == 0 ||
                (entry->ifa_flags & IFF_LOOPBACK) != 0 || entry->ifa_addr->sa_family != AF_INET)
                continue;
            const std::string text = numeric_address(entry->ifa_addr, sizeof(sockaddr_in));
            if (!text.empty()) addresses.push_back(text);
        }
    }
    addresses.emplace_back("127.0.0.1");
    return addresses;
}

bool on_one_machine(const LaunchInfo& launch) {
    return launch.local_world_size == launch.world_size &&
           (launch.launcher == Launcher::local || launch.launcher == Launcher::torchrun);
}

/// Where rank 0 listens for ranks that come to an address. A name that means 127.0.1.1 on its own
/// machine, as Debian sets it up, means another address elsewhere: then all interfaces.
std::string host_to_listen_on(const std::string& address) {
    if (address.empty()) return {};
    if (is_loopback(address)) return "127.0.0.1";
    const std::string numeric = numeric_address_of(address);
    return is_loopback(numeric) ? std::string() : numeric;
}

std::string generation_file(const LaunchInfo& launch, int generation) {
    return launch.store_file + "." + std::to_string(generation);
}

/// Readable by this user alone, and complete or absent.
void write_place(const std::string& file, const std::string& text) {
    const std::string temporary = file + ".part";
    ::unlink(temporary.c_str());
    const Descriptor part(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (part.get() < 0 ||
        ::write(part.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::rename(temporary.c_str(), file.c_str()) != 0)
        throw TransportError(file + ": " + std::strerror(errno));
}

/// Nothing where there is no file yet. Throws TransportError for one that another user may have
/// written: a stranger's store could do what it likes with this rank.
std::optional<StorePlace> read_place(const std::string& file) {
    const Descriptor place(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (place.get() < 0) return std::nullopt;
    struct stat status {};
    ::fstat(place.get(), &status);
    if (status.st_uid != ::geteuid())
        throw TransportError(file + " belongs to another user; choose another file");
    if ((status.st_mode & (S_IWGRP | S_IWOTH | S_IRGRP | S_IROTH)) != 0)
        throw TransportError(file + " can be read or written by others; remove it");
    std::string text(kMostPlaceBytes, '\0');
    const auto size = ::read(place.get(), text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return parse_place(text);
}

/// Whether a store answers there: then the file is in use.
bool is_served(const StorePlace& place) {
    const auto soon = Clock::now() + milliseconds(500);
    for (const std::string& host : place.hosts) {
        try {
            const Descriptor socket = connect_to(host, place.port, soon, {});
            if (wait_for_socket(socket.get(), false, soon, {})) return true;
        } catch (const TransportError&) {
            // An earlier run left the file.
        }
    }
    return false;
}

class Opening {
  public:
    Opening(const LaunchInfo& launch,
            const OpenStoreOptions& options,
            const LauncherStore& launcher,
            const Look& look)
        : launch_(launch),
          options_(options),
          launcher_(launcher),
          look_(look),
          deadline_(Clock::now() + options.timeout) {
        way_.run = launch.run_id + "/" + std::to_string(launch.restart_count);
        way_.secret = launch.secret;
        way_.generation = options.generation;
        way_.ranks = launch.world_size;
        way_.rank = launch.rank;
        way_.name = options.name;
        way_.timeout = options.timeout;
    }

    OpenedStore open() {
        OpenedStore opened;
        const bool known = launch_.store_file.empty() && !asks_launcher();
        if (launch_.rank == 0) {
            const std::string file = generation_file(launch_, options_.generation);
            if (!launch_.store_file.empty()) {
                const auto earlier = read_place(file);
                if (earlier && is_served(*earlier))
                    throw TransportError("another rank 0 uses this file now");
            }
            opened.server = serve(known);
            if (!launch_.store_file.empty())
                opened.file = std::shared_ptr<const void>(
                    this, [file](const void*) { ::unlink(file.c_str()); });
            StorePlace own{
                {opened.server->address().empty() ? "127.0.0.1" : opened.server->address()},
                opened.server->port(),
                way_.secret};
            opened.client = connect(own, options_.timeout);
        } else if (known) {
            opened.client = connect({{launch_.master_addr}, launch_.master_port, launch_.secret},
                                    options_.timeout);
        } else {
            opened.client = find();
        }
        return opened;
    }

  private:
    std::unique_ptr<StoreServer> serve(bool known) {
        StoreServerOptions server;
        server.host = on_one_machine(launch_) ? "127.0.0.1"
                      : known                 ? host_to_listen_on(launch_.master_addr)
                                              : std::string();
        server.port = known ? launch_.master_port : 0;
        // All who can read the file or the launcher's store belong to this run.
        if (!known && way_.secret.empty()) way_.secret = random_secret();
        server.run = way_.run;
        server.secret = way_.secret;
        server.generation = options_.generation;
        server.ranks = launch_.world_size;
        server.silence_limit = options_.silence_limit;
        auto opened = std::make_unique<StoreServer>(server);
        if (known) return opened;
        const std::string text =
            to_text({opened->address().empty() ? own_addresses()
                                               : std::vector<std::string>{opened->address()},
                     opened->port(),
                     way_.secret});
        if (asks_launcher())
            launcher_.set(launcher_key(), text);
        else
            write_place(generation_file(launch_, options_.generation), text);
        return opened;
    }

    bool asks_launcher() const { return launch_.launcher_owns_store || launch_.pmi_socket >= 0; }

    std::string launcher_key() const {
        return "helioray/" + way_.run + "/" + std::to_string(options_.generation);
    }

    /// Tries each host for `patience`.
    std::shared_ptr<StoreClient> connect(const StorePlace& place, milliseconds patience) {
        std::string reasons;
        for (const std::string& host : place.hosts) {
            way_.host = host;
            way_.port = place.port;
            way_.secret = place.secret;
            way_.timeout = patience;
            try {
                auto client = std::make_shared<StoreClient>(way_, look_);
                client->set_timeout(options_.timeout);
                return client;
            } catch (const Refused&) {
                throw;
            } catch (const TransportError& error) {
                reasons += (reasons.empty() ? "" : "; ") +
                           (place.hosts.size() > 1 ? host + ": " : std::string()) + error.what();
            }
        }
        throw TransportError(reasons);
    }

    /// Through what rank 0 has published; a file that an earlier run left leads nowhere, so it is
    /// read again.
    std::shared_ptr<StoreClient> find() {
        const std::string file = generation_file(launch_, options_.generation);
        std::string reason = "rank 0 has not published its address";
        while (true) {
            const auto place =
                asks_launcher() ? parse_place(launcher_.get(launcher_key())) : read_place(file);
            if (place) {
                try {
                    return connect(*place, kMostPerHost);
                } catch (const TransportError& error) {
                    reason = error.what();
                }
            } else if (!asks_launcher() && !fs::is_directory(fs::path(file).parent_path())) {
                throw TransportError(file + ": there is no such folder");
            }
            if (look_) look_();
            if (Clock::now() >= deadline_) throw TransportError(reason);
            std::this_thread::sleep_for(kPause);
        }
    }

    static constexpr auto kPause = milliseconds(20);
    static constexpr auto kMostPerHost = milliseconds(1000);

    const LaunchInfo& launch_;
    const OpenStoreOptions& options_;
    const LauncherStore& launcher_;
    const Look& look_;
    const Deadline deadline_;
    StoreClientOptions way_;
};

}  // namespace

OpenedStore open_store(const LaunchInfo& launch,
                       const OpenStoreOptions& options,
                       const LauncherStore& launcher,
                       const Look& look) {
    return Opening(launch, options, launcher, look).open();
}

}  // namespace helioray::detail
