# kernels_xnnpack: XNNPACK and pthreadpool, built once by tools/setup.mjs, behind engine/kernels/xnnpack.h. Tests and kernel timings
# link it; the shipped module does not. Without GRADBOOK_XNNPACK there is no such target.
if(NOT GRADBOOK_XNNPACK)
  return()
endif()
if(NOT EXISTS "${GRADBOOK_XNNPACK}/include/xnnpack.h")
  message(FATAL_ERROR "GRADBOOK_XNNPACK does not name a built XNNPACK. Run: node tools/setup.mjs")
endif()

add_library(kernels_xnnpack STATIC engine/kernels/xnnpack.cpp)
target_compile_options(kernels_xnnpack PRIVATE ${warnings})
target_include_directories(kernels_xnnpack SYSTEM PRIVATE ${GRADBOOK_XNNPACK}/include)
set(pool pthreadpool)
if(EMSCRIPTEN AND NOT GRADBOOK_THREADS)
  set(pool pthreadpool_one)
endif()
target_link_libraries(kernels_xnnpack PUBLIC engine_core ${GRADBOOK_XNNPACK}/lib/libxnnpack.a ${GRADBOOK_XNNPACK}/lib/lib${pool}.a)
if(NOT EMSCRIPTEN)
  # XNNPACK's configuration names kernels that are left out; only sections in use are linked.
  target_link_options(kernels_xnnpack PUBLIC -Wl,--gc-sections)
endif()
