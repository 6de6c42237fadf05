// SPDX-License-Identifier: MIT
// Assembles the normal equations of all images and eliminates the nuisances of each image.
#include "raytracer/solvers/reconstruction/fit/posterior.h"

#include "raytracer/linear/cholesky.h"
#include "raytracer/solvers/reconstruction/fit/products.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace helioray::reconstruction {

namespace {

// Prior standard deviations of the nuisances.
constexpr double kRatioDeviation = 0.02;
constexpr double kSlopeErrorDeviation = 0.3e-3;  // radians
constexpr double kShiftDeviation = 0.5;          // metres
// Prior standard deviation of a blur, rad^2. With 0.2e-6, simulated images that differ by 1e-6 may
// lead to another maximum; with 0.5e-6 the slope error that AU46's images share is lost among their
// blurs: flux accuracies of images that were not fitted fall from 0.933 to 0.929.
constexpr double kBlurDeviation = 0.3e-6;
constexpr double kNoBlur = 1e-9;
// Apparent blur, rad^2, of traced images without blur if their sun differs from the model's.
constexpr double kBlurOfModel = 0.1e-6;
// Bounds of a physical Buie sun and mirror, including the blur of each image.
constexpr std::array<double, 2> kRatios{0.0, 0.3};
constexpr std::array<double, 2> kSlopeErrors{0.3e-3, 4e-3};

enum Nuisance : size_t { right, up, blur, brightness, background };

constexpr double kSmallestGain = 1e-3;  // fraction of the cost
constexpr double kFarthestShift = 0.3;  // metres per step

/// Returns the sum of products in an order that compilers vectorise.
double product(const double* a, const double* b) {
    std::array<double, 8> sums{};
    for (size_t i = 0; i < kImageSize; i += 8)
        for (size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
    double sum = 0.0;
    for (const double s : sums) sum += s;
    return sum;
}

constexpr const char* kByPrior = "the prior makes it positive definite";

/// Returns the centre of light, metres to the right and up.
std::array<double, 2> centroid(const std::vector<double>& image) {
    double sum = 0.0, x = 0.0, y = 0.0;
    for (size_t row = 0; row < kImagePixels; ++row) {
        for (size_t column = 0; column < kImagePixels; ++column) {
            const double value = image[row * kImagePixels + column];
            sum += value;
            x += value * (static_cast<double>(column) + 0.5 - 0.5 * kImagePixels) * kPixel;
            y -= value * (static_cast<double>(row) + 0.5 - 0.5 * kImagePixels) * kPixel;
        }
    }
    return sum > 0.0 ? std::array{x / sum, y / sum} : std::array{0.0, 0.0};
}

}  // namespace

/// Best brightness and background of an image, and the remaining residual.
struct Posterior::Residual {
    double scale = 0.0, background = 0.0, cost = 0.0;
    std::vector<double> values;  ///< Residuals times the weights.
};

/// The equations of one step, and those of the images' nuisances.
struct Posterior::Equations {
    /// Matrix [common, common]; the common unknowns are those of the shape, ratio and slope error.
    std::vector<double> matrix;
    std::vector<double> right;
    /// Equations of each image: nuisances = own - coupling * common unknowns.
    std::vector<std::array<double, kNuisances>> own;
    std::vector<double> blur_variances;  ///< Variances of the blurs for given common unknowns.
    std::vector<std::vector<std::array<double, kNuisances>>> coupling;
};

Posterior::Posterior(const MirrorShape& shape,
                     std::span<const FitImage> images,
                     const PixelNoise& noise,
                     StopCheck stop)
    : stop_(std::move(stop)), shape_(shape), images_(images) {
    for (const FitImage& image : images) models_.emplace_back(image.geometry);
    set_noise(noise);
    set_scales(kUsualErrors);
    const auto precision = [](double deviation) { return 1.0 / (deviation * deviation); };
    nuisance_precisions_[Nuisance::right] = precision(kShiftDeviation);
    nuisance_precisions_[Nuisance::up] = precision(kShiftDeviation);
    nuisance_precisions_[Nuisance::blur] = precision(kBlurDeviation);
    nuisance_precisions_[Nuisance::background] = precision(kBackgroundDeviation);
}

void Posterior::leave_out_blurs() {
    has_blurs_ = false;
    nuisance_precisions_[Nuisance::blur] = 1.0 / (kNoBlur * kNoBlur);
    of_images_.reset();
}

void Posterior::set_scales(const ErrorScales& scales) {
    scales_ = scales;
    const Cholesky covariance = factorise(
        SquareMatrix(shape_.num_unknowns(), shape_.expected_covariance(scales)), kByPrior);
    precision_ = covariance.inverse().values();
    log_determinant_ = -covariance.log_determinant();
}

double Posterior::fit_scales(const FitState& state, double misfit) {
    const ErrorScales before = scales_;
    set_scales(likely_scales(shape_, likelihood(state, misfit), before));
    double most = 0.0;
    for (size_t kind = 0; kind < before.size(); ++kind)
        most = std::max(most, std::abs(std::log(scales_[kind] / before[kind])));
    return most;
}

bool Posterior::shows_blurs(const FitState& state, double misfit) const {
    // Blurs that all images share belong to the slope error, which is treated as known.
    const Equations equations = assemble(state);
    const size_t count = shape_.num_unknowns(), common = equations.right.size();
    SquareMatrix matrix(count);
    for (size_t a = 0; a < count; ++a)
        for (size_t b = 0; b <= a; ++b) matrix(a, b) = equations.matrix[a * common + b];
    const Cholesky factors = factorise(std::move(matrix), kByPrior);
    const double prior = nuisance_precisions_[Nuisance::blur];
    double mean = 0.0;
    for (const ImageNuisances& own : state.own)
        mean += own.blur / static_cast<double>(images_.size());
    double gain = 0.0;  // twice the logarithm of the odds for blurs
    for (size_t i = 0; i < images_.size(); ++i) {
        std::vector<double> follows;
        for (size_t k = 0; k < count; ++k) follows.push_back(equations.coupling[i][k][blur]);
        const std::vector<double> known = factors.solve(follows);
        double variance = equations.blur_variances[i];
        for (size_t k = 0; k < count; ++k) variance += follows[k] * known[k];
        // Remove the prior to get the information of the image alone.
        const double precision = std::max(1e-6 * prior, 1.0 / variance - prior);
        const double shown = (state.own[i].blur - mean) * (precision + prior) / precision;
        const double without = misfit / precision + kBlurOfModel * kBlurOfModel;
        const double with = without + 1.0 / prior;
        gain += shown * shown * (1.0 / without - 1.0 / with) - std::log(with / without);
    }
    return gain > 0.0;
}

double Posterior::log_evidence(const FitState& maximum, double misfit) const {
    const size_t count = shape_.num_unknowns();
    LinearLikelihood about = likelihood(maximum, misfit);
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < count; ++j)
            about.matrix[i * about.right.size() + j] += precision_[i * count + j];
    const Cholesky factors =
        factorise(SquareMatrix(about.right.size(), std::move(about.matrix)), kByPrior);
    const double prior = prior_cost(maximum);
    const double cost_of_images = (cost(maximum) - prior) / misfit;
    return 0.5 * (log_determinant_ - factors.log_determinant() - prior - cost_of_images) +
           log_expectation(scales_);
}

void Posterior::set_noise(const PixelNoise& noise) {
    weights_.clear();
    of_images_.reset();
    for (const FitImage& image : images_) {
        std::vector<double>& weight = weights_.emplace_back();
        for (size_t i = 0; i < kImageSize; ++i)
            weight.push_back(image.seen[i] ? 1.0 / noise.deviation(image.brightness[i]) : 0.0);
    }
}

std::vector<double> Posterior::image_of(size_t image, const FitState& state) const {
    return models_[image].image(shape_, state.unknowns, state.optics, state.own[image]);
}

FitState Posterior::start(std::vector<double> unknowns) const {
    FitState state{std::move(unknowns), {}, {}};
    for (size_t i = 0; i < images_.size(); ++i) {
        const auto measured = centroid(images_[i].brightness);
        const auto made = centroid(models_[i].image(shape_, state.unknowns, state.optics, {}));
        state.own.push_back({{measured[0] - made[0], measured[1] - made[1]}, 0.0});
    }
    return state;
}

double Posterior::cost(const FitState& state) const {
    double sum = prior_cost(state);
    for (size_t i = 0; i < images_.size(); ++i) sum += residual(i, image_of(i, state).data()).cost;
    return sum;
}

int Posterior::descend(FitState& state, int most_steps) const {
    double damping = 1e-3, cost_now = cost(state);
    for (int steps = 0; steps < most_steps; ++steps) {
        obey(stop_);
        const Equations equations = assemble(state);
        bool better = false;
        double gain = 0.0;
        for (int trial = 0; trial < 6 && !better; ++trial) {
            const FitState next = stepped(state, equations, damping);
            const double cost_next = cost(next);
            better = cost_next < cost_now;
            if (better) {
                gain = (cost_now - cost_next) / cost_now;
                state = next;
                cost_now = cost_next;
                damping = std::max(1e-6, 0.1 * damping);
            } else {
                damping = std::max(1e-3, 10.0 * damping);
            }
        }
        if (!better || gain < kSmallestGain) return steps + (better ? 1 : 0);
    }
    return most_steps;
}

Curvature Posterior::curvature(const FitState& state) const {
    const Equations equations = assemble(state);
    const size_t common = equations.right.size(), count = shape_.num_unknowns();
    const Cholesky factors = factorise(SquareMatrix(common, equations.matrix), kByPrior);
    Curvature result;
    result.log_determinant = factors.log_determinant();
    for (size_t i = 0; i < count; ++i) {
        std::vector<double> unit(common, 0.0);
        unit[i] = 1.0;
        const std::vector<double> column = factors.solve(std::move(unit));
        result.covariance.insert(result.covariance.end(),
                                 column.begin(),
                                 column.begin() + static_cast<std::ptrdiff_t>(count));
        // Multiply the column by the prior's precision and solve once more.
        std::vector<double> pull(common, 0.0);
        for (size_t a = 0; a < count; ++a)
            for (size_t b = 0; b < count; ++b) pull[a] += precision_[a * count + b] * column[b];
        pull[count] = column[count] / (kRatioDeviation * kRatioDeviation);
        pull[count + 1] = column[count + 1] / (kSlopeErrorDeviation * kSlopeErrorDeviation);
        // Do the same for the nuisances, which follow the unknowns by their coupling.
        for (const auto& coupling : equations.coupling) {
            for (size_t n = 0; n < kNuisances; ++n) {
                double follows = 0.0;
                for (size_t a = 0; a < common; ++a) follows += coupling[a][n] * column[a];
                follows *= nuisance_precisions_[n];
                for (size_t a = 0; a < common; ++a) pull[a] += coupling[a][n] * follows;
            }
        }
        const std::vector<double> part = factors.solve(std::move(pull));
        result.of_prior.insert(
            result.of_prior.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return result;
}

LinearLikelihood Posterior::likelihood(const FitState& state, double misfit) const {
    const Equations& images = of_images(state);
    const size_t common = images.right.size();
    LinearLikelihood result{images.matrix, images.right};
    // The unknowns are not 0 at the maximum of the posterior.
    const ImageOptics usual;
    std::vector<double> at = state.unknowns;
    at.push_back(state.optics.circumsolar_ratio - usual.circumsolar_ratio);
    at.push_back(state.optics.slope_error - usual.slope_error);
    for (size_t i = 0; i < common; ++i) {
        for (size_t j = 0; j < common; ++j)
            result.right[i] += images.matrix[i * common + j] * at[j];
        result.right[i] /= misfit;
    }
    for (double& value : result.matrix) value /= misfit;
    result.matrix[(common - 2) * (common + 1)] += 1.0 / (kRatioDeviation * kRatioDeviation);
    result.matrix[(common - 1) * (common + 1)] +=
        1.0 / (kSlopeErrorDeviation * kSlopeErrorDeviation);
    return result;
}

std::vector<double> Posterior::model(size_t image, const FitState& state) const {
    std::vector<double> made = image_of(image, state);
    const Residual rest = residual(image, made.data());
    for (double& value : made) value = rest.scale * value + rest.background;
    return made;
}

double Posterior::prior_cost(const FitState& state) const {
    double sum = 0.0;
    const size_t count = state.unknowns.size();
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < count; ++j)
            sum += state.unknowns[i] * precision_[i * count + j] * state.unknowns[j];
    const ImageOptics usual;
    sum +=
        std::pow((state.optics.circumsolar_ratio - usual.circumsolar_ratio) / kRatioDeviation, 2);
    sum += std::pow((state.optics.slope_error - usual.slope_error) / kSlopeErrorDeviation, 2);
    for (const auto& [shift, blurred] : state.own)
        sum += (shift[0] * shift[0] + shift[1] * shift[1]) / (kShiftDeviation * kShiftDeviation) +
               blurred * blurred * nuisance_precisions_[Nuisance::blur];
    return sum;
}

Posterior::Residual Posterior::residual(size_t image, const double* made) const {
    const std::vector<double>& weight = weights_[image];
    std::vector<double> model(kImageSize), data(kImageSize);
    for (size_t i = 0; i < kImageSize; ++i) {
        model[i] = weight[i] * made[i];
        data[i] = weight[i] * images_[image].brightness[i];
    }
    const double mm = product(model.data(), model.data());
    const double mw = product(model.data(), weight.data());
    const double ww =
        product(weight.data(), weight.data()) + 1.0 / (kBackgroundDeviation * kBackgroundDeviation);
    const double md = product(model.data(), data.data());
    const double wd = product(weight.data(), data.data());
    const double determinant = mm * ww - mw * mw;
    Residual result;
    // A picture without light cannot be scaled.
    if (determinant > 1e-12 * mm * ww) {
        result.scale = (md * ww - wd * mw) / determinant;
        result.background = (wd * mm - md * mw) / determinant;
    } else {
        result.background = wd / ww;
    }
    for (size_t i = 0; i < kImageSize; ++i)
        data[i] -= result.scale * model[i] + result.background * weight[i];
    result.cost =
        product(data.data(), data.data()) + std::pow(result.background / kBackgroundDeviation, 2);
    result.values = std::move(data);
    return result;
}

const Posterior::Equations& Posterior::of_images(const FitState& state) const {
    // Noise and scales settle about one state, whose images need no new derivatives.
    if (of_images_ && state == state_of_images_) return *of_images_;
    const size_t common = shape_.num_unknowns() + 2;
    Equations sum{
        std::vector<double>(common * common, 0.0), std::vector<double>(common, 0.0), {}, {}, {}};
    for (size_t i = 0; i < images_.size(); ++i) add_image(i, state, sum);
    of_images_ = std::make_shared<const Equations>(std::move(sum));
    state_of_images_ = state;
    return *of_images_;
}

Posterior::Equations Posterior::assemble(const FitState& state) const {
    Equations sum = of_images(state);
    const size_t count = shape_.num_unknowns(), common = count + 2;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < count; ++j) {
            sum.matrix[i * common + j] += precision_[i * count + j];
            sum.right[i] -= precision_[i * count + j] * state.unknowns[j];
        }
    }
    const ImageOptics usual;
    const auto expect = [&](size_t i, double difference, double deviation) {
        sum.matrix[i * common + i] += 1.0 / (deviation * deviation);
        sum.right[i] -= difference / (deviation * deviation);
    };
    expect(count, state.optics.circumsolar_ratio - usual.circumsolar_ratio, kRatioDeviation);
    expect(count + 1, state.optics.slope_error - usual.slope_error, kSlopeErrorDeviation);
    return sum;
}

void Posterior::add_image(size_t image, const FitState& state, Equations& sum) const {
    const size_t count = shape_.num_unknowns(), common = count + 2, all = common + kNuisances;
    auto [made, rows] =
        models_[image].with_derivatives(shape_, state.unknowns, state.optics, state.own[image]);
    const Residual rest = residual(image, made.data());
    const std::vector<float> weight(weights_[image].begin(), weights_[image].end());
    const std::vector<float> left(rest.values.begin(), rest.values.end());
    // The columns are the common unknowns, followed by the nuisances.
    std::vector<const float*> columns;
    const auto scale = static_cast<float>(rest.scale);
    for (size_t k = 0; k < count + ImageModel::num_rows; ++k) {
        float* column = &rows[k * kImageSize];
        for (size_t i = 0; i < kImageSize; ++i) column[i] *= scale * weight[i];
        columns.push_back(column);
    }
    std::vector<float> light(made.begin(), made.end());
    for (size_t i = 0; i < kImageSize; ++i) light[i] *= weight[i];
    columns.push_back(light.data());
    columns.push_back(weight.data());

    columns.push_back(left.data());
    const std::vector<double> pairs = products_of_pairs(columns);
    std::vector<double> gram(all * all), right(all);
    for (size_t a = 0; a < all; ++a) {
        std::copy_n(&pairs[a * (all + 1)], all, &gram[a * all]);
        right[a] = pairs[a * (all + 1) + all];
    }
    const auto& [shift, blurred] = state.own[image];
    const std::array<double, kNuisances> at{
        shift[0], shift[1], blurred, rest.scale, rest.background};
    for (size_t n = 0; n < kNuisances; ++n) {
        gram[(common + n) * (all + 1)] += nuisance_precisions_[n];
        right[common + n] -= at[n] * nuisance_precisions_[n];
    }

    SquareMatrix own(kNuisances);
    for (size_t a = 0; a < kNuisances; ++a)
        for (size_t b = 0; b <= a; ++b) own(a, b) = gram[(common + a) * all + common + b];
    // An image without light in the picture has no information about its nuisances.
    own(brightness, brightness) += 1e-9;
    const Cholesky factors = factorise(std::move(own), kByPrior);
    const auto solve = [&](const auto& entry) {
        std::vector<double> b;
        for (size_t a = 0; a < kNuisances; ++a) b.push_back(entry(a));
        const std::vector<double> x = factors.solve(std::move(b));
        std::array<double, kNuisances> result{};
        std::copy(x.begin(), x.end(), result.begin());
        return result;
    };
    sum.own.push_back(solve([&](size_t a) { return right[common + a]; }));
    sum.blur_variances.push_back(
        solve([](size_t a) { return a == Nuisance::blur ? 1.0 : 0.0; })[Nuisance::blur]);
    auto& coupling = sum.coupling.emplace_back();
    for (size_t k = 0; k < common; ++k)
        coupling.push_back(solve([&](size_t a) { return gram[(common + a) * all + k]; }));
    for (size_t a = 0; a < common; ++a) {
        const double* cross = &gram[a * all + common];
        for (size_t b = 0; b < common; ++b) {
            double eliminated = 0.0;
            for (size_t n = 0; n < kNuisances; ++n) eliminated += cross[n] * coupling[b][n];
            sum.matrix[a * common + b] += gram[a * all + b] - eliminated;
        }
        double eliminated = 0.0;
        for (size_t n = 0; n < kNuisances; ++n) eliminated += cross[n] * sum.own.back()[n];
        sum.right[a] += right[a] - eliminated;
    }
}

FitState Posterior::stepped(const FitState& state,
                            const Equations& equations,
                            double damping) const {
    SquareMatrix damped(equations.right.size(), equations.matrix);
    damped.scale_diagonal(1.0 + damping);
    const Cholesky factors(std::move(damped));
    if (!factors.positive()) return state;
    const std::vector<double> step = factors.solve(equations.right);
    FitState next = state;
    const size_t count = shape_.num_unknowns();
    for (size_t i = 0; i < count; ++i) next.unknowns[i] += step[i];
    next.optics.circumsolar_ratio =
        std::clamp(next.optics.circumsolar_ratio + step[count], kRatios[0], kRatios[1]);
    next.optics.slope_error =
        std::clamp(next.optics.slope_error + step[count + 1], kSlopeErrors[0], kSlopeErrors[1]);
    const double variance = next.optics.slope_error * next.optics.slope_error;
    for (size_t i = 0; i < images_.size(); ++i) {
        const auto move = [&](Nuisance which) {
            double sum = equations.own[i][which];
            for (size_t k = 0; k < step.size(); ++k)
                sum -= equations.coupling[i][k][which] * step[k];
            return sum;
        };
        ImageNuisances& own = next.own[i];
        own.shift[0] += std::clamp(move(Nuisance::right), -kFarthestShift, kFarthestShift);
        own.shift[1] += std::clamp(move(Nuisance::up), -kFarthestShift, kFarthestShift);
        own.blur = std::clamp(own.blur + move(Nuisance::blur),
                              kSlopeErrors[0] * kSlopeErrors[0] - variance,
                              kSlopeErrors[1] * kSlopeErrors[1] - variance);
    }
    return next;
}

}  // namespace helioray::reconstruction
