// The table of panels: what they are called and how they draw themselves. A new panel is a function and a row.
#pragma once

#include <span>

namespace gradbook::ui {

struct Panel {
  const char* name;
  void (*draw)();
};
std::span<const Panel> panels();

void draw_graph();
void draw_tensors();
void draw_memory();
void draw_profile();
void draw_program();
void draw_metrics();

}  // namespace gradbook::ui
