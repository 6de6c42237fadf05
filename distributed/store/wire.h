// SPDX-License-Identifier: MIT
// Wire format of the connections between ranks and the store: frames, and the HMACs of the
// handshake by which both sides prove that they know the secret of the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace helioray::detail {

/// Failure of a store or of a connection between ranks.
class TransportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A call received no answer within its time-out.
class TimeoutError : public TransportError {
  public:
    using TransportError::TransportError;
};

/// First bytes that a store sends on every connection, to distinguish it from other programs.
inline constexpr std::string_view kStoreGreeting = "HRSTORE1";

/// Random challenge of a handshake, used once.
using Nonce = std::array<unsigned char, 32>;
/// Returns a random nonce. Throws TransportError if there is no source of random numbers.
Nonce make_nonce();

/// Size of an HMAC-SHA256 in bytes.
inline constexpr std::size_t kHmacBytes = 32;
/// Returns the HMAC-SHA256 of `text` with the shared secret.
std::string compute_hmac(const std::string& secret, const std::string& text);
/// Compares two HMACs in constant time.
bool hmacs_equal(const std::string& first, const std::string& second);

/// Calls of a rank to the store, with their arguments and answers. The numbers are part of the wire
/// format.
enum class StoreCall : std::uint8_t {
    authenticate,   ///< first call of a connection; answer: the HMAC of the store
    set,            ///< key, value
    get,            ///< count, keys; answer: the values of the keys that exist
    wait,           ///< count, keys; answered when all keys exist
    compare_set,    ///< key, expected, desired; answer: the value after the call
    add,            ///< key, amount; answer: the sum
    erase,          ///< key; answer: "1" if it existed, else "0"
    count,          ///< answer: the number of keys
    rendezvous,     ///< name, ranks, rank, text; answered when all ranks have joined
    missing_ranks,  ///< name, ranks; answer: the ranks that have not joined
    /// Work of this rank (empty: none is watched), a number that changes with its progress, and the
    /// time without progress in ms after which the rank hangs; answer: the first known failure.
    heartbeat,
    fail,   ///< the cause of this rank's failure
    close,  ///< this rank closes its connection without a failure
    work,   ///< a request to the WorkService; answer: its answer
};

/// Status of an answer of the store. The numbers are part of the wire format.
enum class StoreAnswer : std::uint8_t {
    done,     ///< the call succeeded; the body depends on the call
    failed,   ///< the run has failed; the body is the first cause
    refused,  ///< the store refuses the call; the body is the reason
    later,    ///< authentication: the previous environment is still open, try again
};

/// Limits of the size of a frame, so that unauthenticated clients cannot exhaust the server's
/// memory.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxBytesBeforeAuthentication = 4096;

/// Encodes numbers and texts as a frame.
class FrameWriter {
  public:
    /// Appends an unsigned integer, little-endian.
    FrameWriter& u8(std::uint8_t value);
    FrameWriter& u32(std::uint32_t value);
    FrameWriter& u64(std::uint64_t value);
    /// Appends a text with its length before it.
    FrameWriter& text(std::string_view value);
    /// Appends bytes without their length.
    FrameWriter& bytes(std::string_view value);
    /// Returns the encoded values.
    const std::string& body() const { return body_; }
    /// Returns the encoded values with their length before them.
    std::string frame() const;

  private:
    std::string body_;
};

/// Decodes a frame in the order in which it was encoded. Throws TransportError if the frame ends
/// too early.
class FrameReader {
  public:
    explicit FrameReader(std::string_view body) : rest_(body) {}
    std::uint8_t u8();
    std::uint32_t u32();
    std::uint64_t u64();
    std::string text();
    /// Returns the bytes that have not been decoded.
    std::string_view rest() const { return rest_; }

  private:
    std::string_view take(std::size_t count);
    std::string_view rest_;
};

/// Moves the first complete frame from the received bytes to `body`; returns false if there is none
/// yet. Throws TransportError if the frame is longer than `max_bytes`.
bool take_frame(std::string& received, std::string& body, std::size_t max_bytes);

}  // namespace helioray::detail
