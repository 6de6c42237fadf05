# Precompiled headers, one per group of targets with equal flags: a source that parses LibTorch costs 7 to 15 CPU seconds without
# and 2 with them. Equal flags: everything is compiled as -fPIC, and each group has one level of optimisation, because GCC refuses
# a precompiled header that was made with other flags.

# Code that runs once, and header-only libraries in it, compile a third faster so; the hot loops are in kernels and raytracer.
set(cold $<$<NOT:$<CONFIG:Debug>>:-O1>)
set(helioray_cold_flags ${cold})
set(helioray_test_flags ${cold})
set(helioray_torch_test_flags ${cold})

# helioray_precompile(GROUP LIBRARIES...)
# Precompiles cmake/precompiled_GROUP.h, in a library without content.
function(helioray_precompile group)
    set(source ${PROJECT_BINARY_DIR}/precompiled_${group}.cpp)
    if(NOT EXISTS ${source})
        file(WRITE ${source} "// Carries a precompiled header.\n")
    endif()
    add_library(helioray_precompiled_${group} OBJECT ${source})
    target_link_libraries(helioray_precompiled_${group} PRIVATE helioray_options ${ARGN})
    target_precompile_headers(helioray_precompiled_${group} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled_${group}.h)
    helioray_precompiled_flags(helioray_precompiled_${group} ${group})
endfunction()

# helioray_use_precompiled(TARGET GROUP)
function(helioray_use_precompiled target group)
    target_precompile_headers(${target} REUSE_FROM helioray_precompiled_${group})
    helioray_precompiled_flags(${target} ${group})
endfunction()

function(helioray_precompiled_flags target group)
    # For ccache, which compares preprocessed text.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> ${helioray_${group}_flags})
    # Every header has fmt in it, whose macros have to be the same.
    target_link_libraries(${target} PRIVATE fmt::fmt)
endfunction()

helioray_precompile(base)
helioray_precompile(cold)
if(NOT HELIORAY_WITHOUT_TORCH)
    helioray_precompile(torch helioray_torch)
endif()
