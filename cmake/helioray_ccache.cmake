# ccache, when present, makes repeated builds cheap.
find_program(HELIORAY_CCACHE ccache)
if(HELIORAY_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${HELIORAY_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${HELIORAY_CCACHE})
endif()
