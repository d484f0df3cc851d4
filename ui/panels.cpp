#include "ui/panels.h"

namespace gradbook::ui {

std::span<const Panel> panels() {
  static constexpr Panel kPanels[] = {
      {"Graph", draw_graph}, {"Tensors", draw_tensors}, {"Memory", draw_memory}, {"Profile", draw_profile}, {"Program", draw_program}, {"Metrics", draw_metrics},
  };
  return kPanels;
}

}  // namespace gradbook::ui
