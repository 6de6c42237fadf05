// SPDX-License-Identifier: MIT
// Fingerprint of integer sums.
#include "raytracer/trace_job.h"

#include <fmt/format.h>
#include <openssl/evp.h>

namespace helioray {

std::string fingerprint(std::span<const int64_t> sums) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    EVP_Digest(sums.data(), sums.size_bytes(), digest, &length, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned int i = 0; i < 16; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
}

}  // namespace helioray
