# inspector: Dear ImGui and our panels as a wasm module of its own, inspector.js and inspector.wasm. Of the engine it has the
# reader of snapshots and nothing else.
if(NOT EMSCRIPTEN OR NOT EXISTS "${GRADBOOK_IMGUI}/imgui.cpp")
  message(FATAL_ERROR "GRADBOOK_IMGUI does not name Dear ImGui's sources. Run: node tools/setup.mjs imgui")
endif()

set(imgui ${GRADBOOK_IMGUI})
add_library(imgui STATIC ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp
  ${imgui}/backends/imgui_impl_opengl3.cpp)
target_include_directories(imgui SYSTEM PUBLIC ${imgui})
# Text comes from the page's fonts, and a heat map needs more than 65,536 corners.
target_compile_definitions(imgui PUBLIC IMGUI_DISABLE_FILE_FUNCTIONS IMGUI_DISABLE_DEFAULT_FONT IMGUI_DISABLE_DEMO_WINDOWS
  IMGUI_DISABLE_DEBUG_TOOLS IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_IMPL_OPENGL_ES3 "ImDrawIdx=unsigned int")
# Loaded on demand and idle between frames: small counts for more than fast.
target_compile_options(imgui PRIVATE -w -Os)

file(GLOB_RECURSE ui_sources CONFIGURE_DEPENDS ui/*.cpp)
add_executable(inspector ${ui_sources} engine/inspect/snapshot.cpp)
target_include_directories(inspector PRIVATE ${CMAKE_SOURCE_DIR} engine)
target_compile_options(inspector PRIVATE ${warnings} -Os)
target_link_libraries(inspector PRIVATE imgui)
set_target_properties(inspector PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/ui/host.js)
target_link_options(inspector PRIVATE -Os
  -sMODULARIZE=1 -sEXPORT_ES6=1 -sEXPORT_NAME=createInspector -sENVIRONMENT=web
  -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sFILESYSTEM=0 -sALLOW_MEMORY_GROWTH=1 -sSTACK_SIZE=256KB
  -sEXPORTED_FUNCTIONS=_malloc,_free -sEXPORTED_RUNTIME_METHODS=GL,HEAPU8,HEAPU32,UTF8ToString,stringToNewUTF8
  --js-library ${CMAKE_SOURCE_DIR}/ui/host.js --no-entry)
