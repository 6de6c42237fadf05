// SPDX-License-Identifier: MIT
// Discovery at the start of a run: every rank publishes its RankInfo in the store, rank 0 checks
// them and publishes either all of them or the reason why the run cannot start.
#pragma once

#include "distributed/ranks/discovery/rank_info.h"
#include "distributed/store/client.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace helioray::detail {

/// Options of discover_ranks().
struct DiscoveryOptions {
    int rank = 0;                          ///< rank of this process
    int size = 1;                          ///< number of ranks
    std::chrono::milliseconds timeout{0};  ///< longest wait for the other ranks
    std::string store;     ///< location of the store for messages: "10.0.0.1:29500", "in file x"
    std::string resource;  ///< resource that runs must not share: "port" or "file"
    /// The settings that RankInfo::configuration is the hash of, by key. The ranks exchange them
    /// only if the hashes differ, so that the message can name the keys.
    std::map<std::string, std::string> configuration;
};

/// Returns the hash of the settings for RankInfo::configuration; empty without settings.
std::string hash_configuration(const std::map<std::string, std::string>& configuration);

/// Returns the descriptions of all ranks, indexed by rank. Collective. Throws, with the same text
/// on every rank, DistributedError if ranks are missing or cannot work together and RanksNotReady
/// if a rank has a problem. Throws TransportError if the store fails.
std::vector<RankInfo> discover_ranks(const Store& store,
                                     const RankInfo& mine,
                                     const DiscoveryOptions& options);

/// Announces, on rank 0, that it hands out work to every rank that joins. Throws TransportError.
void publish_work_root(const Store& store, const RankInfo& mine, const DiscoveryOptions& options);

/// Joins a run whose rank 0 hands out work, at any time; returns the description of rank 0. Throws
/// DistributedError if this rank has another version, device or configuration, or rank 0 hands out
/// no work, and RanksNotReady if rank 0 has a problem. Throws TransportError if the store fails.
RankInfo join_work_root(const Store& store, const RankInfo& mine, const DiscoveryOptions& options);

}  // namespace helioray::detail
