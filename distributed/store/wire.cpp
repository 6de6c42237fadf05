// SPDX-License-Identifier: MIT
// Frames and HMACs.
#include "distributed/store/wire.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace helioray::detail {

Nonce make_nonce() {
    Nonce nonce{};
    if (RAND_bytes(nonce.data(), static_cast<int>(nonce.size())) != 1)
        throw TransportError("this machine has no source of random numbers");
    return nonce;
}

std::string compute_hmac(const std::string& secret, const std::string& text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    // An empty key is allowed; the HMAC is then only a hash of the text.
    HMAC(EVP_sha256(),
         secret.data(),
         static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()),
         text.size(),
         digest.data(),
         &length);
    return {reinterpret_cast<const char*>(digest.data()), length};
}

bool hmacs_equal(const std::string& first, const std::string& second) {
    return first.size() == second.size() &&
           CRYPTO_memcmp(first.data(), second.data(), first.size()) == 0;
}

FrameWriter& FrameWriter::u8(std::uint8_t value) {
    body_ += static_cast<char>(value);
    return *this;
}

FrameWriter& FrameWriter::u32(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) body_ += static_cast<char>(value >> shift);
    return *this;
}

FrameWriter& FrameWriter::u64(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) body_ += static_cast<char>(value >> shift);
    return *this;
}

FrameWriter& FrameWriter::text(std::string_view value) {
    return u32(static_cast<std::uint32_t>(value.size())).bytes(value);
}

FrameWriter& FrameWriter::bytes(std::string_view value) {
    body_ += value;
    return *this;
}

std::string FrameWriter::frame() const {
    FrameWriter length;
    length.u32(static_cast<std::uint32_t>(body_.size()));
    return length.body_ + body_;
}

std::string_view FrameReader::take(std::size_t count) {
    if (rest_.size() < count) throw TransportError("a message ends too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
}

std::uint8_t FrameReader::u8() {
    return static_cast<std::uint8_t>(take(1)[0]);
}

std::uint32_t FrameReader::u32() {
    std::uint32_t value = 0;
    const std::string_view bytes = take(4);
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::uint64_t FrameReader::u64() {
    const std::uint64_t low = u32();
    return std::uint64_t{u32()} << 32 | low;
}

std::string FrameReader::text() {
    const std::uint32_t size = u32();
    return std::string(take(size));
}

bool take_frame(std::string& received, std::string& body, std::size_t max_bytes) {
    if (received.size() < 4) return false;
    const std::size_t size = FrameReader(received).u32();
    if (size > max_bytes) throw TransportError("a message is longer than allowed");
    if (received.size() < 4 + size) return false;
    body.assign(received, 4, size);
    received.erase(0, 4 + size);
    return true;
}

}  // namespace helioray::detail
