// SPDX-License-Identifier: MIT
// Products of 64-bit words folded to half their length, as in Wang Yi's wyhash, in four chains.
#include "raytracer/operators/content_key.h"

#include <bit>

namespace helioray::operators {

namespace {

constexpr size_t kChains = 4;
/// wyhash's constants.
constexpr uint64_t kSecrets[kChains] = {
    0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3};
uint64_t folded(uint64_t a, uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t word(const double* values, size_t i) {
    return std::bit_cast<uint64_t>(values[i]);
}

}  // namespace

ContentKey content_key(const double* values, size_t count, uint64_t meaning) {
    uint64_t state[kChains] = {count, kSecrets[2] ^ meaning, kSecrets[1], kSecrets[0]};
    size_t i = 0;
    for (; i + 2 * kChains <= count; i += 2 * kChains) {
        fetch_ahead(values + i);
        for (size_t c = 0; c < kChains; ++c) {
            state[c] = folded(word(values, i + 2 * c) ^ kSecrets[c],
                              word(values, i + 2 * c + 1) ^ state[c]);
        }
    }
    for (; i < count; ++i)
        state[i % kChains] = folded(word(values, i) ^ kSecrets[i % kChains],
                                    state[i % kChains] ^ kSecrets[(i + 1) % kChains]);
    return {folded(state[0] ^ kSecrets[1], state[1]) ^ folded(state[2] ^ kSecrets[3], state[3]),
            folded(state[0] ^ kSecrets[0], state[2]) ^ folded(state[1] ^ kSecrets[2], state[3])};
}

}  // namespace helioray::operators
