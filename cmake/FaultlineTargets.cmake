# One static library a folder, one unit-test program a folder. Sources are globbed: a file belongs to the folder it is in.
function(faultline_library part)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${part}/*.cpp" "${PROJECT_SOURCE_DIR}/${part}/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)
    add_library(faultline_${part} INTERFACE)
    return()
  endif()
  add_library(faultline_${part} STATIC ${sources})
  target_include_directories(faultline_${part} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_options(faultline_${part} PRIVATE ${FAULTLINE_WARNINGS})
  target_link_libraries(faultline_${part} ${ARGN})
  if(FAULTLINE_FUZZ AND part MATCHES "^(dsl|step)$")
    target_compile_options(faultline_${part} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  faultline_precompile(faultline_${part} <fmt/format.h>)
  if(part STREQUAL "cli")
    target_compile_definitions(faultline_cli PRIVATE FAULTLINE_VERSION="${PROJECT_VERSION}")
  endif()
  if(part MATCHES "^(codegen|cli)$")
    faultline_compile_fast(faultline_${part})
  endif()
endfunction()

# The program `faultline`, at the top of the build folder.
function(faultline_program)
  add_executable(faultline "${PROJECT_SOURCE_DIR}/cli/main.cpp")
  target_compile_options(faultline PRIVATE ${FAULTLINE_WARNINGS})
  target_link_libraries(faultline PRIVATE faultline_cli)
  if(FAULTLINE_JEMALLOC AND NOT FAULTLINE_SANITIZE)  # sanitizers bring their own
    target_link_libraries(faultline PRIVATE "${FAULTLINE_JEMALLOC}")
  endif()
endfunction()

# Little is gained by optimising what runs once, and sanitizers multiply what it costs to compile.
function(faultline_compile_fast target)
  if(FAULTLINE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# Headers read once. Only beside sanitizers: the release build shows which includes are missing, and GCC 12 warns of what
# is not there when a header is precompiled.
function(faultline_precompile target)
  if(FAULTLINE_SANITIZE)
    target_precompile_headers(${target} PRIVATE <algorithm> <filesystem> <functional> <map> <optional> <set> <string>
      <unordered_map> <vector> ${ARGN})
  endif()
endfunction()

# What tests of several folders share.
function(faultline_test_support)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
  add_library(faultline_test_support STATIC ${sources})
  target_include_directories(faultline_test_support PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_options(faultline_test_support PRIVATE ${FAULTLINE_WARNINGS})
  faultline_compile_fast(faultline_test_support)
  target_compile_definitions(faultline_test_support PRIVATE FAULTLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(faultline_test_support PUBLIC faultline_checker faultline_codegen GTest::gmock GTest::gtest)
  faultline_precompile(faultline_test_support <gmock/gmock.h> <gtest/gtest.h>)
endfunction()

# Each GoogleTest case is a case of ctest, named unit_<folder>.<suite>.<case>; beside sanitizers, a part of the
# cases is one.
function(faultline_unit_tests part)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/unit/${part}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${part} ${sources})
  target_include_directories(test_${part} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(test_${part} PRIVATE ${FAULTLINE_WARNINGS})
  faultline_compile_fast(test_${part})
  target_compile_definitions(test_${part} PRIVATE FAULTLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${part} PRIVATE faultline_${part} Z3::z3 nlohmann_json::nlohmann_json GTest::gmock GTest::gtest_main)
  if(part STREQUAL "codegen")
    target_link_libraries(test_codegen PRIVATE faultline_checker)  # what is exported is held to what it finds
  endif()
  if(NOT part STREQUAL "dsl")
    target_link_libraries(test_${part} PRIVATE faultline_test_support)
  endif()
  faultline_precompile(test_${part} <gmock/gmock.h> <gtest/gtest.h>)
  if(FAULTLINE_SANITIZE)
    # A process for each case would spend half of the time on starting.
    set(shards 16)
    foreach(shard RANGE 1 ${shards})
      math(EXPR index "${shard} - 1")
      add_test(NAME unit_${part}.${shard}of${shards} COMMAND test_${part} --gtest_brief=1)
      set_tests_properties(unit_${part}.${shard}of${shards} PROPERTIES TIMEOUT 1800
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
    endforeach()
  else()
    gtest_discover_tests(test_${part} TEST_PREFIX "unit_${part}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
      PROPERTIES TIMEOUT 600)
  endif()
endfunction()

# tests/faults: the program is killed, limited and run twice. One ctest case each, and none beside another: they measure.
function(faultline_fault_tests)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/faults/*.cpp")
  add_executable(test_faults ${sources})
  target_include_directories(test_faults PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(test_faults PRIVATE ${FAULTLINE_WARNINGS})
  faultline_compile_fast(test_faults)
  target_compile_definitions(test_faults PRIVATE FAULTLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    FAULTLINE_PROGRAM="$<TARGET_FILE:faultline>")
  target_link_libraries(test_faults PRIVATE faultline_test_support GTest::gtest_main)
  add_dependencies(test_faults faultline)
  gtest_discover_tests(test_faults TEST_PREFIX "faults." DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 900 RUN_SERIAL ON)
endfunction()

# Each model is held to its own expect lines.
function(faultline_model_tests)
  file(GLOB models CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/models/*/*.fl"
    "${PROJECT_SOURCE_DIR}/tests/constructs/*.fl")
  foreach(model IN LISTS models)
    add_test(NAME "${model}" COMMAND faultline test "${model}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties("${model}" PROPERTIES TIMEOUT 900)
  endforeach()
endfunction()

# tests/differential/random: the program random_models and the tests of its parts; tests/constructs, which is judged by
# the same.
function(faultline_random_models)
  set(folder "${PROJECT_SOURCE_DIR}/tests/differential/random")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  file(GLOB tests CONFIGURE_DEPENDS "${folder}/*_test.cpp")
  list(REMOVE_ITEM sources ${tests} "${folder}/main.cpp")
  add_library(faultline_random STATIC ${sources})
  add_executable(random_models "${folder}/main.cpp")
  add_executable(test_random ${tests})
  add_executable(test_constructs "${PROJECT_SOURCE_DIR}/tests/constructs/constructs_test.cpp")
  target_link_libraries(faultline_random PUBLIC faultline_checker PRIVATE faultline_test_support)
  target_link_libraries(random_models PRIVATE faultline_random)
  target_link_libraries(test_random PRIVATE faultline_random GTest::gmock GTest::gtest_main)
  target_link_libraries(test_constructs PRIVATE faultline_random faultline_test_support GTest::gtest_main)
  foreach(target faultline_random random_models test_random test_constructs)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_options(${target} PRIVATE ${FAULTLINE_WARNINGS})
    target_compile_definitions(${target} PRIVATE FAULTLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    faultline_compile_fast(${target})
  endforeach()
  gtest_discover_tests(test_random TEST_PREFIX "random." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT 3600)
  gtest_discover_tests(test_constructs TEST_PREFIX "constructs." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT 600)
endfunction()

# tests/fuzz/NAME.cpp is the libFuzzer program fuzz_NAME.
function(faultline_fuzz_targets)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(fuzz_${name} "${source}")
    target_include_directories(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_options(fuzz_${name} PRIVATE ${FAULTLINE_WARNINGS})
    target_link_libraries(fuzz_${name} PRIVATE faultline_step)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()

# tests/bench/NAME.cpp is the Google Benchmark program bench_NAME. Built on request: it prints, ctest does not run it.
function(faultline_benchmarks)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/bench/*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(bench_${name} EXCLUDE_FROM_ALL "${source}")
    target_compile_options(bench_${name} PRIVATE ${FAULTLINE_WARNINGS})
    target_compile_definitions(bench_${name} PRIVATE FAULTLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(bench_${name} PRIVATE faultline_checker benchmark::benchmark)
  endforeach()
endfunction()

# tests/peers/corpus.cpp is the program peers_corpus: the whole corpus against Spin and Rumur. Built on request.
function(faultline_peers_program)
  add_executable(peers_corpus EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/peers/corpus.cpp")
  target_include_directories(peers_corpus PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(peers_corpus PRIVATE ${FAULTLINE_WARNINGS})
  target_compile_definitions(peers_corpus PRIVATE FAULTLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(peers_corpus PRIVATE faultline_test_support faultline_codegen)
endfunction()
