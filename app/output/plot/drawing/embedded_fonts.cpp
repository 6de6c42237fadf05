// SPDX-License-Identifier: MIT
// Reads the embedded fonts with FreeType.
#include "app/output/plot/drawing/embedded_fonts.h"

#include <cairo-ft.h>

#include <stdexcept>

// The assembler embeds the files; CMake defines their paths.
#define HELIORAY_EMBED(name, file)                             \
    __asm__(                                                   \
        ".pushsection .rodata\n"                               \
        ".hidden " #name "\n.global " #name "\n" #name         \
        ":\n"                                                  \
        ".incbin \"" file                                      \
        "\"\n"                                                 \
        ".hidden " #name "_end\n.global " #name "_end\n" #name \
        "_end:\n.byte 0\n"                                     \
        ".popsection\n")
HELIORAY_EMBED(helioray_font_regular, HELIORAY_FONTS "/DejaVuSans.ttf");
HELIORAY_EMBED(helioray_font_bold, HELIORAY_FONTS "/DejaVuSans-Bold.ttf");

extern "C" __attribute__((visibility("hidden"))) const unsigned char helioray_font_regular[],
    helioray_font_regular_end[], helioray_font_bold[], helioray_font_bold_end[];

namespace helioray {

namespace {

cairo_font_face_t* read_font(const unsigned char* begin, const unsigned char* end) {
    FT_Library library = nullptr;
    FT_Face face = nullptr;
    if (FT_Init_FreeType(&library) != 0 ||
        FT_New_Memory_Face(library, begin, static_cast<FT_Long>(end - begin), 0, &face) != 0)
        throw std::runtime_error("FreeType cannot read the fonts of HelioRay");
    return cairo_ft_font_face_create_for_ft_face(face, 0);
}

}  // namespace

cairo_font_face_t* embedded_font(bool bold) {
    static cairo_font_face_t* const regular =
        read_font(helioray_font_regular, helioray_font_regular_end);
    static cairo_font_face_t* const heavy = read_font(helioray_font_bold, helioray_font_bold_end);
    return bold ? heavy : regular;
}

}  // namespace helioray
