// SPDX-License-Identifier: MIT
// Tutorial 02: processes connect, exchange messages, compute sums, and form groups.
#include "distributed/launch/launcher.h"
#include "distributed/ranks/environment.h"
#include "distributed/ranks/groups.h"
#include "distributed/ranks/work_queue.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/point_to_point.h"
#include "kernels/host/partition.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cstdio>
#include <exception>
#include <vector>

using namespace helioray;

namespace {

// 2. A message round the ring: every rank sends to the next rank and receives from the previous.
void pass_round(const ProcessGroup& world) {
    if (world.size() == 1) return;
    const int next = (world.rank() + 1) % world.size();
    const int before = (world.rank() + world.size() - 1) % world.size();
    const at::Tensor mine = at::full({3}, 10 * world.rank(), at::kLong);
    // All ranks send at the same time: a blocking send would wait for a receiver that sends itself.
    Transfer sending = send_async(world, mine, next);
    const at::Tensor received = receive(world, before);
    sending.wait();
    std::printf("rank %d received %ld from rank %d\n",
                world.rank(),
                static_cast<long>(received[0].item<std::int64_t>()),
                before);
}

// 3. Every rank adds up its own part of 1..1000; all get the total.
void add_up(const ProcessGroup& world) {
    const auto [begin, end] = partition_range(1000, world.rank(), world.size());
    at::Tensor sum = at::arange(begin + 1, end + 1, at::kLong).sum();
    all_reduce(world, sum);
    if (world.rank() == 0)
        std::printf("sum of 1..1000: %ld\n", static_cast<long>(sum.item<std::int64_t>()));
}

// 3. Rank 0 deals out the rows of a table, rank r gets r + 1 of them, and collects their sums.
void deal_rows(const ProcessGroup& world) {
    std::vector<at::Tensor> parts;
    if (world.rank() == 0)
        for (int rank = 0; rank < world.size(); ++rank)
            parts.push_back(at::full({rank + 1, 2}, rank, at::kLong));
    const at::Tensor mine = scatter(world, parts);
    const std::vector<at::Tensor> sums = gather(world, mine.sum().view({1}));
    for (std::size_t rank = 0; rank < sums.size(); ++rank)
        std::printf("the rows of rank %zu add up to %ld\n",
                    rank,
                    static_cast<long>(sums[rank].item<std::int64_t>()));
}

// 4. Pairs of ranks, and groups of the ranks with the same place in their pair.
void form_groups(DistributedEnvironment& environment) {
    if (environment.world_size() % 2 != 0) return;
    Groups groups(environment);
    groups.add_contiguous("pair", 2);
    groups.add_orthogonal("across", "pair");
    at::Tensor ranks = at::full({1}, environment.rank(), at::kLong);
    all_reduce(groups.group("pair"), ranks);
    std::printf("rank %d: place %d of its pair, whose ranks add up to %ld\n",
                environment.rank(),
                groups.rank("pair"),
                static_cast<long>(ranks.item<std::int64_t>()));
    if (environment.is_root()) std::printf("%s", groups.describe().c_str());
}

// 5. Ranks draw work from a queue: a free rank takes the next chunk.
void draw_work(DistributedEnvironment& environment) {
    WorkQueue queue(environment, "squares", std::vector<double>(100, 1.0));
    at::Tensor squares = at::zeros({1}, at::kLong);
    while (const auto chunk = queue.next())
        for (std::int64_t i = chunk->first; i < chunk->second; ++i) squares += i * i;
    all_reduce(environment.world(), squares);
    if (environment.is_root())
        std::printf("sum of squares below 100: %ld\n",
                    static_cast<long>(squares.item<std::int64_t>()));
}

}  // namespace

int main() try {
    // 1. The launcher's variables identify this rank; the environment connects all ranks.
    DistributedOptions options;
    options.launch = detect_launcher(EnvironmentView::from_process());
    if (options.launch.rank == 0) std::printf("%s", describe(options.launch).c_str());
    DistributedEnvironment environment(options);

    pass_round(environment.world());
    add_up(environment.world());
    deal_rows(environment.world());
    form_groups(environment);
    draw_work(environment);

    // 6. An orderly end. If a rank failed before, the others would end and name it.
    environment.close();
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
