// SPDX-License-Identifier: MIT
// Declares the columns of results and series.
#include "raytracer/results/result_columns.h"

#include "raytracer/results/heliostat_quantity.h"

#include <functional>
#include <utility>

namespace helioray {

namespace {

const std::vector<std::string> kNotInCsv;
const std::vector<std::string> kVectorAxis{"axis"};

// A new member does not compile before it is named here: declare its column below.
[[maybe_unused]] void name_members(const HeliostatResult& row) {
    [[maybe_unused]] const auto& [name,
                                  target,
                                  energy,
                                  defocus_loss,
                                  soiling_loss,
                                  outage_loss,
                                  target_power_std_error,
                                  orientation,
                                  motor_positions,
                                  aim_point,
                                  mirror_outline,
                                  rays,
                                  reflectivity,
                                  flux] = row;
}
[[maybe_unused]] void name_members(const SeriesTarget& row) {
    [[maybe_unused]] const auto& [name,
                                  unit,
                                  receiver,
                                  use,
                                  power,
                                  error,
                                  peak,
                                  peak_error,
                                  area,
                                  pixel,
                                  centroid] = row;
}
[[maybe_unused]] void name_members(const ReceiverResult& row) {
    [[maybe_unused]] const auto& [name,
                                  surfaces,
                                  power,
                                  power_error,
                                  peak,
                                  incident_power,
                                  incident_peak] = row;
}
[[maybe_unused]] void name_members(const SeriesStep& row) {
    [[maybe_unused]] const auto& [time,
                                  azimuth,
                                  elevation,
                                  dni,
                                  temperature,
                                  sun,
                                  rays,
                                  fingerprint,
                                  seconds] = row;
}

/// A quantity of the light on a target.
struct TargetQuantity {
    Column<TargetResult> one;                                        ///< value in a run
    Column<SeriesTarget> series;                                     ///< values of a series
    std::function<void(SeriesTarget&, const TargetResult&)> append;  ///< appends the next step
};

template <typename V>
TargetQuantity quantity(const ColumnInfo& info,
                        V TargetResult::*one,
                        std::vector<V> SeriesTarget::*series) {
    return {column(info, one),
            column(info, series),
            [=](SeriesTarget& to, const TargetResult& from) { (to.*series).push_back(from.*one); }};
}

const std::vector<TargetQuantity>& target_quantities() {
    using T = TargetResult;
    using S = SeriesTarget;
    static const std::vector<TargetQuantity> all{
        quantity({"power_w", "W", "Power on the target."}, &T::power_w, &S::power_w),
        quantity({"power_std_error_w", "W", "Standard error of power_w."},
                 &T::power_std_error_w,
                 &S::power_std_error_w),
        quantity({"peak_flux_w_m2", "W/m2", "Largest flux without noise."},
                 &T::peak_flux_w_m2,
                 &S::peak_flux_w_m2),
        quantity({"peak_flux_std_error_w_m2", "W/m2", "Standard error of peak_flux_w_m2."},
                 &T::peak_flux_std_error_w_m2,
                 &S::peak_flux_std_error_w_m2),
        quantity({"peak_area_m2", "m2", "Area that measures peak_flux_w_m2."},
                 &T::peak_area_m2,
                 &S::peak_area_m2),
        quantity({"peak_pixel_w_m2",
                  "W/m2",
                  "Largest flux of a pixel, raised by the noise of the rays."},
                 &T::peak_pixel_w_m2,
                 &S::peak_pixel_w_m2),
        quantity({.name = "centroid_m",
                  .unit = "m",
                  .description = "Flux-weighted mean position, east-north-up.",
                  .axes = kVectorAxis},
                 &T::centroid_m,
                 &S::centroid_m)};
    return all;
}

Columns<HeliostatResult> make_heliostat_columns() {
    using H = HeliostatResult;
    Columns<H> columns{column({.name = "name",
                               .unit = "",
                               .description = "Name of each heliostat.",
                               .is_constant = true},
                              &H::name),
                       column({.name = "target",
                               .unit = "",
                               .description = "Name of each heliostat's target.",
                               .is_constant = true},
                              &H::target)};
    for (const EnergyTermInfo& term : energy_term_infos())
        columns.push_back(column({.name = term.name,
                                  .unit = "W",
                                  .description = term.description,
                                  .is_optional = term.is_of_receivers},
                                 &H::energy,
                                 term.member));
    columns.push_back(column({"target_power_std_error",
                              "W",
                              "Standard error of target_power from the finite number of rays."},
                             &H::target_power_std_error));
    for (const Column<H>& mirror : mirror_columns()) columns.push_back(mirror);
    columns.push_back(column({.name = "motor_positions",
                              .unit = "steps or rad",
                              .description = "Positions of the two actuators: steps of linear "
                                             "ones, radians of ideal ones.",
                              .axes = {"motor"},
                              .csv = {{"motor_position_1", "motor_position_2"}}},
                             &H::motor_positions));
    columns.push_back(column({"rays", "1", "Number of rays traced for each heliostat."}, &H::rays));
    columns.push_back(
        column({.name = "reflectivity",
                .unit = "1",
                .description = "Fraction of the power that each mirror reflects, with "
                               "its soiling; only with a table of states.",
                .is_optional = true},
               &H::reflectivity));
    return columns;
}

}  // namespace

const Columns<HeliostatResult>& heliostat_columns() {
    static const Columns<HeliostatResult> all = make_heliostat_columns();
    return all;
}

Columns<HeliostatResult> heliostat_columns(const RunResult& result) {
    Columns<HeliostatResult> columns = heliostat_columns();
    const std::vector<EnergyTermInfo> terms = energy_terms_of(result);
    for (const EnergyTermInfo& other : energy_term_infos())
        if (std::ranges::find(terms, other.member, &EnergyTermInfo::member) == terms.end())
            std::erase_if(columns, [&](const auto& column) { return column.name == other.name; });
    if (std::ranges::all_of(result.heliostats,
                            [](const HeliostatResult& h) { return h.reflectivity == 0.0; }))
        std::erase_if(columns, [](const auto& column) { return column.name == "reflectivity"; });
    const std::string unit = energy_unit(result);
    for (Column<HeliostatResult>& column : columns)
        if (column.unit == "W") column.unit = unit;
    return columns;
}

const Columns<HeliostatResult>& mirror_columns() {
    using H = HeliostatResult;
    static const Columns<H> all{
        column({.name = "orientation",
                .unit = "1; column 3: m",
                .description =
                    "Homogeneous matrix from the mirror frame (facets in the east-north plane, "
                    "normal up) to east-north-up; column 2 is the mirror normal, column 3 the "
                    "mirror origin.",
                .shape = {4, 4},
                .axes = {"row", "column"},
                .csv = kNotInCsv},
               &H::orientation),
        column({.name = "aim_point",
                .unit = "m",
                .description = "Point each heliostat aims at, east-north-up.",
                .axes = kVectorAxis,
                .csv = {{"aim_east_m", "aim_north_m", "aim_up_m"}}},
               &H::aim_point),
        column({.name = "mirror_outline",
                .unit = "m",
                .description = "Corners of the mirror in its own frame (normal up), anticlockwise "
                               "seen from above; orientation places them in the field.",
                .axes = {"corner", "axis"},
                .csv = kNotInCsv,
                .is_optional = true,
                .is_constant = true},
               &H::mirror_outline)};
    return all;
}

const Columns<MirrorPose>& pose_columns() {
    using P = MirrorPose;
    static const Columns<P> all{
        column({.name = "mirror_normal",
                .unit = "1",
                .description =
                    "Unit normal of the mirror, east-north-up; 0 for a heliostat without a pose.",
                .axes = kVectorAxis},
               &P::normal),
        column({.name = "mirror_origin",
                .unit = "m",
                .description = "Origin of the mirror frame, east-north-up.",
                .axes = kVectorAxis},
               &P::origin),
        column({"mirror_turn",
                "rad",
                "Angle about the normal from the horizontal direction up x normal (east where the "
                "normal is vertical) to the first axis of the mirror frame."},
               &P::turn)};
    return all;
}

const Columns<TargetResult>& target_columns() {
    static const Columns<TargetResult> all = [] {
        Columns<TargetResult> columns;
        for (const TargetQuantity& quantity : target_quantities()) columns.push_back(quantity.one);
        return columns;
    }();
    return all;
}

const Columns<ReceiverResult>& receiver_columns() {
    using R = ReceiverResult;
    static const Columns<R> all{
        column({"power_w", "W", "Power on the absorbing surfaces of the receiver."}, &R::power_w),
        column({"power_std_error_w", "W", "Upper limit of the standard error of power_w."},
               &R::power_std_error_w),
        column({"peak_flux_w_m2", "W/m2", "Largest peak flux of the absorbing surfaces."},
               &R::peak_flux_w_m2)};
    return all;
}

const Columns<SeriesTarget>& series_target_columns() {
    static const Columns<SeriesTarget> all = [] {
        Columns<SeriesTarget> columns;
        for (const TargetQuantity& quantity : target_quantities())
            columns.push_back(quantity.series);
        return columns;
    }();
    return all;
}

void append_step(SeriesTarget& series, const TargetResult& step) {
    for (const TargetQuantity& quantity : target_quantities()) quantity.append(series, step);
}

const Columns<SeriesStep>& sun_columns() {
    using S = SeriesStep;
    static const Columns<S> all{
        column({"time",
                "",
                "Time of each step, ISO 8601; empty where angles without a time gave the "
                "position."},
               &S::time),
        column({"azimuth_deg", "deg", "Sun's azimuth, clockwise from north."}, &S::azimuth_deg),
        column({"elevation_deg",
                "deg",
                "Sun's elevation above the horizon, with refraction where it follows from a time."},
               &S::elevation_deg),
        column({"dni_w_m2", "W/m2", "Direct normal irradiance."}, &S::dni_w_m2),
        column({.name = "temperature_c",
                .unit = "degC",
                .description = "Temperature of the air; only if it is known in every step.",
                .csv = {{"temperature_c"}},
                .is_optional = true},
               &S::temperature_c)};
    return all;
}

const Columns<SeriesStep>& step_columns() {
    using S = SeriesStep;
    static const Columns<S> all = [] {
        Columns<S> columns = sun_columns();
        columns.push_back(column({.name = "sun_direction",
                                  .unit = "1",
                                  .description = "Unit vector to the sun, east-north-up.",
                                  .axes = kVectorAxis},
                                 &S::sun_direction));
        columns.push_back(column({"rays", "1", "Rays of each step."}, &S::rays));
        columns.push_back(column({"fingerprint", "", "Hash of each step's exact integer sums."},
                                 &S::fingerprint));
        columns.push_back(
            column({"trace_seconds", "s", "Time that tracing took."}, &S::trace_seconds));
        return columns;
    }();
    return all;
}

}  // namespace helioray
