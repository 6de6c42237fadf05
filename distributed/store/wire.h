// SPDX-License-Identifier: MIT
// What goes over a connection between a rank and the store: frames, and proofs that both know the
// secret of the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace helioray::detail {

/// Failure of a store or of a connection between ranks; the message has no stack trace.
class TransportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Nothing came within the time-out of a call.
class TimeoutError : public TransportError {
  public:
    using TransportError::TransportError;
};

/// First bytes that a store sends on every connection; anything else is not one.
inline constexpr std::string_view kStoreGreeting = "HRSTORE1";

/// Random bytes, used once, that a proof is about.
using Nonce = std::array<unsigned char, 32>;
Nonce make_nonce();

/// Bytes of a proof (HMAC-SHA256).
inline constexpr std::size_t kHmacBytes = 32;
/// What only someone who knows the secret can say about `text`.
std::string compute_hmac(const std::string& secret, const std::string& text);
/// Compares in constant time.
bool hmacs_equal(const std::string& one, const std::string& other);

/// What a rank asks of the store.
enum class StoreCall : std::uint8_t {
    authenticate,        ///< the first frame of a connection
    set,          ///< key, value
    get,          ///< count, keys: values of those that exist
    wait,         ///< count, keys: answered when all exist
    compare_set,  ///< key, expected, desired: the value that is there afterwards
    add,          ///< key, amount: the sum
    erase,        ///< key: whether it existed
    count,        ///< number of keys
    rendezvous,         ///< meeting, ranks, rank, text: answered when all ranks have come
    missing_ranks,      ///< meeting, ranks: the ranks that have not come
    heartbeat,         ///< a sign of life; the answer carries the first failure known
    fail,         ///< the cause of this rank's failure
    close,        ///< this rank ends in good order
};

/// How the store answers.
enum class StoreAnswer : std::uint8_t {
    done,
    failed,   ///< the run has failed: the first cause
    refused,  ///< this call is not served: the reason
    later,    ///< admission: the environment before this one has not ended yet
};

/// Limits of what one connection may send, so that a stranger cannot exhaust the server.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxBytesBeforeAuthentication = 4096;

/// Appends numbers and texts to a frame.
class FrameWriter {
  public:
    FrameWriter& u8(std::uint8_t value);
    FrameWriter& u32(std::uint32_t value);
    FrameWriter& u64(std::uint64_t value);
    FrameWriter& text(std::string_view value);
    /// Bytes without a length before them.
    FrameWriter& bytes(std::string_view value);
    const std::string& body() const { return body_; }
    /// The frame with its length before it.
    std::string frame() const;

  private:
    std::string body_;
};

/// Reads them in the same order. Throws TransportError where the frame ends too early.
class FrameReader {
  public:
    explicit FrameReader(std::string_view body) : rest_(body) {}
    std::uint8_t u8();
    std::uint32_t u32();
    std::uint64_t u64();
    std::string text();
    std::string_view rest() const { return rest_; }

  private:
    std::string_view take(std::size_t count);
    std::string_view rest_;
};

/// Takes the first whole frame out of received bytes; false where there is none yet. Throws
/// TransportError for one that is longer than `most`.
bool take_frame(std::string& received, std::string& body, std::size_t most);

/// Text from elsewhere as it may be printed: control characters become '?', and it is cut off after
/// `most` bytes.
std::string make_printable(const std::string& text, std::size_t most = 400);

}  // namespace helioray::detail
