# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# cmake/fuzz.cmake: every tests/fuzz/NAME.cpp is a fuzzer, fuzz_NAME, linked with the objects that it
# needs and not with libweft, so that all it runs is measured.
set(parts_of_expr weft_core)
set(sources_of_expr tools/expr.cpp)
set(parts_of_npz weft_core)
set(sources_of_npz interop/npy.cpp interop/npz.cpp)
set(parts_of_stablehlo weft_core weft_runtime weft_tracer weft_batching weft_autodiff weft_ops
  weft_interop)
set(sources_of_stablehlo)

file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  set(target fuzz_${name})
  list(TRANSFORM sources_of_${name} PREPEND ${PROJECT_SOURCE_DIR}/)
  add_executable(${target} ${source} ${sources_of_${name}})
  foreach(part IN LISTS parts_of_${name})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  target_compile_options(${target} PRIVATE ${short_names})
  target_link_libraries(${target} PRIVATE weft_flags fmt::fmt spdlog::spdlog ${with_runtime}
    PkgConfig::libzip Threads::Threads)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
endforeach()
