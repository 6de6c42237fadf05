// SPDX-License-Identifier: MIT
// CPU seconds of calibrating a simulated field: bench_calibration [HELIOSTATS [RECORDS [next]]];
// next: with the most useful next measurement of every heliostat.
#include "raytracer/solvers/calibration/state.h"
#include "tests/raytracer/solvers/calibration/simulated.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int argc, char** argv) {
    using namespace helioray::test;
    const size_t heliostats = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000;
    const size_t records = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
    std::mt19937_64 random(1);
    std::vector<HeliostatRecords> field;
    for (size_t i = 0; i < heliostats; ++i) {
        field.push_back(simulated(Level::drives, records, 1, 0.6e-3, random).data);
    }
    CalibrationOptions options;
    options.latitude_deg = 50.9;
    options.next_measurement = argc > 3;
    const auto seconds = [] {
        return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
    };
    const double start = seconds();
    const std::vector<HeliostatCalibration> found = calibrate(field, walls(), options);
    const double all = seconds() - start;
    std::vector<double> errors;
    for (const HeliostatCalibration& one : found) {
        for (const Comparison& c : one.test) errors.push_back(1e3 * c.error);
    }
    std::nth_element(
        errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2), errors.end());
    std::printf("%zu heliostats x %zu records: %.2f CPU s, unseen records %.3f mrad (median)\n",
                heliostats,
                records,
                all,
                errors[errors.size() / 2]);

    constexpr int kUpdates = 1000;
    HeliostatState state = state_of(found.front());
    const double begin = seconds();
    for (int i = 0; i < kUpdates; ++i) {
        SpotRecord record = field.front().records[static_cast<size_t>(i) % records];
        record.id = "again " + std::to_string(i);  // a record counts once
        update(state, record, {});
    }
    std::printf("one update: %.3f ms\n", 1e3 * (seconds() - begin) / kUpdates);
    return 0;
}
