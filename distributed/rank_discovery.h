// SPDX-License-Identifier: MIT
// How the ranks of a run get to know each other: every rank shows its card, rank 0 hands all cards
// to everybody, or says why the run cannot begin.
#pragma once

#include "distributed/rank_info.h"
#include "distributed/store/client.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace helioray::detail {

/// What introduce() needs to know besides the card.
struct DiscoveryOptions {
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds timeout{0};
    std::string store;  ///< "10.0.0.1:29500" or "in file x", for messages
    std::string resource;  ///< what each run needs for itself: "port" or "file"
    /// The settings behind RankInfo::configuration, by key. They are exchanged only where the hashes
    /// differ, to name the keys.
    std::map<std::string, std::string> configuration;
};

/// Hash of settings for RankInfo::configuration; empty without settings.
std::string hash_configuration(const std::map<std::string, std::string>& configuration);

/// The cards of all ranks, by rank. Collective. Throws, on every rank with the same text,
/// DistributedError where ranks are missing or cannot work together and RanksNotReady where a card
/// has a problem; TransportError where the store fails.
std::vector<RankInfo> discover_ranks(const Store& store,
                             const RankInfo& mine,
                             const DiscoveryOptions& options);

}  // namespace helioray::detail
