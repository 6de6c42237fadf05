// SPDX-License-Identifier: MIT
// Logarithm, sine and cosine from explicit fma, bitwise equal in every lane type, on CPU and GPU.
#pragma once

#include "kernels/core/scalar.h"

namespace helioray::kernels {

/// Returns the natural logarithm of a normal positive number; relative error below 2e-7 (minimax
/// polynomial of Cephes' logf).
template <typename Real>
HELIORAY_HD Real log_positive(Real x) {
    using Int = typename LaneTraits<Real>::Int;
    // Write x = 2^e m with m in [sqrt(1/2), sqrt(2)) by shifting the border of the exponent to
    // sqrt(1/2).
    const Int bits = float_bits(x);
    const Int shifted = bits - make_int(0x3f3504f3, x);
    const Int exponent = shift_right(shifted, 23);
    const Real f = bits_to_float(bits - shift_left(exponent, 23)) - Real(1.0f);
    const Real e = to_real(exponent, x);
    Real p = Real(7.0376836292e-2f);
    p = fma_(p, f, Real(-1.1514610310e-1f));
    p = fma_(p, f, Real(1.1676998740e-1f));
    p = fma_(p, f, Real(-1.2420140846e-1f));
    p = fma_(p, f, Real(1.4249322787e-1f));
    p = fma_(p, f, Real(-1.6668057665e-1f));
    p = fma_(p, f, Real(2.0000714765e-1f));
    p = fma_(p, f, Real(-2.4999993993e-1f));
    p = fma_(p, f, Real(3.3333331174e-1f));
    const Real square = f * f;
    const Real tail = fma_(Real(-0.5f), square, p * (square * f));
    return fma_(e, Real(0.693359375f), f + fma_(e, Real(-2.12194440e-4f), tail));
}

#if defined(__CUDA_ARCH__)
HELIORAY_HD double log_positive(double x) {
    return log(x);
}
#else
HELIORAY_HD double log_positive(double x) {
    return __builtin_log(x);
}
#endif

/// Returns exp(x) for x <= 0; relative error below 2e-7, 0 below -87 (polynomial of Cephes' expf).
template <typename Real>
HELIORAY_HD Real exp_negative(Real x) {
    using Int = typename LaneTraits<Real>::Int;
    const Real bounded = max_(x, Real(-87.0f));
    const Int n = round_to_int(bounded * Real(1.44269504088896341f));
    const Real whole = to_real(n, x);
    const Real r = fma_(whole, Real(2.12194440e-4f), fma_(whole, Real(-0.693359375f), bounded));
    Real p = Real(1.9875691500e-4f);
    p = fma_(p, r, Real(1.3981999507e-3f));
    p = fma_(p, r, Real(8.3334519073e-3f));
    p = fma_(p, r, Real(4.1665795894e-2f));
    p = fma_(p, r, Real(1.6666665459e-1f));
    p = fma_(p, r, Real(5.0000001201e-1f));
    p = fma_(p * r, r, r + Real(1.0f));
    const Real power = bits_to_float(float_bits(p) + shift_left(n, 23));
    return select(x < Real(-87.0f), Real(0.0f), power);
}

#if defined(__CUDA_ARCH__)
HELIORAY_HD double exp_negative(double x) {
    return exp(x);
}
#else
HELIORAY_HD double exp_negative(double x) {
    return __builtin_exp(x);
}
#endif

/// Computes sin and cos of 2 pi u for u in [0, 1]; absolute error below 1e-7 (polynomials of Cephes
/// on an eighth turn).
template <typename Real>
HELIORAY_HD void sincos_turn(Real u, Real& sine, Real& cosine) {
    using Int = typename LaneTraits<Real>::Int;
    using Mask = typename LaneTraits<Real>::Mask;
    const Int quarter = round_to_int(u * Real(4.0f));
    const Real x = fma_(to_real(quarter, u), Real(-0.25f), u) * Real(6.28318530717958648f);
    const Real z = x * x;
    Real s = fma_(Real(-1.9515295891e-4f), z, Real(8.3321608736e-3f));
    s = fma_(s, z, Real(-1.6666654611e-1f));
    s = fma_(s * z, x, x);
    Real c = fma_(Real(2.443315711809948e-5f), z, Real(-1.388731625493765e-3f));
    c = fma_(c, z, Real(4.166664568298827e-2f));
    c = fma_(c, z * z, fma_(Real(-0.5f), z, Real(1.0f)));
    const Int one = make_int(1, u);
    const Int two = make_int(2, u);
    const Mask swap = (quarter & one) == one;
    const Real sine_size = select(swap, c, s);
    const Real cosine_size = select(swap, s, c);
    sine = select((quarter & two) == two, -sine_size, sine_size);
    cosine = select(((quarter + one) & two) == two, -cosine_size, cosine_size);
}

HELIORAY_HD void sincos_turn(double u, double& sine, double& cosine) {
#if defined(__CUDA_ARCH__)
    sincospi(2.0 * u, &sine, &cosine);
#else
    sine = __builtin_sin(6.283185307179586476925 * u);
    cosine = __builtin_cos(6.283185307179586476925 * u);
#endif
}

/// Computes cos(theta) and sin(theta) / theta as polynomials of q = theta^2; errors below 3e-7 up
/// to 1 radian.
template <typename Real>
HELIORAY_HD void cosine_and_sinc(Real q, Real& cosine, Real& sinc) {
    cosine = fma_(q, Real(1.0f / 40320.0f), Real(-1.0f / 720.0f));
    cosine = fma_(q, cosine, Real(1.0f / 24.0f));
    cosine = fma_(q, cosine, Real(-0.5f));
    cosine = fma_(q, cosine, Real(1.0f));
    sinc = fma_(q, Real(1.0f / 362880.0f), Real(-1.0f / 5040.0f));
    sinc = fma_(q, sinc, Real(1.0f / 120.0f));
    sinc = fma_(q, sinc, Real(-1.0f / 6.0f));
    sinc = fma_(q, sinc, Real(1.0f));
}

}  // namespace helioray::kernels
