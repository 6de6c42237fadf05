// SPDX-License-Identifier: MIT
// The card that each rank shows the others when they meet, and the fields that must agree.
#pragma once

#include "kernels/processor_cores.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

/// One rank's card. Every field is compared, shown or decides where the rank stands.
struct RankInfo {
    std::string version;            ///< program version and commit
    std::string configuration;      ///< hash of the caller's settings; equal where they are
    std::string backend;            ///< requested: auto, nccl or gloo
    std::string device;             ///< "cpu" or "cuda"
    std::string problem;            ///< why this rank cannot take part; empty: it can
    std::vector<std::string> gpus;  ///< identities, over machines, of the CUDA devices it sees
    std::optional<int> requested_gpu;  ///< among these; nothing: by local rank
    std::string host;               ///< host name
    std::string boot;               ///< equal on one machine, until it is started anew
    std::string network;            ///< equal where 127.0.0.1 is the same machine
    std::string address;            ///< numeric, of its end of the connection to the store
    std::string server;             ///< likewise of the store's end
    int pid = 0;
    kernels::ProcessorCores cores;  ///< that it may use
};

/// Host, network and core fields of this process; the others stay as they are.
void fill_in_process(RankInfo& info);

/// Text for the store, and back. parse_rank_info throws std::invalid_argument for text of another
/// version of this code.
std::string to_text(const RankInfo& info);
RankInfo parse_rank_info(const std::string& text);

/// "rank 1 on host x (pid 42)".
std::string describe_rank(int rank, const RankInfo& info);

/// That the ranks run different versions of the program, the same sentence on every rank; empty
/// where they do not. `hellos` by rank.
std::string find_version_difference(const std::vector<RankInfo>& infos);

/// The first other difference that keeps the ranks from working together, without their
/// configurations: backend, kind of device, a GPU that NCCL would have to share.
std::string find_setting_difference(const std::vector<RankInfo>& infos);

/// True when all ranks reach each other over 127.0.0.1.
bool are_on_one_machine(const std::vector<RankInfo>& infos);

/// "'a' on ranks 0 and 2, 'b' on rank 1"; empty where all values are the same. `values` by rank.
std::string describe_differences(const std::map<int, std::string>& values);

/// "3 s", "1.5 s".
std::string format_seconds(std::chrono::milliseconds time);

/// "0", "0 and 2", "0, 1 and 5 more".
std::string list_ranks(const std::vector<int>& ranks);

}  // namespace helioray::detail
