# What every target is compiled with. Included before any target exists.
set(FAULTLINE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in `"text" + std::string` where there are none (GCC bug 105651).
  list(APPEND FAULTLINE_WARNINGS -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These come from the optimiser or from a guess, and are wrong on other lines with each version: shown, but no error.
  list(APPEND FAULTLINE_WARNINGS -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread
    -Wno-error=maybe-uninitialized -Wno-dangling-reference)
endif()

# ccache is used where it is installed and never asked for.
find_program(FAULTLINE_CCACHE ccache)
if(FAULTLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FAULTLINE_CCACHE}")
endif()

if(FAULTLINE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(FAULTLINE_SANITIZED _GLIBCXX_ASSERTIONS)  # an index one past the end is not always past the memory
endif()

if(FAULTLINE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "FAULTLINE_FUZZ needs clang++: cmake --preset asan")
endif()
