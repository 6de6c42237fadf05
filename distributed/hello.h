// SPDX-License-Identifier: MIT
// The card that each rank shows the others when they meet, and the fields that must agree.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace helioray::detail {

/// One rank's card. Every field is compared or shown.
struct Hello {
    int world_size = 0;
    std::string version;             ///< program version and commit
    std::string configuration_hash;  ///< as given by the caller
    std::string backend;             ///< requested: auto, nccl or gloo
    std::string device;              ///< "cpu" or "cuda"
    std::string gpu;        ///< identity of the CUDA device over machines; empty on the CPU
    std::string host;       ///< host name, for messages
    std::string network;    ///< equal where 127.0.0.1 is the same machine
    std::string processes;  ///< equal where process ids mean the same processes
    std::string address;    ///< numeric, of its end of the connection to the store
    std::string server;     ///< likewise of the store's end
    int pid = 0;
};

/// Host, process and network fields of this process; the others stay as they are.
void fill_in_process(Hello& hello);

/// Text for the store, and back. parse_hello throws std::invalid_argument for text of another
/// version of this code.
std::string to_text(const Hello& hello);
Hello parse_hello(const std::string& text);

/// "rank 1 on host x (pid 42)".
std::string name_of(int rank, const Hello& hello);

/// First disagreement between the ranks, the same sentence on every rank; empty where all agree.
/// `hellos` by rank.
std::string disagreement(const std::vector<Hello>& hellos);

/// Ranks that share a GPU, "ranks 0 and 1 on host x"; empty where each has its own.
std::string shared_gpu(const std::vector<Hello>& hellos);

/// True when all ranks reach each other over 127.0.0.1.
bool on_one_machine(const std::vector<Hello>& hellos);

/// "3 s", "1.5 s".
std::string seconds_text(std::chrono::milliseconds time);

/// "0", "0 and 2", "0, 1 and 5 more".
std::string list_ranks(const std::vector<int>& ranks);

}  // namespace helioray::detail
