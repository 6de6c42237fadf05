// SPDX-License-Identifier: MIT
// Collects data about the build, the time and the inputs of a run, and computes hashes of files.
#include "raytracer/results/provenance.h"

#include "raytracer/tracing/job/trace_job.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>

namespace helioray {

namespace {

/// Computes a SHA-256 hash incrementally.
class Sha256 {
  public:
    Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
        EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
    }

    void add(const char* data, size_t size) { EVP_DigestUpdate(context_.get(), data, size); }

    std::string hex() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
        unsigned int length = 0;
        EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
        std::string text;
        for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
        return text;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::filesystem::path input_folder(const Provenance& provenance) {
    if (!provenance.config_folder.empty()) return provenance.config_folder;
    const std::string& resolved = provenance.scenario_file;
    const YamlNode root = parse_yaml(provenance.config, "configuration");
    const YamlNode* written = root.kind == YamlNode::Kind::map ? root.find("scenario") : nullptr;
    if (written != nullptr && !written->text.empty() && resolved.ends_with("/" + written->text))
        return resolved.substr(0, resolved.size() - written->text.size());
    return std::filesystem::path(resolved).parent_path();
}

std::string sha256_of_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw InputError(Problem{file.string(), "the file cannot be read", "", ""});
    Sha256 hash;
    std::array<char, 1 << 16> buffer;
    while (stream.read(buffer.data(), buffer.size()) || stream.gcount() > 0) {
        hash.add(buffer.data(), static_cast<size_t>(stream.gcount()));
    }
    return hash.hex();
}

std::string sha256_of_text(const std::string& text) {
    Sha256 hash;
    hash.add(text.data(), text.size());
    return hash.hex();
}

std::string utc_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

double peak_rss_mb() {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024.0 / 1e6;
}

std::string fingerprint(std::span<const int64_t> sums) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    EVP_Digest(sums.data(), sums.size_bytes(), digest, &length, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned int i = 0; i < 16; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
}

}  // namespace helioray
