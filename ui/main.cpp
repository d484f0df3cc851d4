// The module's door: the page hands in snapshots, colours, size and input, and asks for a frame. One panel fills the canvas;
// tabs, text fields and everything that a screen reader should hear belong to the page.
#include <algorithm>
#include <string_view>

#include <emscripten/emscripten.h>

#include "backends/imgui_impl_opengl3.h"
#include "imgui.h"
#include "ui/panels.h"
#include "ui/view.h"

using namespace gradbook::ui;

namespace {

constexpr float kTextSize = 14;
int g_panel = 0;

void apply_colours() {
  const View& v = view();
  const auto colour = [&](Colour which, float opacity = 1) { return ImGui::ColorConvertU32ToFloat4(v.colour(which, opacity)); };
  ImGuiStyle& style = ImGui::GetStyle();
  for (ImVec4& each : style.Colors) each = colour(kGround);
  ImVec4* c = style.Colors;
  c[ImGuiCol_Text] = colour(kInk);
  c[ImGuiCol_TextDisabled] = colour(kInkSoft);
  c[ImGuiCol_WindowBg] = colour(kPaper);
  c[ImGuiCol_ChildBg] = colour(kPaper);
  c[ImGuiCol_PopupBg] = colour(kRaised);
  c[ImGuiCol_Border] = colour(kLineStrong);
  c[ImGuiCol_BorderShadow] = {0, 0, 0, 0};
  c[ImGuiCol_Header] = colour(kAccentGround);
  c[ImGuiCol_HeaderHovered] = colour(kGroundStrong);
  c[ImGuiCol_HeaderActive] = colour(kAccentGround);
  c[ImGuiCol_TableHeaderBg] = colour(kGround);
  c[ImGuiCol_TableBorderStrong] = colour(kHairline);
  c[ImGuiCol_TableBorderLight] = colour(kHairline);
  c[ImGuiCol_TableRowBg] = {0, 0, 0, 0};
  c[ImGuiCol_TableRowBgAlt] = colour(kGround, 0.5f);
  c[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
  c[ImGuiCol_ScrollbarGrab] = colour(kLineStrong);
  c[ImGuiCol_ScrollbarGrabHovered] = colour(kInkFaint);
  c[ImGuiCol_ScrollbarGrabActive] = colour(kInkFaint);
  c[ImGuiCol_Separator] = colour(kHairline);
  c[ImGuiCol_SeparatorHovered] = colour(kAccent);
  c[ImGuiCol_SeparatorActive] = colour(kAccent);
  c[ImGuiCol_NavCursor] = colour(kAccent);
}

}  // namespace

extern "C" {

/// Requires a current WebGL2 context.
EMSCRIPTEN_KEEPALIVE void ui_start() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowBorderSize = 0;
  style.WindowPadding = {12, 8};
  style.CellPadding = {8, 4};
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.PopupRounding = 4;
  style.ItemSpacing = {8, 4};
  style.FontSizeBase = kTextSize;
  view().fonts = add_fonts(kTextSize);
  ImGui_ImplOpenGL3_Init("#version 300 es");
}

/// kColours colours as 0xAABBGGRR.
EMSCRIPTEN_KEEPALIVE void ui_colours(const ImU32* colours) {
  std::copy(colours, colours + kColours, view().colours);
  apply_colours();
}
EMSCRIPTEN_KEEPALIVE int ui_colour_count() { return kColours; }

/// 1 when the bytes are a snapshot; else the one before stays.
EMSCRIPTEN_KEEPALIVE int ui_snapshot(const uint8_t* bytes, int size) {
  gradbook::Snapshot next;
  if (!next.read({bytes, bytes + size})) return 0;
  view().snapshot = std::move(next);
  ++view().serial;
  return 1;
}

EMSCRIPTEN_KEEPALIVE int ui_panel_count() { return static_cast<int>(panels().size()); }
EMSCRIPTEN_KEEPALIVE const char* ui_panel_name(int panel) { return panels()[static_cast<size_t>(panel)].name; }
EMSCRIPTEN_KEEPALIVE void ui_show(int panel) { g_panel = std::clamp(panel, 0, ui_panel_count() - 1); }

EMSCRIPTEN_KEEPALIVE void ui_pointer(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
EMSCRIPTEN_KEEPALIVE void ui_button(int button, int down) { ImGui::GetIO().AddMouseButtonEvent(button, down != 0); }
EMSCRIPTEN_KEEPALIVE void ui_wheel(float x, float y, int zooms) {
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, zooms != 0);
  ImGui::GetIO().AddMouseWheelEvent(x, y);
}
EMSCRIPTEN_KEEPALIVE void ui_filter(const char* words) { view().filter = words; }
/// Lines of a cell's id, a tab, and what people call it.
EMSCRIPTEN_KEEPALIVE void ui_cells(const char* lines) {
  auto& cells = view().cells;
  cells.clear();
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t tab = line.find('\t');
    if (tab != std::string_view::npos) cells.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
}
EMSCRIPTEN_KEEPALIVE void ui_look_at(const char* cell, int line) {
  view().cell = cell;
  view().line = line;
}
EMSCRIPTEN_KEEPALIVE void ui_select_node(int node) {
  view().show_node = node != view().node;
  view().node = node;
}
EMSCRIPTEN_KEEPALIVE int ui_selected_node() { return view().node; }
EMSCRIPTEN_KEEPALIVE void ui_select_tensor(double key) { view().tensor = key; }
EMSCRIPTEN_KEEPALIVE double ui_selected_tensor() { return view().tensor; }
EMSCRIPTEN_KEEPALIVE void ui_fit() { view().fit = true; }
EMSCRIPTEN_KEEPALIVE void ui_zoom(float by) { view().zoom_by *= by; }
/// 0 an arrow, 1 a hand.
EMSCRIPTEN_KEEPALIVE int ui_cursor() { return ImGui::GetMouseCursor() == ImGuiMouseCursor_Hand ? 1 : 0; }

/// Draws. Size in CSS pixels; `ratio` pixels of the screen to each.
EMSCRIPTEN_KEEPALIVE void ui_frame(float width, float height, float ratio, float seconds) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {width, height};
  io.DisplayFramebufferScale = {ratio, ratio};
  io.DeltaTime = std::clamp(seconds, 0.001f, 0.1f);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin("inspector", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
  if (view().snapshot.empty())
    empty_state("Nothing to inspect yet.", "Run a cell: its tensors, the step that it trains, and what each operation costs appear here.");
  else
    panels()[static_cast<size_t>(g_panel)].draw();
  ImGui::End();
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // extern "C"
