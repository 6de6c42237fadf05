// SPDX-License-Identifier: MIT
// A point-to-point work of c10d that can be asked whether it is over.
#pragma once

#include "distributed/transport_calls.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

namespace helioray::detail {

/// Gloo's messages can only be waited for, not asked, and a wait with a time-out breaks the group
/// when it ends: so a thread waits.
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
            // The wait ends with the group's time-out, then.
        }
        waiter_.join();
    }

    WorkMessage(const WorkMessage&) = delete;
    WorkMessage& operator=(const WorkMessage&) = delete;

    bool is_over() override { return over_.load(std::memory_order_acquire); }

    void check() override {
        translated([&] {
            if (error_) std::rethrow_exception(error_);
        });
    }

  private:
    c10::intrusive_ptr<c10d::Work> work_;
    at::Tensor tensor_;
    std::exception_ptr error_;
    std::atomic<bool> over_{false};
    std::thread waiter_;  // last: it uses the others
};

template <typename Start>
std::unique_ptr<Message> message_of(Start&& start, const at::Tensor& tensor) {
    c10::intrusive_ptr<c10d::Work> work = translated(start);
    return std::make_unique<WorkMessage>(std::move(work), tensor);
}

}  // namespace helioray::detail
