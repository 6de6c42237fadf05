// SPDX-License-Identifier: MIT
// Adapters for stores of c10d: the launcher's store, and the store of the run for LibTorch's
// groups.
#include "distributed/tensors/transport_backend.h"

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstdlib>
#include <utility>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

std::vector<std::uint8_t> to_bytes(const std::string& text) {
    return {text.begin(), text.end()};
}
std::string to_text(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

/// Turns off c10d's log, which prints stack traces of network errors in addition to throwing them.
/// TORCH_CPP_LOG_LEVEL has precedence.
void silence_log() {
    [[maybe_unused]] static const bool done = [] {
        if (!std::getenv("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = c10::GLOG_FATAL;
        return true;
    }();
}

/// The store of the run as a store of c10d, through which Gloo groups connect.
class C10dStore final : public c10d::Store {
  public:
    explicit C10dStore(detail::Store store)
        : c10d::Store(store.client().options().timeout), store_(std::move(store)) {}

    using c10d::Store::compareSet;
    using c10d::Store::set;

    c10::intrusive_ptr<c10d::Store> clone() override {
        return c10::make_intrusive<C10dStore>(store_);
    }
    void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
        store_.set(key, to_text(value));
    }
    std::vector<std::uint8_t> compareSet(const std::string& key,
                                         const std::vector<std::uint8_t>& expected,
                                         const std::vector<std::uint8_t>& desired) override {
        return to_bytes(
            store_.client().compare_set(store_.name(key), to_text(expected), to_text(desired)));
    }
    std::vector<std::uint8_t> get(const std::string& key) override {
        wait({key}, timeout_);
        return to_bytes(store_.get(key).value_or(std::string()));
    }
    std::int64_t add(const std::string& key, std::int64_t amount) override {
        return store_.add(key, amount);
    }
    bool deleteKey(const std::string& key) override { return store_.erase(key); }
    bool check(const std::vector<std::string>& keys) override {
        for (const auto& value : store_.client().get(names(keys)))
            if (!value) return false;
        return true;
    }
    std::int64_t getNumKeys() override { return store_.client().count(); }
    void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
    void wait(const std::vector<std::string>& keys, const milliseconds& timeout) override {
        store_.client().wait(names(keys), timeout);
    }

  private:
    std::vector<std::string> names(const std::vector<std::string>& keys) const {
        std::vector<std::string> names;
        for (const std::string& key : keys) names.push_back(store_.name(key));
        return names;
    }

    detail::Store store_;
};

/// Runs a call of c10d on another thread, because it may block without a callback. Throws
/// TimeoutError after `timeout`.
template <typename Call>
auto call_with_timeout(milliseconds timeout, const WaitCallback& wait_callback, Call call) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    auto result = call_within(
        deadline, wait_callback, [call = std::move(call)] { return translate_errors(call); });
    if (!result) throw TimeoutError("the launcher's store does not answer");
    return *std::move(result);
}

}  // namespace

c10::intrusive_ptr<c10d::Store> make_c10d_store(const Store& store) {
    silence_log();
    return c10::make_intrusive<C10dStore>(store);
}

LauncherStore make_launcher_store(const std::string& host,
                                  int port,
                                  milliseconds timeout,
                                  const WaitCallback& wait_callback) {
    const auto connect = [host, port, timeout] {
        silence_log();
        c10d::TCPStoreOptions options;
        options.port = static_cast<std::uint16_t>(port);
        options.isServer = false;
        options.waitWorkers = false;
        options.timeout = timeout;
        return c10::make_intrusive<c10d::TCPStore>(host, options);
    };
    // Check the address first: connect_to() reports unknown names and closed ports, c10d does not.
    const auto reach = [host, port, timeout, wait_callback] {
        connect_to(host, port, std::chrono::steady_clock::now() + timeout, wait_callback);
    };
    LauncherStore store;
    store.set = [=](const std::string& key, const std::string& value) {
        reach();
        call_with_timeout(timeout, wait_callback, [=] {
            connect()->set(key, to_bytes(value));
            return true;
        });
    };
    store.get = [=](const std::string& key) {
        reach();
        return call_with_timeout(
            timeout, wait_callback, [=] { return to_text(connect()->get(key)); });
    };
    return store;
}

}  // namespace helioray::detail
