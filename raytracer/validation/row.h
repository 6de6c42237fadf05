// SPDX-License-Identifier: MIT
// One number of ours beside one that is known.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace helioray::validation {

/// A compared quantity; all numbers in `unit`.
struct Row {
    std::string id;        ///< of the case: "B1.1.2"
    std::string title;     ///< of the case
    std::string quantity;  ///< "absorbed power"
    std::string unit;      ///< empty for a pure number
    double reference = 0.0;
    std::string source;  ///< where the reference comes from: "closed form", "Wang 2020, Solstice"
    double ours = 0.0;
    double std_error = 0.0;  ///< of ours, 0 for what is computed without rays
    double tolerance = 0.0;  ///< largest |ours - reference| that passes
    std::string note;        ///< why there is no value; such a row never passes

    /// False for values that are no numbers, too.
    bool pass() const;
};

/// A table with one line per row and a last line that counts them.
std::string rows_table(const std::vector<Row>& rows);

/// {"passed": n, "failed": n, "rows": [{"id": ..., "pass": ...}, ...]}; values that are no numbers
/// become null.
nlohmann::json rows_json(const std::vector<Row>& rows);

/// True when there are rows and all of them pass.
bool all_pass(const std::vector<Row>& rows);

}  // namespace helioray::validation
