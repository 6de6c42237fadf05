// SPDX-License-Identifier: MIT
// Calls, messages and groups that use a backend of c10d.
#pragma once

#include "distributed/tensors/transport.h"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>
#include <c10/util/intrusive_ptr.h>
#include <signal.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace helioray::detail {

/// Runs `call` and converts its exceptions to TransportError without a stack trace.
template <typename Call>
auto translate_errors(Call&& call) {
    try {
        return call();
    } catch (const TransportError&) {
        throw;
    } catch (const c10::Error& error) {
        std::string text = error.what_without_backtrace();
        while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.pop_back();
        throw TransportError(text);
    } catch (const std::exception& error) {
        throw TransportError(error.what());
    }
}

/// Returns a store of c10d that uses the store of the run.
c10::intrusive_ptr<c10d::Store> make_c10d_store(const Store& store);

/// A message of Gloo. Gloo cannot report if a message is complete, and a wait that times out breaks
/// the group, so a separate thread waits.
class WorkMessage : public Message {
  public:
    WorkMessage(c10::intrusive_ptr<c10d::Work> work, at::Tensor tensor)
        : work_(std::move(work)), tensor_(std::move(tensor)), waiter_([this] {
              try {
                  work_->wait();
              } catch (...) {
                  error_ = std::current_exception();
              }
              over_.store(true, std::memory_order_release);
          }) {}

    ~WorkMessage() override {
        try {
            if (!over_) work_->abort();
        } catch (...) {
            // The wait then ends with the group's time-out.
        }
        waiter_.join();
    }

    WorkMessage(const WorkMessage&) = delete;
    WorkMessage& operator=(const WorkMessage&) = delete;

    bool is_complete() override { return over_.load(std::memory_order_acquire); }

    void check() override {
        translate_errors([&] {
            if (error_) std::rethrow_exception(error_);
        });
    }

  private:
    c10::intrusive_ptr<c10d::Work> work_;
    at::Tensor tensor_;
    std::exception_ptr error_;
    std::atomic<bool> over_{false};
    std::thread waiter_;  // last member, because it uses the others
};

/// Blocks SIGPIPE in this thread while it writes to another rank. If the connection is closed, the
/// call then fails with an error instead of ending the process.
class SigpipeGuard {
  public:
    SigpipeGuard() {
        ::sigemptyset(&signal_);
        ::sigaddset(&signal_, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~SigpipeGuard() {
        if (::sigismember(&before_, SIGPIPE) != 0) return;
        const timespec at_once{};
        ::sigtimedwait(&signal_, nullptr, &at_once);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SigpipeGuard(const SigpipeGuard&) = delete;
    SigpipeGuard& operator=(const SigpipeGuard&) = delete;

  private:
    sigset_t signal_, before_;
};

template <typename Start>
std::unique_ptr<Message> start_message(Start&& start, const at::Tensor& tensor) {
    const SigpipeGuard guard;  // Gloo writes to its sockets on the calling thread
    c10::intrusive_ptr<c10d::Work> work = translate_errors(start);
    return std::make_unique<WorkMessage>(std::move(work), tensor);
}

inline c10d::ReduceOp to_c10d_operation(Reduction reduction) {
    switch (reduction) {
        case Reduction::minimum:
            return c10d::ReduceOp::MIN;
        case Reduction::maximum:
            return c10d::ReduceOp::MAX;
        case Reduction::sum:
            return c10d::ReduceOp::SUM;
        case Reduction::mean:
            break;
    }
    throw TransportError("the backend does not compute means; divide a sum by the number of ranks");
}

/// A group that uses a backend of c10d. Starts each operation and then polls, so that every wait
/// can be cancelled.
class BackendGroup : public Group {
  public:
    explicit BackendGroup(c10::intrusive_ptr<c10d::Backend> backend)
        : backend_(std::move(backend)) {}

    ~BackendGroup() override {
        if (!backend_ || !aborted_) return;
        // Gloo's destructor joins threads that may still wait for a failed rank, so wait for it two
        // seconds at most.
        std::promise<void> ended;
        auto future = ended.get_future();
        std::thread([backend = std::move(backend_), ended = std::move(ended)]() mutable {
            backend.reset();
            ended.set_value();
        }).detach();
        future.wait_for(std::chrono::seconds(2));
    }

    void all_reduce(at::Tensor& tensor, Reduction reduction, const WaitCallback& wait) override {
        std::vector<at::Tensor> tensors{tensor};
        c10d::AllreduceOptions options;
        options.reduceOp = to_c10d_operation(reduction);
        finish([&] { return backend_->allreduce(tensors, options); }, wait);
    }

    void reduce(at::Tensor& tensor,
                int root,
                Reduction reduction,
                const WaitCallback& wait) override {
        std::vector<at::Tensor> tensors{tensor};
        c10d::ReduceOptions options;
        options.reduceOp = to_c10d_operation(reduction);
        options.rootRank = root;
        finish([&] { return backend_->reduce(tensors, options); }, wait);
    }

    void broadcast(at::Tensor& tensor, int root, const WaitCallback& wait) override {
        std::vector<at::Tensor> tensors{tensor};
        c10d::BroadcastOptions options;
        options.rootRank = root;
        finish([&] { return backend_->broadcast(tensors, options); }, wait);
    }

    void all_gather(at::Tensor& all, const at::Tensor& mine, const WaitCallback& wait) override {
        at::Tensor input = mine;
        finish([&] { return backend_->_allgather_base(all, input); }, wait);
    }

    void all_to_all(at::Tensor& receive,
                    const at::Tensor& send,
                    std::vector<std::int64_t> receive_sizes,
                    std::vector<std::int64_t> send_sizes,
                    const WaitCallback& wait) override {
        at::Tensor input = send;
        finish([&] { return backend_->alltoall_base(receive, input, receive_sizes, send_sizes); },
               wait);
    }

    std::unique_ptr<Message> send(const at::Tensor& tensor, int to, int tag) override {
        std::vector<at::Tensor> tensors{tensor};
        return start_message([&] { return backend_->send(tensors, to, tag); }, tensor);
    }

    std::unique_ptr<Message> receive(at::Tensor& tensor, int from, int tag) override {
        std::vector<at::Tensor> tensors{tensor};
        return start_message([&] { return backend_->recv(tensors, from, tag); }, tensor);
    }

    void shutdown() override {
        translate_errors([&] {
            if (backend_) backend_->shutdown();
            backend_.reset();
        });
    }

    void abort() override {
        aborted_ = true;
        translate_errors([&] {
            if (backend_) backend_->abort();
        });
    }

  private:
    template <typename Start>
    void finish(Start&& start, const WaitCallback& wait_callback) {
        const c10::intrusive_ptr<c10d::Work> work = translate_errors(start);
        poll_until([&] { return translate_errors([&] { return work->isCompleted(); }); },
                   wait_callback);
        // Throw the error of the operation, if any.
        translate_errors([&] { work->wait(); });
    }

    c10::intrusive_ptr<c10d::Backend> backend_;
    bool aborted_ = false;
};

inline std::vector<std::uint64_t> as_unsigned(const std::vector<int>& ranks) {
    return {ranks.begin(), ranks.end()};
}

}  // namespace helioray::detail
