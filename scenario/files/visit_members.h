// SPDX-License-Identifier: MIT
// Visits all members of a struct without naming them, so that none can be forgotten.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace helioray {

/// Largest number of members of a struct that visit_members() takes.
inline constexpr std::size_t kMostMembers = 30;

namespace members_detail {

/// Converts to a member of any type.
struct Any {
    explicit Any(std::size_t) {}
    template <typename T>
    operator T() const;
};

template <typename T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires {
        T{Any(I)...};
    };
}

}  // namespace members_detail

/// Returns the number of members of a struct without constructors and base classes.
template <typename T, std::size_t kMost = kMostMembers + 1>
constexpr std::size_t count_members() {
    static_assert(std::is_aggregate_v<T>, "list the members of a class with constructors");
    if constexpr (kMost == 0 || members_detail::takes<T>(std::make_index_sequence<kMost>()))
        return kMost;
    else
        return count_members<T, kMost - 1>();
}

// clang-format off

namespace members_detail {

/// Visits up to 10 members.
template <std::size_t n, typename T, typename Use>
decltype(auto) visit_few(T& value, const Use& use) {
    if constexpr (n == 1) { auto& [a] = value; return use(a); }
    if constexpr (n == 2) { auto& [a, b] = value; return use(a, b); }
    if constexpr (n == 3) { auto& [a, b, c] = value; return use(a, b, c); }
    if constexpr (n == 4) { auto& [a, b, c, d] = value; return use(a, b, c, d); }
    if constexpr (n == 5) { auto& [a, b, c, d, e] = value; return use(a, b, c, d, e); }
    if constexpr (n == 6) { auto& [a, b, c, d, e, f] = value; return use(a, b, c, d, e, f); }
    if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = value; return use(a, b, c, d, e, f, g); }
    if constexpr (n == 8) {
        auto& [a, b, c, d, e, f, g, h] = value;
        return use(a, b, c, d, e, f, g, h);
    }
    if constexpr (n == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = value;
        return use(a, b, c, d, e, f, g, h, i);
    }
    if constexpr (n == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = value;
        return use(a, b, c, d, e, f, g, h, i, j);
    }
}

/// Visits 11 to 20 members.
template <std::size_t n, typename T, typename Use>
decltype(auto) visit_some(T& value, const Use& use) {
    if constexpr (n == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k);
    }
    if constexpr (n == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l);
    }
    if constexpr (n == 13) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m);
    }
    if constexpr (n == 14) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
    }
    if constexpr (n == 15) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
    }
    if constexpr (n == 16) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q);
    }
    if constexpr (n == 17) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r);
    }
    if constexpr (n == 18) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s);
    }
    if constexpr (n == 19) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t);
    }
    if constexpr (n == 20) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u);
    }
}

/// Visits 21 to 30 members.
template <std::size_t n, typename T, typename Use>
decltype(auto) visit_many(T& value, const Use& use) {
    if constexpr (n == 21) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v);
    }
    if constexpr (n == 22) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w);
    }
    if constexpr (n == 23) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x);
    }
    if constexpr (n == 24) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y);
    }
    if constexpr (n == 25) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z);
    }
    if constexpr (n == 26) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A);
    }
    if constexpr (n == 27) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B);
    }
    if constexpr (n == 28) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C);
    }
    if constexpr (n == 29) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D);
    }
    if constexpr (n == 30) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E] = value;
        return use(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E);
    }
}

}  // namespace members_detail

// clang-format on

/// Returns use(members...) for all members of a struct, in their order.
template <typename T, typename Use>
decltype(auto) visit_members(T& value, const Use& use) {
    constexpr std::size_t n = count_members<std::remove_const_t<T>>();
    static_assert(n > 0 && n <= kMostMembers, "add a line above");
    if constexpr (n <= 10)
        return members_detail::visit_few<n>(value, use);
    else if constexpr (n <= 20)
        return members_detail::visit_some<n>(value, use);
    else
        return members_detail::visit_many<n>(value, use);
}

}  // namespace helioray
