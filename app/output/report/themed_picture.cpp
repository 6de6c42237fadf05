// SPDX-License-Identifier: MIT
// Replaces identifiers and colours of SVG documents.
#include "app/output/report/themed_picture.h"

#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace helioray {

namespace {

constexpr std::string_view kVariable = "--on-";
constexpr std::size_t kHexDigits = 6;

/// Returns a short hash (FNV-1a), which makes identifiers of different pictures different.
std::uint32_t short_hash(std::string_view text) {
    std::uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

/// Returns the svg element of a document with its identifiers numbered after a prefix.
std::string rename_identifiers(const std::string& document, const std::string& prefix) {
    std::map<std::string, std::string> names;
    std::string out;
    std::size_t at = document.find("<svg");
    while (at < document.size()) {
        // Identifiers stand after id=", ="# and url(#.
        std::size_t first = std::string::npos;
        for (const std::string_view mark : {" id=\"", "=\"#", "url(#"}) {
            const std::size_t found = document.find(mark, at);
            if (found != std::string::npos) first = std::min(first, found + mark.size());
        }
        if (first == std::string::npos) break;
        const std::size_t end = document.find_first_of("\")", first);
        const std::string name = document.substr(first, end - first);
        const auto [entry, is_new] = names.try_emplace(name, "");
        if (is_new) entry->second = fmt::format("{}-{}", prefix, names.size());
        out.append(document, at, first - at);
        out += entry->second;
        at = end;
    }
    return out.append(document, at, std::string::npos);
}

/// Returns the svg element without the namespaces that a document needs and a page does not.
std::string strip_namespaces(std::string svg) {
    for (const std::string_view name : {" xmlns=\"", " xmlns:xlink=\""}) {
        const std::size_t at = svg.find(name);
        if (at < svg.find('>')) svg.erase(at, svg.find('"', at + name.size()) + 1 - at);
    }
    return svg;
}

/// Parts of a text between its colours, and the colours "rgb(...)".
struct Parts {
    std::vector<std::string_view> texts;
    std::vector<std::string_view> colors;
};

Parts split_at_colors(std::string_view text) {
    Parts parts;
    std::size_t at = 0;
    for (;;) {
        const std::size_t color = text.find("rgb(", at);
        parts.texts.push_back(text.substr(at, color - at));
        if (color == std::string_view::npos) return parts;
        at = text.find(')', color) + 1;
        parts.colors.push_back(text.substr(color, at - color));
    }
}

/// Returns "a2321f" for "rgb(63.5%,19.6%,12.2%)".
std::string hex_color(std::string_view rgb) {
    std::string hex;
    const char* at = rgb.data() + rgb.find('(') + 1;
    for (int i = 0; i < 3; ++i) {
        double percent = 0.0;
        while (*at == ' ' || *at == ',') ++at;
        at = std::from_chars(at, rgb.data() + rgb.size(), percent).ptr;
        while (*at == '%') ++at;
        hex += fmt::format("{:02x}", static_cast<int>(std::lround(2.55 * percent)));
    }
    return hex;
}

/// Returns the picture with variables for colours; no value for pictures that differ otherwise.
std::optional<std::string> join(const std::string& light, const std::string& dark) {
    const Parts a = split_at_colors(light);
    const Parts b = split_at_colors(dark);
    if (a.texts != b.texts) return std::nullopt;
    std::string out(a.texts.front());
    for (std::size_t i = 0; i < a.colors.size(); ++i) {
        const std::string on_light = hex_color(a.colors[i]);
        const std::string on_dark = hex_color(b.colors[i]);
        out += on_light == on_dark ? "#" + on_light
                                   : fmt::format("var({}{}-{})", kVariable, on_light, on_dark);
        out += a.texts[i + 1];
    }
    return out;
}

}  // namespace

std::string themed_picture(const std::string& light,
                           const std::string& dark,
                           const std::string& kind,
                           const std::string& description) {
    // Cairo numbers its identifiers through all pictures; equal pictures have equal ones here.
    const std::string prefix = fmt::format("p{:08x}", short_hash(rename_identifiers(light, "")));
    const auto element = [&](const std::string& svg, const std::string& classes) {
        return fmt::format("<svg class=\"{}\" role=\"img\" aria-label=\"{}\"{}",
                           classes,
                           markup_text(description),
                           strip_namespaces(svg).substr(std::string_view("<svg").size()));
    };
    const std::string on_light = rename_identifiers(light, prefix);
    if (const auto both = join(on_light, rename_identifiers(dark, prefix)))
        return element(*both, kind);
    return element(on_light, kind + " on-light") +
           element(rename_identifiers(dark, prefix + "d"), kind + " on-dark");
}

std::string themed_colors(const std::string& markup) {
    std::set<std::string> pairs;
    const std::string use = fmt::format("var({}", kVariable);
    const std::size_t length = 2 * kHexDigits + 1;
    for (std::size_t at = markup.find(use); at != std::string::npos; at = markup.find(use, at)) {
        at += use.size();
        pairs.insert(markup.substr(at, length));
    }
    if (pairs.empty()) return "";
    std::string light;
    std::string dark;
    for (const std::string& pair : pairs) {
        light += fmt::format(" {}{}: #{};", kVariable, pair, pair.substr(0, kHexDigits));
        dark += fmt::format(" {}{}: #{};", kVariable, pair, pair.substr(kHexDigits + 1));
    }
    return fmt::format(
        ":root {{{0} }}\n"
        "@media (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) {{{1} }} }}\n"
        ":root[data-theme=\"dark\"] {{{1} }}\n"
        "@media print {{ :root, :root[data-theme=\"dark\"], :root:not([data-theme=\"light\"]) "
        "{{{0} }} }}\n",
        light,
        dark);
}

}  // namespace helioray
