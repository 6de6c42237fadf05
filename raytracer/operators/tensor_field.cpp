// SPDX-License-Identifier: MIT
// Translates tensors to calls that change a field. Content keys are hashes like Wang Yi's wyhash:
// four chains of products of 64-bit words, folded to half their length.
#include "raytracer/operators/tensor_field.h"

#include "kernels/host/partition.h"
#include "raytracer/operators/checks.h"
#include "raytracer/operators/trace_flux.h"
#include "raytracer/tracing/physical/records/records.h"
#include "raytracer/tracing/physical/records/target_rows.h"
#include "scenario/receivers/add_receivers.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

namespace helioray::operators {

namespace {

constexpr size_t kChains = 4;
/// Constants of wyhash.
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

namespace {

Vec3 vec3(const double* values) {
    return {values[0], values[1], values[2]};
}

/// Returns a number that identifies the heliostats that share a mirror, or 0 for a separate mirror.
/// Heliostats with a shared mirror share its memory, in which their gradients are added.
uint64_t sharing(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) {
    if (mirrors.num_mirrors() > 1 || heliostats.size() == 1) return 0;
    uint64_t hash = 0xcbf29ce484222325;
    for (const size_t heliostat : heliostats) hash = (hash ^ heliostat) * 0x100000001b3;
    return hash;
}

/// Returns the key of the mirror of heliostats[i].
ContentKey make_key(const MirrorTensor& mirrors, uint64_t shared_by, size_t i) {
    ContentKey key = mirrors.keys()[mirrors.num_mirrors() == 1 ? 0 : i];
    key.low ^= shared_by;
    return key;
}

}  // namespace

MirrorTensor::MirrorTensor(const char* name,
                           const at::Tensor& rows,
                           std::span<const int64_t> layout)
    : name_(name),
      tensor_(rows.contiguous()),
      values_(tensor_.const_data_ptr<double>()),
      size_(tensor_.size(0) > 0 ? tensor_.numel() / tensor_.size(0) : 0) {
    uint64_t meaning = 0;
    for (const int64_t number : layout)
        meaning = 1'000'003 * meaning + static_cast<uint64_t>(number);
    const auto count = static_cast<size_t>(tensor_.size(0));
    keys_.reserve(count);
    for (size_t i = 0; i < count; ++i)
        keys_.push_back(content_key(
            values_ + static_cast<int64_t>(i) * size_, static_cast<size_t>(size_), meaning));
}

Surface MirrorTensor::surface(size_t mirror) const {
    const double* own = values_ + static_cast<int64_t>(mirror) * size_;
    check_finite(own, size_, name_);
    return make_surface(own);
}

MirrorPoints::MirrorPoints(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees)
    : MirrorTensor("control_points",
                   control_points,
                   std::array<int64_t, 5>{control_points.size(1),
                                          control_points.size(2),
                                          control_points.size(3),
                                          degrees[0],
                                          degrees[1]}),
      num_facets_(control_points.size(1)),
      points_{control_points.size(2), control_points.size(3)},
      degrees_(degrees) {}

Surface MirrorPoints::make_surface(const double* values) const {
    const int64_t size = 3 * points_[0] * points_[1];
    Surface surface;
    for (int64_t f = 0; f < num_facets_; ++f, values += size) {
        Facet facet;
        facet.name = fmt::format("{}", f);
        facet.control_points.assign(values, values + size);
        facet.num_control_points = points_;
        facet.degrees = degrees_;
        // The frame of the facet is that of the mirror, for flat mirrors as well.
        facet.canting_e = {1.0, 0.0, 0.0};
        facet.canting_n = {0.0, 1.0, 0.0};
        surface.facets.push_back(std::move(facet));
    }
    return surface;
}

MirrorFormulas::MirrorFormulas(const at::Tensor& facets)
    : MirrorTensor("facets", facets, std::array<int64_t, 2>{facets.size(1), -1}),
      num_facets_(facets.size(1)) {}

Surface MirrorFormulas::make_surface(const double* values) const {
    constexpr FacetShape kShapes[] = {FacetShape::flat, FacetShape::paraboloid, FacetShape::sphere};
    Surface surface;
    for (int64_t f = 0; f < num_facets_; ++f, values += FacetColumns::count) {
        Facet facet;
        facet.name = fmt::format("{}", f);
        facet.shape = kShapes[static_cast<size_t>(values[FacetColumns::kind])];
        facet.focal_length = values[FacetColumns::focal_length];
        facet.translation = vec3(values + FacetColumns::translation);
        facet.canting_e = vec3(values + FacetColumns::canting_e);
        facet.canting_n = vec3(values + FacetColumns::canting_n);
        surface.facets.push_back(std::move(facet));
    }
    return surface;
}

size_t Mirrors::num_known(const MirrorTensor& mirrors,
                          const std::vector<size_t>& heliostats) const {
    const uint64_t shared_by = sharing(mirrors, heliostats);
    size_t count = 0;
    for (size_t i = 0; i < heliostats.size(); ++i) {
        const size_t heliostat = heliostats[i];
        if (records_[heliostat] && keys_[heliostat] == make_key(mirrors, shared_by, i)) ++count;
    }
    return count;
}

std::vector<size_t> Mirrors::update(const MirrorTensor& mirrors,
                                    const std::vector<size_t>& heliostats,
                                    bool shapes) {
    const bool shared = mirrors.num_mirrors() == 1;
    const uint64_t shared_by = sharing(mirrors, heliostats);
    std::vector<size_t> changed;  // indices in `heliostats`
    for (size_t i = 0; i < heliostats.size(); ++i) {
        const physical::MirrorRecords& have = records_[heliostats[i]];
        const bool known = have && keys_[heliostats[i]] == make_key(mirrors, shared_by, i);
        if (!known || (shapes && !have->shape)) changed.push_back(i);
    }
    if (changed.empty()) return {};

    std::vector<Surface> surfaces(shared ? 1 : changed.size());
    std::vector<physical::SurfaceRequest> requests;
    for (size_t k = 0; k < surfaces.size(); ++k) {
        surfaces[k] = mirrors.surface(shared ? 0 : changed[k]);
        requests.push_back({&surfaces[k], true, shapes});
    }
    physical::KnownSurfaces made;
    physical::add_surface_records(requests, made, at::get_num_threads());

    // A shared mirror is new for all of its heliostats.
    std::vector<size_t> result;
    const size_t count = shared ? heliostats.size() : changed.size();
    for (size_t k = 0; k < count; ++k) {
        const size_t i = shared ? k : changed[k];
        records_[heliostats[i]] = made.at(&surfaces[shared ? 0 : k]);
        keys_[heliostats[i]] = make_key(mirrors, shared_by, i);
        result.push_back(heliostats[i]);
    }
    return result;
}

namespace {

/// Index of a heliostat without a target; the tensor of indices has -1.
constexpr auto kNoTarget = static_cast<size_t>(-1);

/// Compares bits instead of values, because -0 and 0 are different inputs.
bool have_same_bits(const std::array<double, 16>& have, const double* given) {
    return std::equal(have.begin(), have.end(), given, [](double a, double b) {
        return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
    });
}

/// Returns the member of a shape that the optics tensor sets; null if the shape has no width. Every
/// shape has its overload.
double* find_width(GaussianShape& shape) {
    return &shape.sigma;
}
double* find_width(PillboxShape& shape) {
    return &shape.half_angle;
}
double* find_width(BuieShape&) {
    return nullptr;
}
double* find_width(LimbDarkenedShape&) {
    return nullptr;
}
double* find_width(CollimatedShape&) {
    return nullptr;
}
double* find_width(TableShape&) {
    return nullptr;
}
double* find_width(GaussSumShape&) {
    return nullptr;
}
double* find_width(NoError&) {
    return nullptr;
}
template <typename... Shapes>
double* find_width(std::variant<Shapes...>& shape) {
    return std::visit([](auto& alternative) { return find_width(alternative); }, shape);
}

SunShape sun_with_width(SunShape shape, double width) {
    if (double* member = find_width(shape)) *member = width;
    return shape;
}

/// Returns the error with the tensor's width; an error without a shape is Gaussian.
ErrorShape error_with_width(ErrorShape shape, double width) {
    if (!(width > 0.0)) return NoError{};
    if (std::holds_alternative<NoError>(shape)) return GaussianShape{width};
    if (double* member = find_width(shape)) *member = width;
    return shape;
}

}  // namespace

double get_width(SunShape shape) {
    const double* member = find_width(shape);
    return member ? *member : 0.0;
}

double get_width(ErrorShape shape) {
    const double* member = find_width(shape);
    return member ? *member : 0.0;
}

FieldSetup make_setup(const RunConfig& config,
                      const at::Tensor& targets,
                      std::vector<Vec3> positions) {
    FieldSetup setup;
    setup.positions = std::move(positions);
    const at::Tensor rows = targets.contiguous();
    for (int64_t i = 0; i < rows.size(0); ++i) {
        const double* row = rows.const_data_ptr<double>() + TargetColumns::count * i;
        setup.targets.push_back({{fmt::format("{}", i), physical::target_shape(row)}, {}});
    }
    setup.settings = physical::field_settings(config);
    setup.sun_shape = *config.sun.shape;
    setup.optics = config.optics;
    return setup;
}

void add_surfaces(const RunConfig& config, FieldSetup& setup) {
    if (config.receivers.empty()) return;
    Scenario plant;
    for (const physical::FieldTarget& target : setup.targets)
        plant.targets.push_back(target.target);
    add_receivers(config, plant);
    if (find_mesh(plant.targets) != nullptr)
        throw InputError(Problem{place_of(config, "receivers"),
                                 "a surface of a receiver is a mesh",
                                 "the pixels of a tensor's map have equal areas, and light on a "
                                 "mesh has no derivatives",
                                 "describe the receiver by planes, cylinders, cones and spheres"});
    for (Target& target : plant.targets)
        if (!target.receiver.empty()) setup.targets.push_back({std::move(target), {}});
}

TensorField::TensorField(FieldSetup setup, std::optional<Mirrors> known)
    : setup_(std::move(setup)),
      mirrors_(known ? std::move(*known) : Mirrors(setup_.positions.size())),
      everyone_(setup_.positions.size()),
      aimed_(setup_.positions.size()) {
    std::iota(everyone_.begin(), everyone_.end(), size_t{0});
    for (const size_t i : everyone_) {
        aimed_[i].heliostat = i;
        aimed_[i].target = kNoTarget;
    }
}

bool TensorField::set_mirrors(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) {
    const std::vector<size_t> changed = mirrors_.update(mirrors, heliostats, has_shapes());
    if (field_)
        for (const size_t i : changed) field_->set_mirror(i, mirrors_.records()[i]);
    is_stale_ = is_stale_ || !changed.empty();
    return !changed.empty();
}

void TensorField::set_orientation(const at::Tensor& orientation, const at::Tensor& target_index) {
    const at::Tensor given = orientation.contiguous();
    const at::Tensor given_index = target_index.contiguous();
    const double* matrix = given.const_data_ptr<double>();
    const int64_t* target = given_index.const_data_ptr<int64_t>();
    for (size_t i = 0; i < aimed_.size(); ++i, matrix += 16) {
        physical::AimedHeliostat& aimed = aimed_[i];
        const auto index = static_cast<size_t>(target[i]);
        if (aimed.target == index && have_same_bits(aimed.orientation, matrix)) continue;
        aimed.target = index;
        std::copy_n(matrix, 16, aimed.orientation.begin());
        is_stale_ = true;
        if (!field_) continue;
        if (index == kNoTarget) {
            field_->stow(i);
        } else {
            field_->aim(aimed);
        }
    }
}

void TensorField::set_light(const at::Tensor& sun_direction, const at::Tensor& optics) {
    const at::Tensor sun = sun_direction.contiguous();
    const at::Tensor given = optics.contiguous();
    const double* values = given.const_data_ptr<double>();
    const Vec3 direction = normalized(vec3(sun.const_data_ptr<double>()));
    const double dni = values[OpticsColumns::dni];
    if (direction != light_.sun_direction || dni != light_.dni) {
        light_.sun_direction = direction;
        light_.dni = dni;
        is_stale_ = true;
        if (field_) field_->set_sun(light_.sun_direction, light_.dni);
    }
    const bool same = std::equal(optics_.begin() + 1, optics_.end(), values + 1);
    std::copy_n(values, optics_.size(), optics_.begin());
    if (field_ && same) return;
    is_stale_ = true;
    light_.sun_shape = sun_with_width(setup_.sun_shape, values[OpticsColumns::sun_width]);
    light_.optics = setup_.optics;
    light_.optics.reflectivity = values[OpticsColumns::reflectivity];
    light_.optics.slope_error =
        error_with_width(setup_.optics.slope_error, values[OpticsColumns::slope_error]);
    light_.optics.specularity_error =
        error_with_width(setup_.optics.specularity_error, values[OpticsColumns::specularity_error]);
    if (field_) field_->set_optics(light_.sun_shape, light_.optics);
}

void TensorField::set_seed(uint64_t seed) {
    if (seed == setup_.settings.tracing.seed) return;
    setup_.settings.tracing.seed = seed;
    is_stale_ = true;
    if (field_) field_->set_seed(seed);
}

void TensorField::make_field() {
    std::vector<physical::FieldHeliostat> heliostats;
    heliostats.reserve(everyone_.size());
    for (const size_t i : everyone_)
        heliostats.push_back({mirrors_.records()[i], setup_.positions[i]});
    field_.emplace(std::move(heliostats), setup_.targets, light_, setup_.settings);
    for (const physical::AimedHeliostat& aimed : aimed_)
        if (aimed.target != kNoTarget) field_->aim(aimed);
}

void TensorField::update() {
    if (!is_stale_) return;
    if (!field_) make_field();
    field_->update(at::get_num_threads());
    is_stale_ = false;
}

std::vector<kernels::WorkUnit> TensorField::units_of_part(
    const std::array<int64_t, 2>& part) const {
    const std::vector<kernels::WorkUnit>& all = field_->plan().units;
    std::vector<kernels::WorkUnit> units;
    for (const int64_t i : partition_in_turn(std::ssize(all), part[0], part[1]))
        units.push_back(all[static_cast<size_t>(i)]);
    return units;
}

bool TensorField::has_receivers() const {
    return std::ranges::any_of(setup_.targets, [](const physical::FieldTarget& target) {
        return !target.target.receiver.empty();
    });
}

bool TensorField::reflects() const {
    return std::ranges::any_of(setup_.targets, [](const physical::FieldTarget& target) {
        return !target.target.receiver.empty() && target.target.absorption.has_value();
    });
}

std::vector<size_t> TensorField::maps() const {
    std::vector<size_t> maps(setup_.targets.size());
    std::iota(maps.begin(), maps.end(), size_t{0});
    for (size_t t = 0; reflects() && t < setup_.targets.size(); ++t)
        if (!setup_.targets[t].target.receiver.empty()) maps.push_back(t);
    return maps;
}

std::vector<double> TensorField::flux_per_quantum() const {
    std::vector<double> factors;
    for (const size_t target : maps()) factors.push_back(field_->flux_per_quantum(target));
    return factors;
}

std::vector<double> TensorField::pixel_areas() const {
    const BitmapConfig& bitmap = setup_.settings.bitmap;
    std::vector<double> areas;
    for (const size_t target : maps()) {
        const auto [width, height] = surface_extent(setup_.targets[target].target);
        areas.push_back(width * height / static_cast<double>(bitmap.width * bitmap.height));
    }
    return areas;
}

std::vector<int64_t>& TensorField::float_sums() {
    float_sums_.resize(field_->facets().floats().size(), 0);
    return float_sums_;
}

}  // namespace helioray::operators
