// SPDX-License-Identifier: MIT
// The instructions of PTX that the kernels use, with their exact semantics, for C++ that
// ptx_to_cpp.py writes. Floating point needs no flush to zero and no contraction
// (-ffp-contract=off).
//
// Names follow the instructions: add.rn.f32 is add_rn_f32. Registers have no sign, as in PTX; an
// instruction's type decides.
#pragma once

#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

/// Common operations of the threads of a block.
struct BlockCalls {
    void (*block_barrier)();
    void (*warp_barrier)();
    uint32_t (*sum)(uint32_t value);                             ///< over a warp, in every lane
    uint32_t (*ballot)(bool value);                              ///< bit of each lane of a warp
    uint32_t (*exchange)(uint32_t value, uint32_t lane_change);  ///< value of lane ^ lane_change
};

/// One thread of a block.
struct Thread {
    uint32_t tid_x;
    uint32_t ntid_x;
    uint32_t ctaid_x;
    uint32_t nctaid_x;
    uint8_t* shared;        ///< shared memory of the block, static variables first
    uint64_t shared_bytes;  ///< size of the shared memory
    uint64_t dynamic_bytes;
    uint64_t parameter_bytes;
    const BlockCalls* calls;

    void block_barrier() const { calls->block_barrier(); }
    void warp_barrier() const { calls->warp_barrier(); }
    uint8_t* at_shared(uint64_t base, int64_t offset) const {
        const uint64_t at = base + static_cast<uint64_t>(offset);
        if (at >= shared_bytes) {
            std::fprintf(stderr, "address %llu is outside the shared memory\n", 0ull + at);
            std::abort();
        }
        return shared + at;
    }
    uint8_t* at_address(uint64_t base, int64_t offset) const {
        return reinterpret_cast<uint8_t*>(base + static_cast<uint64_t>(offset));
    }
    uint64_t from_shared(uint64_t offset) const {
        return reinterpret_cast<uint64_t>(shared) + offset;
    }
    uint64_t to_shared(uint64_t address) const {
        return address - reinterpret_cast<uint64_t>(shared);
    }
};

inline void check_parameters(const Thread& thread, uint64_t bytes) {
    if (thread.parameter_bytes == bytes) return;
    std::fprintf(stderr, "the kernel has %llu bytes of parameters\n", 0ull + bytes);
    std::abort();
}
inline void check_shared(const Thread& thread, uint64_t static_bytes) {
    if (static_bytes + thread.dynamic_bytes <= thread.shared_bytes) return;
    std::fprintf(stderr, "the kernel has %llu bytes of shared memory\n", 0ull + static_bytes);
    std::abort();
}

template <typename T>
uint64_t to_address(const T* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}
inline float bits_to_f32(uint32_t bits) {
    return std::bit_cast<float>(bits);
}
inline double bits_to_f64(uint64_t bits) {
    return std::bit_cast<double>(bits);
}

/// mov: copies bits between registers of one size, or sets an integer.
template <typename To, typename From>
void copy_bits(To& to, From from) {
    if constexpr (std::is_same_v<To, From>) {
        to = from;
    } else if constexpr (std::is_same_v<To, bool>) {
        to = from != 0;
    } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        to = static_cast<To>(from);
    } else {
        to = std::bit_cast<To>(from);
    }
}

/// Loads and stores of one element.
#define HELIORAY_MEMORY(name, Type)                                       \
    template <typename Register>                                          \
    void ld_##name(const uint8_t* memory, int index, Register& to) {      \
        Type value;                                                       \
        std::memcpy(&value, memory + index * sizeof(Type), sizeof(Type)); \
        to = static_cast<Register>(value);                                \
    }                                                                     \
    template <typename Register>                                          \
    void st_##name(uint8_t* memory, int index, Register from) {           \
        const Type value = static_cast<Type>(from);                       \
        std::memcpy(memory + index * sizeof(Type), &value, sizeof(Type)); \
    }
HELIORAY_MEMORY(f32, float)
HELIORAY_MEMORY(f64, double)
HELIORAY_MEMORY(s32, int32_t)
HELIORAY_MEMORY(u32, uint32_t)
HELIORAY_MEMORY(u64, uint64_t)
#undef HELIORAY_MEMORY

#define HELIORAY_BINARY(name, Type, expression) \
    inline Type name(Type a, Type b) {          \
        return static_cast<Type>(expression);   \
    }
HELIORAY_BINARY(add_rn_f32, float, a + b)
HELIORAY_BINARY(sub_rn_f32, float, a - b)
HELIORAY_BINARY(mul_rn_f32, float, a* b)
HELIORAY_BINARY(mul_rn_f64, double, a* b)
HELIORAY_BINARY(div_rn_f32, float, a / b)
HELIORAY_BINARY(add_s32, uint32_t, a + b)
HELIORAY_BINARY(sub_s32, uint32_t, a - b)
HELIORAY_BINARY(mul_lo_s32, uint32_t, a* b)
HELIORAY_BINARY(add_s64, uint64_t, a + b)
HELIORAY_BINARY(add_u64, uint64_t, a + b)
HELIORAY_BINARY(sub_s64, uint64_t, a - b)
HELIORAY_BINARY(mul_lo_s64, uint64_t, a* b)
HELIORAY_BINARY(div_u32, uint32_t, a / b)
HELIORAY_BINARY(and_pred, bool, a&& b)
HELIORAY_BINARY(or_pred, bool, a || b)
HELIORAY_BINARY(and_b16, uint16_t, a& b)
HELIORAY_BINARY(or_b16, uint16_t, a | b)
HELIORAY_BINARY(and_b32, uint32_t, a& b)
HELIORAY_BINARY(or_b32, uint32_t, a | b)
HELIORAY_BINARY(xor_b32, uint32_t, a ^ b)
HELIORAY_BINARY(and_b64, uint64_t, a& b)
HELIORAY_BINARY(or_b64, uint64_t, a | b)
HELIORAY_BINARY(xor_b64, uint64_t, a ^ b)
HELIORAY_BINARY(min_s32, int32_t, a < b ? a : b)
HELIORAY_BINARY(max_s32, int32_t, a > b ? a : b)
HELIORAY_BINARY(min_s64, int64_t, a < b ? a : b)
HELIORAY_BINARY(div_s32, int32_t, a / b)
HELIORAY_BINARY(div_s64, int64_t, a / b)
#undef HELIORAY_BINARY

/// The smaller number; the other operand if one is not a number; -0 is below +0.
template <typename Float>
Float smaller(Float a, Float b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
inline float min_f32(float a, float b) {
    return smaller(a, b);
}
inline float max_f32(float a, float b) {
    return -smaller(-a, -b);
}
inline double min_f64(double a, double b) {
    return smaller(a, b);
}
inline double max_f64(double a, double b) {
    return -smaller(-a, -b);
}

inline float fma_rn_f32(float a, float b, float c) {
    return std::fma(a, b, c);
}
inline float rcp_rn_f32(float a) {
    return 1.0f / a;
}
inline float sqrt_rn_f32(float a) {
    return std::sqrt(a);
}
inline float neg_f32(float a) {
    return -a;
}
inline float abs_f32(float a) {
    return std::fabs(a);
}
inline bool not_pred(bool a) {
    return !a;
}
inline uint32_t not_b32(uint32_t a) {
    return ~a;
}
inline uint32_t mad_lo_s32(uint32_t a, uint32_t b, uint32_t c) {
    return a * b + c;
}
inline uint64_t mul_wide_u32(uint32_t a, uint32_t b) {
    return uint64_t{a} * b;
}
inline uint64_t mul_wide_s32(int32_t a, int32_t b) {
    return static_cast<uint64_t>(int64_t{a} * b);
}

// Shifts by more than the width give the sign or 0.
inline uint32_t shl_b32(uint32_t a, uint32_t by) {
    return by > 31 ? 0 : a << by;
}
inline uint64_t shl_b64(uint64_t a, uint32_t by) {
    return by > 63 ? 0 : a << by;
}
inline uint32_t shr_u32(uint32_t a, uint32_t by) {
    return by > 31 ? 0 : a >> by;
}
inline uint64_t shr_u64(uint64_t a, uint32_t by) {
    return by > 63 ? 0 : a >> by;
}
inline uint32_t shr_s32(int32_t a, uint32_t by) {
    return static_cast<uint32_t>(a >> (by > 31 ? 31 : by));
}
inline uint64_t shr_s64(int64_t a, uint32_t by) {
    return static_cast<uint64_t>(a >> (by > 63 ? 63 : by));
}

inline uint32_t brev_b32(uint32_t a) {
    uint32_t reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (a >> bit & 1u) << (31 - bit);
    return reversed;
}
inline uint32_t bfind_shiftamt_u32(uint32_t a) {
    return a == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(a));
}

/// Rounds to an integer and limits it to the range of the type; 0 or the lowest number for what is
/// not a number.
template <typename Integer, typename Float>
Integer limited(Float rounded, Integer not_a_number) {
    if (std::isnan(rounded)) return not_a_number;
    constexpr auto kLimit = static_cast<Float>(std::numeric_limits<Integer>::max());
    if (rounded >= kLimit) return std::numeric_limits<Integer>::max();
    if (rounded <= -kLimit) return std::numeric_limits<Integer>::min();
    return static_cast<Integer>(rounded);
}
inline uint32_t cvt_rni_s32_f32(float a) {
    return static_cast<uint32_t>(limited<int32_t>(std::nearbyint(a), 0));
}
inline uint32_t cvt_rzi_s32_f32(float a) {
    return static_cast<uint32_t>(limited<int32_t>(std::trunc(a), 0));
}
inline uint64_t cvt_rni_s64_f64(double a) {
    return static_cast<uint64_t>(limited<int64_t>(std::nearbyint(a), INT64_MIN));
}
inline float cvt_rn_f32_s32(int32_t a) {
    return static_cast<float>(a);
}
inline double cvt_rn_f64_s64(int64_t a) {
    return static_cast<double>(a);
}
inline double cvt_f64_f32(float a) {
    return static_cast<double>(a);
}
inline uint32_t cvt_s32_s8(uint32_t a) {
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(a)));
}
inline uint64_t cvt_s64_s32(int32_t a) {
    return static_cast<uint64_t>(int64_t{a});
}
inline uint16_t cvt_u16_u32(uint32_t a) {
    return static_cast<uint16_t>(a);
}
inline uint32_t cvt_u32_u16(uint16_t a) {
    return a;
}
inline uint32_t cvt_u32_u64(uint64_t a) {
    return static_cast<uint32_t>(a);
}
inline uint64_t cvt_u64_u32(uint32_t a) {
    return a;
}

#define HELIORAY_SELECT(name, Type)                   \
    inline Type selp_##name(Type a, Type b, bool p) { \
        return p ? a : b;                             \
    }
HELIORAY_SELECT(u16, uint16_t)
HELIORAY_SELECT(b32, uint32_t)
HELIORAY_SELECT(u32, uint32_t)
HELIORAY_SELECT(b64, uint64_t)
HELIORAY_SELECT(f32, float)
#undef HELIORAY_SELECT

#define HELIORAY_COMPARE(name, Type)             \
    inline bool setp_eq_##name(Type a, Type b) { \
        return a == b;                           \
    }                                            \
    inline bool setp_ne_##name(Type a, Type b) { \
        return a < b || a > b;                   \
    }                                            \
    inline bool setp_lt_##name(Type a, Type b) { \
        return a < b;                            \
    }                                            \
    inline bool setp_le_##name(Type a, Type b) { \
        return a <= b;                           \
    }                                            \
    inline bool setp_gt_##name(Type a, Type b) { \
        return a > b;                            \
    }                                            \
    inline bool setp_ge_##name(Type a, Type b) { \
        return a >= b;                           \
    }
HELIORAY_COMPARE(b16, uint16_t)
HELIORAY_COMPARE(s16, int16_t)
HELIORAY_COMPARE(b32, uint32_t)
HELIORAY_COMPARE(s32, int32_t)
HELIORAY_COMPARE(u32, uint32_t)
HELIORAY_COMPARE(s64, int64_t)
HELIORAY_COMPARE(u64, uint64_t)
HELIORAY_COMPARE(f32, float)
#undef HELIORAY_COMPARE
// Comparisons that are also true if a value is not a number.
inline bool setp_ltu_f32(float a, float b) {
    return !(a >= b);
}
inline bool setp_leu_f32(float a, float b) {
    return !(a > b);
}
inline bool setp_gtu_f32(float a, float b) {
    return !(a <= b);
}
inline bool setp_geu_f32(float a, float b) {
    return !(a < b);
}

inline uint32_t atom_add_u32(uint8_t* memory, uint32_t value) {
    return __atomic_fetch_add(reinterpret_cast<uint32_t*>(memory), value, __ATOMIC_RELAXED);
}
inline uint64_t atom_add_u64(uint8_t* memory, uint64_t value) {
    return __atomic_fetch_add(reinterpret_cast<uint64_t*>(memory), value, __ATOMIC_RELAXED);
}
inline uint32_t atom_extreme(uint8_t* memory, int32_t value, bool smallest) {
    auto* const bound = reinterpret_cast<int32_t*>(memory);
    int32_t held = __atomic_load_n(bound, __ATOMIC_RELAXED);
    while ((smallest ? value < held : value > held) &&
           !__atomic_compare_exchange_n(
               bound, &held, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return static_cast<uint32_t>(held);
}
inline uint32_t atom_min_s32(uint8_t* memory, int32_t value) {
    return atom_extreme(memory, value, true);
}
inline uint32_t atom_max_s32(uint8_t* memory, int32_t value) {
    return atom_extreme(memory, value, false);
}

/// Ends the program unless all lanes of a warp take part.
inline void check_lanes(uint32_t mask) {
    if (mask == ~0u) return;
    std::fprintf(stderr, "lanes %08x of a warp act together\n", mask);
    std::abort();
}
inline uint32_t redux_sync_add_u32(const Thread& thread, uint32_t value, uint32_t mask) {
    check_lanes(mask);
    return thread.calls->sum(value);
}
inline uint32_t redux_sync_add_s32(const Thread& thread, uint32_t value, uint32_t mask) {
    check_lanes(mask);
    return thread.calls->sum(value);
}
inline uint32_t vote_sync_ballot_b32(const Thread& thread, bool value, uint32_t mask) {
    check_lanes(mask);
    return thread.calls->ballot(value);
}
inline uint32_t shfl_sync_bfly_b32(const Thread& thread, uint32_t value, uint32_t lane_change) {
    return thread.calls->exchange(value, lane_change);
}
