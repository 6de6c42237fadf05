// SPDX-License-Identifier: MIT
// The description that each rank publishes when a run starts, and the checks that the descriptions
// of all ranks agree.
#pragma once

#include "kernels/host/processor_cores.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

/// Description of one rank. Every field is either compared between the ranks, printed in messages
/// or used to place the rank on its host.
struct RankInfo {
    std::string version;              ///< program version and commit
    std::string configuration;        ///< hash of the caller's settings; must be equal on all ranks
    std::string backend;              ///< requested backend: auto, nccl or gloo
    std::string device;               ///< "cpu" or "cuda"
    std::string problem;              ///< why this rank cannot take part; empty if it can
    std::vector<std::string> gpus;    ///< globally unique identities of its visible CUDA devices
    std::vector<int> requested_gpus;  ///< indices into `gpus` that it may use; empty: all
    std::string host;                 ///< host name
    std::string boot;                 ///< boot id of the machine; changes when it restarts
    std::string network;              ///< network namespace; ranks in one reach 127.0.0.1
    std::string address;              ///< numeric local address of its connection to the store
    std::string server;               ///< numeric address of the store on this connection
    int pid = 0;                      ///< process id
    kernels::ProcessorCores cores;    ///< processor cores that the rank may use
};

/// Sets the host, network, process and core fields from this process; leaves the other fields
/// unchanged.
void fill_in_process(RankInfo& info);

/// Serialises the description for the store.
std::string to_text(const RankInfo& info);
/// Parses the output of to_text(). Throws std::invalid_argument for text that another version of
/// the program wrote.
RankInfo parse_rank_info(const std::string& text);

/// Returns the name of a rank for messages: "rank 1 on host x (pid 42)".
std::string describe_rank(int rank, const RankInfo& info);

/// Returns an error message if the ranks run different versions of the program, else an empty
/// text. The message is the same on every rank. `infos` is indexed by rank.
std::string find_version_difference(const std::vector<RankInfo>& infos);

/// Returns an error message for the first setting that keeps the ranks from working together, else
/// an empty text. Compares the backend, the kind of device, and the GPUs if NCCL is the backend.
std::string find_setting_difference(const std::vector<RankInfo>& infos);

/// @{
/// Return error messages; `differences` is the result of describe_differences().
std::string describe_different_versions(const std::string& differences);
std::string describe_different_devices(const std::string& differences);
/// @}

/// Returns true if all ranks reach each other over 127.0.0.1.
bool are_on_one_machine(const std::vector<RankInfo>& infos);

/// Returns "'a' on ranks 0 and 2, 'b' on rank 1"; empty if all values are equal. `values` is
/// indexed by rank.
std::string describe_differences(const std::map<int, std::string>& values);

}  // namespace helioray::detail
