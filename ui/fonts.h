// The page's fonts in Dear ImGui: glyphs come from the browser, one by one, at the size in which they are drawn.
#pragma once

#include "imgui.h"

namespace gradbook::ui {

struct Fonts {
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  ImFont* code = nullptr;
};

/// Requires a context of Dear ImGui.
Fonts add_fonts(float size);

}  // namespace gradbook::ui
