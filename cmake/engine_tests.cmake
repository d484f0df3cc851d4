# engine_tests: tests/engine/*.cpp with GoogleTest, native or under Node.
file(GLOB test_sources CONFIGURE_DEPENDS tests/engine/*.cpp)
if(NOT test_sources OR NOT EXISTS "${GRADBOOK_GOOGLETEST}/googletest/src/gtest-all.cc")
  return()
endif()
if(NOT TARGET kernels_xnnpack)
  list(FILTER test_sources EXCLUDE REGEX "kernels_xnnpack\\.cpp$")
endif()

set(gtest ${GRADBOOK_GOOGLETEST}/googletest)
add_library(gtest STATIC ${gtest}/src/gtest-all.cc ${gtest}/src/gtest_main.cc)
target_include_directories(gtest SYSTEM PUBLIC ${gtest}/include PRIVATE ${gtest})
target_compile_options(gtest PRIVATE -w)
if(EMSCRIPTEN AND NOT GRADBOOK_THREADS)
  target_compile_definitions(gtest PUBLIC GTEST_HAS_PTHREAD=0)
endif()

# The bindings are plain C++ too, and have tests of their own.
add_executable(engine_tests ${test_sources})
# GoogleTest's macros after an if without braces are well formed.
target_compile_options(engine_tests PRIVATE ${warnings} -Wno-dangling-else)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC's flow analysis sees overflows in std::vector that cannot happen.
  target_compile_options(engine_tests PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_include_directories(engine_tests PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(engine_tests PRIVATE engine_bind gtest)
if(TARGET kernels_xnnpack)
  target_link_libraries(engine_tests PRIVATE kernels_xnnpack)
endif()

if(NOT EMSCRIPTEN)
  # Asks this build what the API asked of the WebAssembly one: tests/conformance/native.
  add_executable(engine_replay tests/conformance/native/replay.cpp)
  target_compile_options(engine_replay PRIVATE ${warnings})
  target_link_libraries(engine_replay PRIVATE engine_bind)
endif()

if(EMSCRIPTEN)
  # Tests link often and are not shipped: -O1 skips the slow whole-program passes.
  target_link_options(engine_tests PRIVATE -O1
    -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=1MB -sENVIRONMENT=node)
  if(GRADBOOK_THREADS)
    target_link_options(engine_tests PRIVATE -sPTHREAD_POOL_SIZE=4 -sPROXY_TO_PTHREAD=0)
  endif()
endif()
