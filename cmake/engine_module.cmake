# engine: the module that the page loads, engine.js and engine.wasm in the build folder.
add_executable(engine $<TARGET_OBJECTS:engine_bind>)
target_link_libraries(engine PRIVATE engine_core)

set(methods HEAPU8 HEAP32 HEAPF32 HEAPF64 wasmMemory)
if(GRADBOOK_THREADS)
  list(APPEND methods PThread)
endif()
list(JOIN methods "," methods)

# A classic script and not an ES module: a sandboxed frame starts no module workers
# from blob addresses, and the pool's workers are made from this very script.
# -Oz: Binaryen works on the whole module at the link, and -O3 there makes it 3 % larger for nothing that could be measured;
# loops were made fast when their files were compiled.
# Data stays in one piece: cut at every row of zeros it costs 4 KB more compressed, and 8 KB with threads, where code copies each.
target_link_options(engine PRIVATE
  -Oz -sBINARYEN_EXTRA_PASSES=--skip-pass=memory-packing -sMODULARIZE=1 -sEXPORT_NAME=createEngine -sENVIRONMENT=web,worker,node
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=1MB
  -sEXPORTED_FUNCTIONS=_malloc,_free -sEXPORTED_RUNTIME_METHODS=${methods}
  -sINCOMING_MODULE_JS_API=instantiateWasm,locateFile,mainScriptUrlOrBlob,wasmBinary,wasmMemory,print,printErr,onAbort
  --no-entry)
if(GRADBOOK_THREADS)
  # A thread beyond the pool fails at once (EAGAIN) instead of waiting for ever.
  target_link_options(engine PRIVATE "-sPTHREAD_POOL_SIZE=Module['poolSize']" -sPTHREAD_POOL_SIZE_STRICT=2)
endif()
# Functions beside those that they resemble: what the page loads is compressed, and gets 28 KB smaller.
set(order ${CMAKE_SOURCE_DIR}/tools/build/order.mjs)
add_custom_command(TARGET engine POST_BUILD COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${order} $<TARGET_FILE_DIR:engine>/engine.wasm VERBATIM)
set_target_properties(engine PROPERTIES LINK_DEPENDS "${order};${CMAKE_SOURCE_DIR}/tools/build/module.mjs")
