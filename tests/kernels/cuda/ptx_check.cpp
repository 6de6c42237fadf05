// SPDX-License-Identifier: MIT
// Runs kernels that ptx_to_cpp.py translated from PTX, and compares their integer sums with those
// of the CPU's kernels. One line for each scene, exit code 1 when one fails.
//
//   ptx_check TRACE_FLUX.so TRACE_FLUX_BACKWARD.so
#include "tests/kernels/cuda/ptx_machine.h"
#include "tests/kernels/derivatives.h"
#include "tests/kernels/feature_scenes.h"

#include <dlfcn.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

using namespace helioray::kernels;
using helioray::test::Derivatives;
using helioray::test::FeatureScene;
using helioray::test::Sums;

namespace {

constexpr unsigned kBlocks = 2;
// Parts of the images are outside of such a window.
constexpr int32_t kWindow = 700;

int num_failed = 0;

void report(bool passed, const std::string& name, const char* what) {
    std::printf("%s  %s: %s\n", passed ? "PASS" : "FAIL", name.c_str(), what);
    std::fflush(stdout);
    num_failed += passed ? 0 : 1;
}

constexpr unsigned kThreads = 256;  // kThreadsPerBlock of the kernels
constexpr unsigned kWarp = 32;

/// Runs the threads of a block in turn, each until its next barrier, so that a test costs no
/// switches between threads of the system.
class TurnTaking {
  public:
    void run(const std::function<void(unsigned)>& body) {
        body_ = &body;
        running_ = this;
        for (unsigned i = 0; i < kThreads; ++i) {
            Turn& turn = turns_[i];
            turn.state = State::ready;
            getcontext(&turn.context);
            turn.context.uc_stack.ss_sp = turn.stack.get();
            turn.context.uc_stack.ss_size = kStackBytes;
            turn.context.uc_link = &main_;
            makecontext(&turn.context, &TurnTaking::start, 0);
        }
        while (count(0, kThreads, State::done) < kThreads) {
            bool moved = false;
            for (unsigned first = 0; first < kThreads; first += kWarp) moved |= run_warp(first);
            moved |= release(0, kThreads, State::at_block_barrier);
            if (!moved) throw std::runtime_error("threads wait at different barriers");
        }
    }

    /// Functions for the thread that has its turn.
    static void block_barrier() { running_->wait(State::at_block_barrier); }
    static void warp_barrier() { running_->wait(State::at_warp_barrier); }
    static uint32_t sum(uint32_t value) {
        return running_->fold(
            value, [](uint32_t total, uint32_t added, unsigned) { return total + added; });
    }
    static uint32_t ballot(bool value) {
        return running_->fold(value ? 1 : 0, [](uint32_t bits, uint32_t bit, unsigned lane) {
            return bits | bit << lane;
        });
    }
    static uint32_t exchange(uint32_t value, uint32_t lane_change) {
        TurnTaking& block = *running_;
        block.slots_[block.current_] = value;
        warp_barrier();
        const uint32_t result = block.slots_[block.current_ ^ lane_change];
        warp_barrier();
        return result;
    }

  private:
    enum class State { ready, at_warp_barrier, at_block_barrier, done };
    static constexpr size_t kStackBytes = size_t{1} << 18;
    struct Turn {
        ucontext_t context;
        std::unique_ptr<char[]> stack{new char[kStackBytes]};
        State state = State::done;
    };

    static void start() {
        (*running_->body_)(running_->current_);
        running_->turns_[running_->current_].state = State::done;
    }

    void wait(State barrier) {
        Turn& turn = turns_[current_];
        turn.state = barrier;
        swapcontext(&turn.context, &main_);
    }

    /// Runs the lanes of a warp until none can go on.
    bool run_warp(unsigned first) {
        bool moved = false;
        do {
            for (unsigned i = first; i < first + kWarp; ++i) {
                if (turns_[i].state != State::ready) continue;
                current_ = i;
                swapcontext(&main_, &turns_[i].context);
                moved = true;
            }
        } while (release(first, kWarp, State::at_warp_barrier));
        return moved;
    }

    unsigned count(unsigned first, unsigned number, State state) const {
        unsigned found = 0;
        for (unsigned i = first; i < first + number; ++i) found += turns_[i].state == state ? 1 : 0;
        return found;
    }

    /// Lets threads go on if all that are not done wait at the barrier.
    bool release(unsigned first, unsigned number, State barrier) {
        const unsigned waiting = count(first, number, barrier);
        if (waiting == 0 || waiting + count(first, number, State::done) < number) return false;
        for (unsigned i = first; i < first + number; ++i)
            if (turns_[i].state == barrier) turns_[i].state = State::ready;
        return true;
    }

    template <typename Fold>
    uint32_t fold(uint32_t value, Fold add) {
        slots_[current_] = value;
        warp_barrier();
        uint32_t result = 0;
        const unsigned first = current_ / kWarp * kWarp;
        for (unsigned lane = 0; lane < kWarp; ++lane)
            result = add(result, slots_[first + lane], lane);
        warp_barrier();
        return result;
    }

    static inline TurnTaking* running_ = nullptr;
    const std::function<void(unsigned)>* body_ = nullptr;
    ucontext_t main_{};
    Turn turns_[kThreads];
    unsigned current_ = 0;
    uint32_t slots_[kThreads] = {};
};

constexpr BlockCalls kCalls = {TurnTaking::block_barrier,
                               TurnTaking::warp_barrier,
                               TurnTaking::sum,
                               TurnTaking::ballot,
                               TurnTaking::exchange};

/// Parameters in the order and with the alignment of the kernels.
struct TraceParameters {
    FieldView field;
    const WorkUnit* units;
    int64_t num_units;
    SumsView sums;
    int64_t* spilled;
    int32_t capacity;
};
struct BackwardParameters {
    FieldView field;
    const WorkUnit* units;
    int64_t num_units;
    const float* flux_gradient;
    GradientScale scale;
    GradientSums sums;
};

/// A translated file with the kernels for fields with and without occluders.
class TranslatedKernel {
  public:
    TranslatedKernel(const char* path, const std::string& kernel) {
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw std::runtime_error(dlerror());
        for (const bool occlusion : {false, true}) {
            const std::string name = kernel + (occlusion ? "_WarpOcclusion" : "_NothingInTheWay");
            entries_[occlusion ? 1 : 0] = reinterpret_cast<Entry>(dlsym(library, name.c_str()));
            if (entries_[occlusion ? 1 : 0] == nullptr)
                throw std::runtime_error(name + " is missing");
        }
    }

    template <typename Parameters>
    void run(bool occlusion, const Parameters& parameters, size_t dynamic_bytes) const {
        // More than the static variables of any kernel.
        constexpr size_t kStaticBytes = 48 * 1024;
        std::vector<uint64_t> shared((kStaticBytes + dynamic_bytes) / sizeof(uint64_t) + 1);
        const auto block_threads = std::make_unique<TurnTaking>();
        for (unsigned block = 0; block < kBlocks; ++block) {
            std::fill(shared.begin(), shared.end(), 0xDEADBEEFDEADBEEFu);
            block_threads->run([&](unsigned index) {
                const Thread thread{index,
                                    kThreads,
                                    block,
                                    kBlocks,
                                    reinterpret_cast<uint8_t*>(shared.data()),
                                    shared.size() * sizeof(uint64_t),
                                    dynamic_bytes,
                                    sizeof(Parameters),
                                    &kCalls};
                entries_[occlusion ? 1 : 0](thread, reinterpret_cast<const uint8_t*>(&parameters));
            });
        }
    }

  private:
    using Entry = void (*)(const Thread&, const uint8_t*);
    Entry entries_[2] = {};
};

Sums trace(const TranslatedKernel& kernel, const FeatureScene& f) {
    Sums sums = f.scene.zero_sums(f.per_heliostat);
    const auto pixels = static_cast<size_t>(f.scene.width) * static_cast<size_t>(f.scene.height);
    std::vector<int64_t> spilled(2 * kBlocks * pixels);
    kernel.run(f.occlusion,
               TraceParameters{f.view(),
                               f.scene.units.data(),
                               std::ssize(f.scene.units),
                               sums.view(),
                               spilled.data(),
                               kWindow},
               2 * kWindow * sizeof(uint32_t));
    if (spilled != std::vector<int64_t>(spilled.size()))
        throw std::runtime_error(f.name + ": pixels outside the window are left");
    return sums;
}

/// Compares sums of all features, with 10,000 rays in each scene without occluders. The bilinear
/// filter makes the last bits of a hit visible: it divides a ray's quanta by the exact place.
void check_forward(const TranslatedKernel& kernel) {
    for (FeatureScene& f : helioray::test::feature_scenes::all(1, 2500, 200)) {
        for (const FilterKind filter : {FilterKind::box, FilterKind::bilinear}) {
            f.scene.filter = filter;
            const Sums wanted = f.trace_on_cpu();
            report(wanted.energy[kDeliveredSum] > 0 && trace(kernel, f) == wanted,
                   f.name + (filter == FilterKind::box ? ", box filter" : ", bilinear filter"),
                   "the CPU's sums");
        }
    }
}

/// True if all sums are equal, but those of the rotation differ by at most one for each of the
/// bundles: the CUDA kernel rounds their two terms one by one.
bool same_derivatives(const Derivatives& a, const Derivatives& b, int64_t num_bundles) {
    for (size_t i = 0; i < a.heliostats.size(); ++i) {
        const auto k = static_cast<int>(i % kNumHeliostatGradients);
        const bool rotation = k >= kRotationGradient && k < kTranslationGradient;
        if (std::abs(a.heliostats[i] - b.heliostats[i]) > (rotation ? num_bundles : 0))
            return false;
    }
    return a.floats == b.floats;
}

/// Compares derivatives of all features with one bundle of 32 rays in each block of rays, because
/// the CPU's kernel rounds sums to integers once in a block and the CUDA kernel once in a bundle.
void check_backward(const TranslatedKernel& kernel) {
    constexpr int64_t kPairs = 40;
    for (const FeatureScene& f : helioray::test::feature_scenes::all(kPairs, 32, 32)) {
        const std::vector<float> gradient = helioray::test::wavy_gradient(f);
        const Derivatives wanted = helioray::test::derivatives_on_cpu(f, gradient);
        Derivatives found(f);
        kernel.run(f.occlusion,
                   BackwardParameters{f.view(),
                                      f.scene.units.data(),
                                      std::ssize(f.scene.units),
                                      gradient.data(),
                                      found.scale,
                                      found.sums()},
                   0);
        report(wanted.heliostats[kTranslationGradient] != 0 &&
                   same_derivatives(found, wanted, 2 * kPairs),
               f.name,
               "the CPU's derivatives");
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: ptx_check TRACE_FLUX.so TRACE_FLUX_BACKWARD.so\n");
        return 2;
    }
    try {
        check_forward(TranslatedKernel(argv[1], "trace_units"));
        check_backward(TranslatedKernel(argv[2], "backward_units"));
    } catch (const std::exception& error) {
        report(false, "PTX", error.what());
    }
    std::printf("%d failed\n", num_failed);
    return num_failed == 0 ? 0 : 1;
}
