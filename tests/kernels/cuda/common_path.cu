// SPDX-License-Identifier: MIT
// The loop over rays with only the features that most fields use: Gaussian sun and slope error, a
// plane target, Sobol's numbers, the box filter, no occluders. The test of instruction counts
// compiles it; nothing runs it.
#include "kernels/cuda/trace_units.cuh"

namespace helioray::kernels {

namespace {

/// The only target; the compiler knows its kind and size.
constexpr TargetRecord kPlane = [] {
    TargetRecord target{};
    target.kind = TargetKind::plane;
    target.width = target.height = 8.0f;
    return target;
}();
const __constant__ TargetRecord kTargets[1] = {kPlane};

/// Returns the field with constants in place of everything that selects a feature.
__device__ FieldView common_field(const FieldView& field) {
    FieldView common = field;
    common.targets = kTargets;
    common.sun.kind = AngularShape::Kind::gaussian;
    common.slope_error.kind = AngularShape::Kind::gaussian;
    common.specularity_error.kind = AngularShape::Kind::none;
    common.filter = FilterKind::box;
    common.sampling = SamplingKind::sobol;
    common.shading = common.blocking = 0;
    common.air.is_clear = 1;
    common.has_incidence_table = 0;
    return common;
}

}  // namespace

/// Traces one block of rays of each heliostat.
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    common_rays(const __grid_constant__ FieldView field,
                int64_t rays_per_block,
                int64_t num_pixels,
                int64_t* spilled) {
    __shared__ BlockMemory memory;
    const FieldView common = common_field(field);
    load_tables(memory.tables);
    const BlockTile tile{dynamic_shared_memory(), spilled, &memory.range, num_pixels, nullptr};
    __syncthreads();
    HeliostatRecord h = field.heliostats[blockIdx.x];
    h.target = 0;
    trace_block<NothingInTheWay, TargetImage>(
        common, h, Pass::first_half, 0, rays_per_block, tile, memory);
}

/// Multiplies and adds, with two roundings and with one.
__global__ void two_roundings(float* x) {
    x[0] = x[1] * x[2] + x[3];
}
__global__ void one_rounding(float* x) {
    x[0] = fma_(x[1], x[2], x[3]);
}

}  // namespace helioray::kernels
