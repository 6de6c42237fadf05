// SPDX-License-Identifier: MIT
// Values are pickled and sent as texts.
#include "distributed/differentiable/objects.h"

#include "distributed/tensors/collectives.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <string>

namespace helioray {
namespace {

std::string pickle(const c10::IValue& value) {
    const auto bytes = torch::jit::pickle_save(value);
    return {bytes.begin(), bytes.end()};
}

c10::IValue unpickle(const std::string& text) {
    return torch::jit::pickle_load({text.begin(), text.end()});
}

}  // namespace

std::vector<c10::IValue> all_gather_objects(const ProcessGroup& group, const c10::IValue& mine) {
    std::vector<c10::IValue> values;
    for (const auto& text : all_gather_strings(group, pickle(mine)))
        values.push_back(unpickle(text));
    return values;
}

c10::IValue broadcast_object(const ProcessGroup& group, const c10::IValue& value, int root) {
    return unpickle(
        broadcast_string(group, group.rank() == root ? pickle(value) : std::string(), root));
}

}  // namespace helioray
