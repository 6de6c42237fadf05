// SPDX-License-Identifier: MIT
// Discovery through the store: exchange of rank info, comparison of configurations, verdict.
//
// Keys of the store: hello/R holds the info of rank R; roster holds the verdict of rank 0, the
// ranks that publish their configuration, and the info of all ranks; configuration/R holds the
// settings of rank R; verdict holds the result of comparing them; read/R confirms that rank R knows
// a failure.
#include "distributed/ranks/discovery/rank_discovery.h"

#include "distributed/launch/message_text.h"
#include "distributed/ranks/environment.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;
using Settings = std::map<std::string, std::string>;

constexpr const char* kRosterKey = "roster";
constexpr const char* kVerdictKey = "verdict";
// Rank 0 may wait for the whole time-out before it publishes the roster, so the other ranks wait
// longer than it by at most this time.
constexpr auto kMaxRosterDelay = milliseconds(5000);
constexpr std::size_t kMaxConfigurations = 8;
constexpr std::size_t kMaxKeys = 4;

std::string make_rank_key(const std::string& prefix, int rank) {
    return prefix + "/" + std::to_string(rank);
}

std::string to_text(const Settings& settings) {
    FrameWriter text;
    for (const auto& [key, value] : settings) text.text(key).text(value);
    return text.body();
}

Settings parse_settings(const std::string& text) {
    FrameReader frame(text);
    Settings settings;
    while (!frame.rest().empty()) {
        const std::string key = frame.text();
        settings[key] = frame.text();
    }
    return settings;
}

/// Returns "key is 'a' on rank 0, 'b' on rank 1; ..." for the keys that differ, at most kMaxKeys.
std::string name_differing_keys(const std::map<int, Settings>& settings) {
    std::set<std::string> names;
    for (const auto& [rank, values] : settings)
        for (const auto& [key, value] : values) names.insert(key);
    std::string text;
    std::size_t count = 0;
    for (const std::string& key : names) {
        std::map<int, std::string> by_rank;
        for (const auto& [rank, values] : settings) {
            const auto found = values.find(key);
            by_rank[rank] = found == values.end() ? std::string() : found->second;
        }
        const std::string difference = describe_differences(by_rank);
        if (difference.empty() || ++count > kMaxKeys) continue;
        text += (text.empty() ? "" : "; ") + make_printable(key) + " is " +
                make_printable(difference, 1000);
    }
    if (count > kMaxKeys) text += "; " + std::to_string(count - kMaxKeys) + " more keys differ";
    return text;
}

/// Returns the error message for different configurations; `keys` from name_differing_keys().
std::string describe_different_configurations(const std::string& keys) {
    return "the ranks do not have the same configuration" + (keys.empty() ? keys : ": " + keys) +
           "; start every rank with the same files and options";
}

bool has_problem(const std::vector<RankInfo>& infos) {
    return std::any_of(
        infos.begin(), infos.end(), [](const RankInfo& info) { return !info.problem.empty(); });
}

/// Returns the lowest rank of each different configuration; empty if there is only one.
std::vector<int> find_ranks_to_ask(const std::vector<RankInfo>& infos) {
    std::set<std::string> seen;
    std::vector<int> asked;
    for (std::size_t rank = 0; rank < infos.size(); ++rank)
        if (seen.insert(infos[rank].configuration).second) asked.push_back(static_cast<int>(rank));
    if (asked.size() < 2) return {};
    asked.resize(std::min(asked.size(), kMaxConfigurations));
    return asked;
}

class RankDiscovery {
  public:
    RankDiscovery(const Store& store, const DiscoveryOptions& options)
        : store_(store), options_(options) {}

    std::vector<RankInfo> run(const RankInfo& mine) {
        const std::string text = detail::to_text(mine);
        if (store_.client().compare_set(
                store_.name(make_rank_key("hello", options_.rank)), "", text) != text)
            throw DistributedError("two processes are rank " + std::to_string(options_.rank) +
                                   " of the same run at " + options_.store +
                                   "; give every process its own rank, and every run its own " +
                                   options_.resource);
        infos_.resize(options_.size);
        const std::string verdict = options_.rank == 0 ? coordinate() : await_roster();
        if (!verdict.empty() || has_problem(infos_)) depart();
        if (!verdict.empty()) throw DistributedError(verdict);
        if (!has_problem(infos_)) return infos_;
        std::vector<std::string> problems;
        for (const RankInfo& info : infos_) problems.push_back(info.problem);
        throw RanksNotReady(std::move(problems));
    }

  private:
    /// Tells the store that this rank ends, but is not lost: the others get the verdict, too.
    void depart() {
        try {
            store_.client().close(std::min(options_.timeout / 4, milliseconds(1000)));
        } catch (const TransportError&) {
            // The store has closed already.
        }
    }

    /// Runs on rank 0: collects the info of all ranks and publishes the verdict, which it returns.
    std::string coordinate() {
        const std::vector<std::string> keys = make_all_keys("hello");
        std::string verdict;
        try {
            store_.client().wait(keys, options_.timeout);
        } catch (const TimeoutError&) {
            verdict = describe_missing_ranks();
        }
        const auto texts = store_.client().get(keys);
        try {
            for (int rank = 0; rank < options_.size && verdict.empty(); ++rank)
                infos_[rank] = parse_rank_info(texts[rank].value_or(""));
        } catch (const std::invalid_argument& error) {
            verdict = error.what();
        }
        const bool ready = verdict.empty() && !has_problem(infos_);
        if (ready) verdict = find_version_difference(infos_);
        const std::vector<int> asked =
            ready && verdict.empty() ? find_ranks_to_ask(infos_) : std::vector<int>();
        if (ready && verdict.empty() && asked.empty()) verdict = find_setting_difference(infos_);

        FrameWriter roster;
        roster.text(verdict).u32(static_cast<std::uint32_t>(asked.size()));
        for (const int rank : asked) roster.u32(static_cast<std::uint32_t>(rank));
        if (verdict.empty())
            for (const auto& text : texts) roster.text(*text);
        store_.client().set(store_.name(kRosterKey), roster.body());
        if (!asked.empty()) {
            verdict = compare_configurations(asked);
            store_.client().set(store_.name(kVerdictKey), verdict);
        }
        // The store closes with this rank, so wait until the others have read the reason.
        if (!ready || !verdict.empty()) wait_for_readers();
        return verdict;
    }

    /// Runs on the other ranks: returns the verdict of rank 0, an empty text on success.
    std::string await_roster() {
        const auto timeout = options_.timeout + std::min(kMaxRosterDelay, options_.timeout / 4);
        try {
            store_.client().wait({store_.name(kRosterKey)}, timeout);
        } catch (const TimeoutError&) {
            return describe_missing_ranks();
        }
        const std::string text = store_.get(kRosterKey).value_or("");
        FrameReader roster(text);
        std::string verdict = roster.text();
        std::vector<int> asked(std::min<std::size_t>(roster.u32(), roster.rest().size() / 4));
        for (int& rank : asked) rank = static_cast<int>(roster.u32());
        if (verdict.empty())
            for (RankInfo& info : infos_) info = parse_rank_info(roster.text());
        if (!asked.empty()) {
            if (std::count(asked.begin(), asked.end(), options_.rank) != 0) publish_configuration();
            store_.client().wait({store_.name(kVerdictKey)}, timeout);
            verdict = store_.get(kVerdictKey).value_or("");
        }
        if (!verdict.empty() || has_problem(infos_))
            store_.client().set(store_.name(make_rank_key("read", options_.rank)), "1");
        return verdict;
    }

    void publish_configuration() {
        store_.client().set(store_.name(make_rank_key("configuration", options_.rank)),
                            to_text(options_.configuration));
    }

    /// Returns the error message that names the keys with different values.
    std::string compare_configurations(const std::vector<int>& asked) {
        publish_configuration();
        std::string found;
        try {
            found = find_differing_keys(asked);
        } catch (const TimeoutError&) {
            // A rank has ended meanwhile. The configurations differ in any case, so report that.
        }
        return describe_different_configurations(found);
    }

    std::string find_differing_keys(const std::vector<int>& asked) {
        std::vector<std::string> keys;
        for (const int rank : asked)
            keys.push_back(store_.name(make_rank_key("configuration", rank)));
        store_.client().wait(keys, options_.timeout);
        const auto texts = store_.client().get(keys);
        std::map<std::string, Settings> values;  // by hash
        for (std::size_t i = 0; i < asked.size(); ++i)
            values[infos_[asked[i]].configuration] = parse_settings(texts[i].value_or(""));
        std::map<int, Settings> by_rank;
        for (int rank = 0; rank < options_.size; ++rank)
            if (const auto known = values.find(infos_[rank].configuration); known != values.end())
                by_rank[rank] = known->second;
        return name_differing_keys(by_rank);
    }

    void wait_for_readers() {
        std::vector<std::string> keys = make_all_keys("read");
        keys.erase(keys.begin());
        try {
            store_.client().wait(keys, std::min(options_.timeout / 4, milliseconds(3000)));
        } catch (const TransportError&) {
            // Some ranks may have ended already; do not wait for them any longer.
        }
    }

    std::string describe_missing_ranks() {
        std::vector<int> missing;
        try {
            const auto texts = store_.client().get(make_all_keys("hello"), options_.timeout / 8);
            for (int rank = 0; rank < options_.size; ++rank)
                if (!texts[rank]) missing.push_back(rank);
        } catch (const TimeoutError&) {
            // The store does not answer either. Rank 0 serves it, so the message names rank 0.
        }
        if (missing.empty())
            return "rank 0 did not answer within " + format_seconds(options_.timeout);
        return (missing.size() > 1 ? "ranks " : "rank ") + list_ranks(missing) + " of " +
               std::to_string(options_.size) + " did not start within " +
               format_seconds(options_.timeout);
    }

    std::vector<std::string> make_all_keys(const std::string& prefix) const {
        std::vector<std::string> keys;
        for (int rank = 0; rank < options_.size; ++rank)
            keys.push_back(store_.name(make_rank_key(prefix, rank)));
        return keys;
    }

    const Store& store_;
    const DiscoveryOptions& options_;
    std::vector<RankInfo> infos_;
};

}  // namespace

std::string hash_configuration(const Settings& configuration) {
    if (configuration.empty()) return {};
    // Only a hash is needed here, so the key of the HMAC is a constant.
    return compute_hmac("configuration", to_text(configuration));
}

namespace {

/// Verdict in the roster of a rank 0 that hands out work: other ranks print it as an error.
constexpr const char* kHandsOutWork =
    "rank 0 hands out work (distributed.schedule: master_worker), and this rank does not take any; "
    "start every rank with the same files and options";

/// Returns the reason why a rank cannot work for rank 0, an empty text if it can.
std::string find_difference_from_root(const Store& store,
                                      const RankInfo& root,
                                      const RankInfo& mine,
                                      const DiscoveryOptions& options) {
    const auto differ = [&](std::string RankInfo::*field) {
        return describe_differences({{0, root.*field}, {options.rank, mine.*field}});
    };
    if (const std::string versions = differ(&RankInfo::version); !versions.empty())
        return describe_different_versions(versions);
    if (const std::string devices = differ(&RankInfo::device); !devices.empty())
        return describe_different_devices(devices);
    if (root.configuration == mine.configuration) return {};
    const std::string key = store.name(make_rank_key("configuration", 0));
    const auto text = store.client().get({key}).front();
    return describe_different_configurations(name_differing_keys(
        {{0, parse_settings(text.value_or(""))}, {options.rank, options.configuration}}));
}

}  // namespace

void publish_work_root(const Store& store, const RankInfo& mine, const DiscoveryOptions& options) {
    store.client().set(store.name(make_rank_key("configuration", 0)),
                       to_text(options.configuration));
    const FrameWriter roster = FrameWriter().text(kHandsOutWork).u32(0).text(detail::to_text(mine));
    store.client().set(store.name(kRosterKey), roster.body());
}

RankInfo join_work_root(const Store& store, const RankInfo& mine, const DiscoveryOptions& options) {
    // A rank 0 that hands out no work compares this info with its own, and its verdict follows.
    store.client().set(store.name(make_rank_key("hello", options.rank)), detail::to_text(mine));
    store.client().wait({store.name(kRosterKey)}, options.timeout);
    const std::string text = store.client().get({store.name(kRosterKey)}).front().value_or("");
    FrameReader roster(text);
    const std::string verdict = roster.text();
    if (verdict != kHandsOutWork) {
        RankDiscovery(store, options).run(mine);
        throw DistributedError(
            "rank 0 hands out no work; start every rank with the same files and "
            "options");
    }
    roster.u32();
    const RankInfo root = parse_rank_info(roster.text());
    const std::string difference = find_difference_from_root(store, root, mine, options);
    if (difference.empty()) return root;
    store.client().report_failure(describe_rank(options.rank, mine) + " cannot work: " + difference,
                                  options.timeout);
    throw DistributedError(difference);
}

std::vector<RankInfo> discover_ranks(const Store& store,
                                     const RankInfo& mine,
                                     const DiscoveryOptions& options) {
    return RankDiscovery(store, options).run(mine);
}

}  // namespace helioray::detail
