// SPDX-License-Identifier: MIT
// Aligns tensors with the formulas for plain numbers, with exact derivatives.
#include "raytracer/operators/pose/pose_kernels.h"

#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/pose/align.h"
#include "raytracer/tracing/kinematics/alignment.h"
#include "raytracer/tracing/kinematics/pose.h"
#include "scenario/types/type_names.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numbers>
#include <optional>
#include <vector>

namespace helioray::operators {

namespace {

constexpr size_t kBodyColumns = 16;
constexpr size_t kDriveColumns = static_cast<size_t>(DriveColumn::count);

void check(const at::Tensor& tensor, const char* name, at::IntArrayRef sizes) {
    TORCH_CHECK(tensor.scalar_type() == at::kDouble && tensor.sizes() == sizes,
                name,
                " must be float64 ",
                sizes,
                ", found ",
                tensor.scalar_type(),
                " ",
                tensor.sizes());
    TORCH_CHECK(
        at::isfinite(tensor.detach()).all().item<bool>(), name, " has NaN or infinite values");
}

void check_sun(const at::Tensor& direction) {
    check(direction, "sun_direction", {3});
    TORCH_CHECK((direction.detach() != 0.0).any().item<bool>(), "sun_direction has no length");
}

/// Checks the parameters [N, 16]; returns N.
int64_t checked_parameters(const at::Tensor& parameters, KinematicsType kinematics) {
    const int64_t n = parameters.dim() > 0 ? parameters.size(0) : 0;
    check(parameters, "parameters", {n, 16});
    if (kinematics == KinematicsType::azimuth_elevation) {
        const bool deviates = (parameters.narrow(1, 3, 6) != 0.0).any().item<bool>() ||
                              (parameters.narrow(1, 12, 4) != 0.0).any().item<bool>();
        TORCH_CHECK(!deviates,
                    "parameters: azimuth_elevation kinematics have no joint translations or tilts "
                    "(columns 3 to 8 and 12 to 15); use rigid_body");
    }
    return n;
}

template <typename Row>
void check_gradient(const at::Tensor& gradient, const at::Tensor& parameters) {
    std::vector<int64_t> sizes{parameters.size(0)};
    sizes.insert(sizes.end(), Row::kShape.begin(), Row::kShape.end());
    TORCH_CHECK(gradient.scalar_type() == at::kDouble && gradient.sizes() == at::IntArrayRef(sizes),
                "grad_",
                Row::kResult,
                " must be float64 ",
                at::IntArrayRef(sizes),
                ", found ",
                gradient.scalar_type(),
                " ",
                gradient.sizes());
}

void check_reached(const Alignment& alignment, const char* input) {
    for (const AlignmentIssue& issue : alignment.issues) {
        if (issue.kind == AlignmentIssue::Kind::outside_limits ||
            issue.kind == AlignmentIssue::Kind::limits_not_meaningful)
            continue;
        TORCH_CHECK(false, input, "[", issue.heliostat, "]: ", issue.message);
    }
}

/// The numbers of a tensor, row by row on the host. A tensor without rows is shared by all rows.
class HostRows {
  public:
    HostRows(const at::Tensor& tensor, bool shared)
        : tensor_(tensor.detach().to(at::kCPU).contiguous()),
          data_(tensor_.const_data_ptr<double>()),
          stride_(shared || tensor_.size(0) == 0
                      ? 0
                      : static_cast<size_t>(tensor_.numel() / tensor_.size(0))) {}

    const double* operator[](size_t row) const { return data_ + stride_ * row; }

  private:
    at::Tensor tensor_;
    const double* data_;
    size_t stride_;
};

template <size_t N>
std::array<double, N> take(const double* numbers) {
    std::array<double, N> result;
    std::copy_n(numbers, N, result.begin());
    return result;
}

/// Creates a record with position, translations and rotations from columns, for any type of number.
template <typename T>
BasicRecord<T> body(const T* columns, KinematicsType kinematics) {
    BasicRecord<T> record;
    record.type = kinematics;
    std::copy_n(columns, 3, record.position.begin());
    std::copy_n(columns + 3, 9, record.translations.begin());
    std::copy_n(columns + 12, 4, record.rotations.begin());
    // Drives are ideal: motor positions are the joint angles, and limits have no effect.
    for (BasicDrive<T>& drive : record.drives) {
        drive.min_position = -2.0 * std::numbers::pi;
        drive.max_position = 2.0 * std::numbers::pi;
    }
    return record;
}

/// Creates a drive from its columns, without limits.
template <typename T>
BasicDrive<T> make_drive(const T* columns) {
    const auto column = [&](DriveColumn which) -> const T& {
        return columns[static_cast<size_t>(which)];
    };
    return {value_of(column(DriveColumn::linear)) != 0.0,
            value_of(column(DriveColumn::clockwise)) != 0.0,
            column(DriveColumn::increment),
            column(DriveColumn::offset),
            column(DriveColumn::pivot_radius),
            column(DriveColumn::initial_stroke),
            column(DriveColumn::initial_angle),
            -1e15,
            1e15};
}

/// Checks that a linear drive has a triangle at motor position 0.
void check_drive(const DriveRecord& drive, const double* columns, int64_t row, int64_t axis) {
    for (const DriveColumn which : {DriveColumn::linear, DriveColumn::clockwise}) {
        const double flag = columns[static_cast<size_t>(which)];
        TORCH_CHECK(flag == 0.0 || flag == 1.0,
                    "drives: the first two columns, linear and clockwise, must be 0 or 1");
    }
    const bool exists = drive.increment > 0.0 && drive.offset > 0.0 && drive.pivot_radius > 0.0 &&
                        drive.initial_stroke > std::abs(drive.offset - drive.pivot_radius) &&
                        drive.initial_stroke < drive.offset + drive.pivot_radius;
    TORCH_CHECK(exists || !drive.is_linear,
                "drives[",
                row,
                ", ",
                axis,
                "] is no linear drive: increment, offset and pivot radius must be above 0, and the "
                "initial stroke between |offset - pivot radius| and offset + pivot radius");
}

at::Tensor collect_orientations(const Alignment& alignment, const at::Tensor& like) {
    at::Tensor result = at::empty({std::ssize(alignment.mirrors), 4, 4}, at::kDouble);
    double* numbers = result.mutable_data_ptr<double>();
    for (const AlignedMirror& mirror : alignment.mirrors) {
        numbers = std::copy(mirror.orientation.begin(), mirror.orientation.end(), numbers);
    }
    return result.to(like.device());
}

/// Returns three consecutive numbers.
template <typename T>
Triple<T> triple(const T* numbers) {
    return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

/// One row of align: the columns of the body, 3 of the sun, 3 of the aim point.
struct AlignRow {
    static constexpr size_t kSun = kBodyColumns;
    static constexpr size_t kAim = kSun + 3;
    static constexpr std::array<size_t, 3> kWidths{kBodyColumns, 3, 3};
    static constexpr std::array<bool, 3> kShared{false, true, false};
    static constexpr size_t kColumns = kAim + 3;
    static constexpr const char* kResult = "orientation";
    static constexpr std::array<int64_t, 2> kShape{4, 4};
    // Number of variable entries of a result; the last row is constant.
    static constexpr size_t kMoving = 12;

    template <typename T>
    static std::array<T, 16> result(const std::array<T, kColumns>& x, KinematicsType kinematics) {
        return pose_at(x, [&](const auto& of) { return body(&of[0], kinematics); }).mirror.matrix();
    }

    /// Returns the pose for the light of columns kSun and kAim. record: creates a record from
    /// columns.
    template <typename Columns, typename Record>
    static auto pose_at(const Columns& x, const Record& record) {
        using T = typename Columns::value_type;
        const auto& [e, n, u] = triple(&x[kSun]);
        const AimInputs<T> inputs{record(x), {-e, -n, -u}, triple(&x[kAim]), {}};
        const KinematicsRecord plain = record(plain_values(x));
        const Pointing pointing =
            point_mirror(plain,
                         {to_sun(plain_values(inputs.incident_direction)).vector,
                          plain_values(inputs.aim_point)});
        return aimed_pose(inputs, plain, pointing);
    }
};

/// One row of motor_positions: the columns of align, then 7 of each drive.
struct MotorRow {
    static constexpr std::array<size_t, 2> kDrives{AlignRow::kColumns,
                                                   AlignRow::kColumns + kDriveColumns};
    static constexpr std::array<size_t, 4> kWidths{kBodyColumns, 3, 3, 2 * kDriveColumns};
    static constexpr std::array<bool, 4> kShared{false, true, false, false};
    static constexpr size_t kColumns = kDrives[1] + kDriveColumns;
    static constexpr const char* kResult = "motor_positions";
    static constexpr std::array<int64_t, 1> kShape{2};
    static constexpr size_t kMoving = 2;

    template <typename T>
    static BasicRecord<T> record(const std::array<T, kColumns>& x, KinematicsType kinematics) {
        BasicRecord<T> result = body(&x[0], kinematics);
        result.drives = {make_drive(&x[kDrives[0]]), make_drive(&x[kDrives[1]])};
        return result;
    }

    template <typename T>
    static std::array<T, 2> result(const std::array<T, kColumns>& x, KinematicsType kinematics) {
        return AlignRow::pose_at(x, [&](const auto& of) { return record(of, kinematics); })
            .motor_positions;
    }
};

/// One row of orient: the columns of the body, 2 of the motors, 7 of each drive.
struct OrientRow {
    static constexpr size_t kMotors = kBodyColumns;
    static constexpr std::array<size_t, 2> kDrives{kMotors + 2, kMotors + 2 + kDriveColumns};
    static constexpr std::array<size_t, 3> kWidths{kBodyColumns, 2, 2 * kDriveColumns};
    static constexpr std::array<bool, 3> kShared{false, false, false};
    static constexpr size_t kColumns = kDrives[1] + kDriveColumns;
    static constexpr const char* kResult = AlignRow::kResult;
    static constexpr std::array<int64_t, 2> kShape = AlignRow::kShape;
    static constexpr size_t kMoving = AlignRow::kMoving;

    template <typename T>
    static std::array<T, 16> result(const std::array<T, kColumns>& x, KinematicsType kinematics) {
        MotorInputs<T> inputs{body(&x[0], kinematics), {x[kMotors], x[kMotors + 1]}, {}};
        inputs.record.drives = {make_drive(&x[kDrives[0]]), make_drive(&x[kDrives[1]])};
        return motor_pose(inputs).mirror.matrix();
    }
};

namespace {

/// Reads all inputs of a row in succession.
template <typename Row>
class RowsOf {
  public:
    explicit RowsOf(const Tensors& tensors) {
        for (size_t i = 0; i < Row::kWidths.size(); ++i)
            rows_.emplace_back(tensors[i], Row::kShared[i]);
    }

    std::array<double, Row::kColumns> operator[](size_t row) const {
        std::array<double, Row::kColumns> result;
        auto out = result.begin();
        for (size_t i = 0; i < Row::kWidths.size(); ++i)
            out = std::copy_n(rows_[i][row], Row::kWidths[i], out);
        return result;
    }

  private:
    std::vector<HostRows> rows_;
};

/// Collects the derivatives with respect to the inputs from rows; those with respect to shared
/// inputs are summed in the order of rows.
template <typename Row>
Tensors collected(const std::vector<std::array<double, Row::kColumns>>& rows,
                  const Tensors& inputs) {
    Tensors results;
    size_t first = 0;
    for (size_t i = 0; i < Row::kWidths.size(); ++i) {
        at::Tensor result = at::zeros(inputs[i].sizes(), at::kDouble);
        double* to = result.mutable_data_ptr<double>();
        for (const auto& row : rows) {
            for (size_t k = 0; k < Row::kWidths[i]; ++k) to[k] += row[first + k];
            if (!Row::kShared[i]) to += Row::kWidths[i];
        }
        first += Row::kWidths[i];
        results.push_back(result.to(inputs[i].device()));
    }
    return results;
}

// A row takes about ten microseconds.
constexpr int64_t kRowsPerThread = 64;

template <typename Work>
void for_each_row(int64_t n, const Work& work) {
    at::parallel_for(0, n, kRowsPerThread, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) work(static_cast<size_t>(row));
    });
}

template <typename Row>
Tensors gradients(const at::Tensor& gradient, const Tensors& inputs, KinematicsType kinematics) {
    constexpr size_t kN = Row::kColumns;
    using Number = Dual<kN>;
    const RowsOf<Row> x(inputs);
    const HostRows weights(gradient, false);
    std::vector<std::array<double, kN>> results(static_cast<size_t>(inputs[0].size(0)));
    for_each_row(inputs[0].size(0), [&](size_t row) {
        const std::array<double, kN> values = x[row];
        std::array<Number, kN> numbers;
        for (size_t k = 0; k < kN; ++k) {
            numbers[k] = values[k];
            numbers[k].slope[k] = 1.0;
        }
        const auto result = Row::result(numbers, kinematics);
        for (size_t k = 0; k < kN; ++k) {
            results[row][k] = 0.0;
            for (size_t i = 0; i < Row::kMoving; ++i)
                results[row][k] += weights[row][i] * result[i].slope[k];
        }
    });
    return collected<Row>(results, inputs);
}

/// Returns second derivatives: with the Jacobian J of a row, gradient g and directions h, the loss
/// is g J h.
template <typename Row>
Tensors second_gradients(const Tensors& directions,
                         const at::Tensor& gradient,
                         const Tensors& inputs,
                         KinematicsType kinematics) {
    constexpr size_t kN = Row::kColumns;
    using Along = Dual<1>;  // derivative along h
    using Number = Dual<kN, Along>;
    const RowsOf<Row> x(inputs), h(directions);
    const HostRows weights(gradient, false);
    at::Tensor by_gradient = at::zeros(gradient.sizes(), at::kDouble);
    double* to = by_gradient.mutable_data_ptr<double>();
    std::vector<std::array<double, kN>> results(static_cast<size_t>(inputs[0].size(0)));
    for_each_row(inputs[0].size(0), [&](size_t row) {
        const std::array<double, kN> values = x[row], along = h[row];
        std::array<Number, kN> numbers;
        for (size_t k = 0; k < kN; ++k) {
            numbers[k].value = Along(values[k], {along[k]});
            numbers[k].slope[k] = 1.0;
        }
        const auto result = Row::result(numbers, kinematics);
        for (size_t i = 0; i < Row::kMoving; ++i)
            to[result.size() * row + i] = result[i].value.slope[0];
        for (size_t k = 0; k < kN; ++k) {
            results[row][k] = 0.0;
            for (size_t i = 0; i < Row::kMoving; ++i)
                results[row][k] += weights[row][i] * result[i].slope[k].slope[0];
        }
    });
    Tensors all{by_gradient.to(gradient.device())};
    for (at::Tensor& result : collected<Row>(results, inputs)) all.push_back(std::move(result));
    return all;
}

}  // namespace

KinematicsType parse_kinematics(std::string_view name) {
    const std::optional<KinematicsType> found = from_string<KinematicsType>(name);
    TORCH_CHECK(
        found, "kinematics must be \"rigid_body\" or \"azimuth_elevation\", found \"", name, "\"");
    return *found;
}

template <>
at::Tensor AlignKernel::forward(const Tensors& inputs, KinematicsType kinematics) {
    const int64_t n = checked_parameters(inputs[0], kinematics);
    check_sun(inputs[1]);
    check(inputs[2], "aim_points", {n, 3});
    const RowsOf<AlignRow> rows(inputs);
    const HostRows sun(inputs[1], true);
    const Vec3 incident{-sun[0][0], -sun[0][1], -sun[0][2]};
    std::vector<KinematicsRecord> records;
    std::vector<Vec3> aim_points;
    for (size_t row = 0; row < static_cast<size_t>(n); ++row) {
        const auto x = rows[row];
        records.push_back(body(x.data(), kinematics));
        aim_points.push_back(triple(&x[AlignRow::kAim]));
    }
    return with_torch_errors([&] {
        const Alignment alignment =
            align_to_aim_points(records, {&incident, 1}, aim_points, at::get_num_threads());
        check_reached(alignment, "aim_points");
        return collect_orientations(alignment, inputs[0]);
    });
}

template <>
at::Tensor OrientKernel::forward(const Tensors& inputs, KinematicsType kinematics) {
    const int64_t n = checked_parameters(inputs[0], kinematics);
    check(inputs[1], "motor_positions", {n, 2});
    check(inputs[2], "drives", {n, 2, static_cast<int64_t>(kDriveColumns)});
    const RowsOf<OrientRow> rows(inputs);
    std::vector<KinematicsRecord> records;
    std::vector<std::array<double, 2>> motor_positions;
    for (int64_t row = 0; row < n; ++row) {
        const auto x = rows[static_cast<size_t>(row)];
        KinematicsRecord record = body(x.data(), kinematics);
        for (size_t axis = 0; axis < 2; ++axis) {
            const double* columns = &x[OrientRow::kDrives[axis]];
            record.drives[axis] = make_drive(columns);
            check_drive(record.drives[axis], columns, row, static_cast<int64_t>(axis));
        }
        records.push_back(record);
        motor_positions.push_back({x[OrientRow::kMotors], x[OrientRow::kMotors + 1]});
    }
    return with_torch_errors([&] {
        const Alignment alignment =
            align_to_motor_positions(records, motor_positions, at::get_num_threads());
        check_reached(alignment, "motor_positions");
        return collect_orientations(alignment, inputs[0]);
    });
}

template <>
at::Tensor MotorKernel::forward(const Tensors& inputs, KinematicsType kinematics) {
    const int64_t n = checked_parameters(inputs[0], kinematics);
    check_sun(inputs[1]);
    check(inputs[2], "aim_points", {n, 3});
    check(inputs[3], "drives", {n, 2, static_cast<int64_t>(kDriveColumns)});
    const RowsOf<MotorRow> rows(inputs);
    const HostRows sun(inputs[1], true);
    const Vec3 incident{-sun[0][0], -sun[0][1], -sun[0][2]};
    std::vector<KinematicsRecord> records;
    std::vector<Vec3> aim_points;
    for (int64_t row = 0; row < n; ++row) {
        const auto x = rows[static_cast<size_t>(row)];
        records.push_back(MotorRow::record(x, kinematics));
        for (size_t axis = 0; axis < 2; ++axis)
            check_drive(records.back().drives[axis],
                        &x[MotorRow::kDrives[axis]],
                        row,
                        static_cast<int64_t>(axis));
        aim_points.push_back(triple(&x[AlignRow::kAim]));
    }
    return with_torch_errors([&] {
        const Alignment alignment =
            align_to_aim_points(records, {&incident, 1}, aim_points, at::get_num_threads());
        check_reached(alignment, "aim_points");
        at::Tensor result = at::empty({n, 2}, at::kDouble);
        double* numbers = result.mutable_data_ptr<double>();
        for (const AlignedMirror& mirror : alignment.mirrors)
            numbers =
                std::copy(mirror.motor_positions.begin(), mirror.motor_positions.end(), numbers);
        return result.to(inputs[0].device());
    });
}

template <typename Row, size_t Inputs>
Tensors PoseKernel<Row, Inputs>::backward(const at::Tensor& gradient,
                                          const Tensors& inputs,
                                          KinematicsType kinematics) {
    forward(inputs, kinematics);  // forward() throws where no derivative exists
    check_gradient<Row>(gradient, inputs[0]);
    return gradients<Row>(gradient, inputs, kinematics);
}

template <typename Row, size_t Inputs>
Tensors PoseKernel<Row, Inputs>::backward_of_backward(const Tensors& directions,
                                                      const at::Tensor& gradient,
                                                      const Tensors& inputs,
                                                      KinematicsType kinematics) {
    return second_gradients<Row>(directions, gradient, inputs, kinematics);
}

template struct PoseKernel<AlignRow, 3>;
template struct PoseKernel<OrientRow, 3>;
template struct PoseKernel<MotorRow, 4>;

}  // namespace helioray::operators
