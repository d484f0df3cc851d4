// Numbers that training logs, with the shape of their curve, and the state of the engine in a line.
#include <algorithm>
#include <cmath>
#include <string>

#include "ui/panels.h"
#include "ui/view.h"

namespace gradbook::ui {
namespace {

float code_width(const std::string& words) {
  ImGui::PushFont(view().fonts.code, 0.0f);
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  ImGui::PopFont();
  return width;
}

// Of the last training alone: where steps begin anew, another one has begun.
void draw_curve(const SnapshotTable& history, size_t from, size_t count, ImU32 colour) {
  for (size_t i = from + count; i > from + 1; --i)
    if (history.at(i - 1, "step") <= history.at(i - 2, "step")) {
      count -= i - 1 - from;
      from = i - 1;
      break;
    }
  double low = INFINITY, high = -INFINITY;
  for (size_t i = from; i < from + count; ++i)
    if (const double value = history.at(i, "value"); std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = {ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 1.6f};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  ImGui::Dummy(size);
  if (count < 2) return;
  const double first = history.at(from, "step"), last = history.at(from + count - 1, "step");
  const auto place = [&](size_t i) {
    const double x = last > first ? (history.at(from + i, "step") - first) / (last - first) : 0, y = high > low ? (history.at(from + i, "value") - low) / (high - low) : 0.5;
    return ImVec2{at.x + static_cast<float>(x) * size.x, at.y + size.y - 2 - static_cast<float>(y) * (size.y - 4)};
  };
  for (size_t i = 1; i < count; ++i)
    if (std::isfinite(history.at(from + i, "value")) && std::isfinite(history.at(from + i - 1, "value"))) draw->AddLine(place(i - 1), place(i), colour, 1.5f);
}

}  // namespace

void draw_metrics() {
  const View& v = view();
  const Snapshot& s = v.snapshot;
  const SnapshotTable &metrics = s.table("metrics"), &engine = s.table("engine");
  const double step = engine.at(0, "stepMs");
  text(v.colour(kInk), std::string(s.text(engine.at(0, "flavour"))).c_str(), v.fonts.bold);
  text_beside(v.colour(kInkSoft), threads_text(engine.at(0, "threads")) + ", " + bytes_text(engine.at(0, "live")) + " in " + whole_text(engine.at(0, "blocks")) + " tensors, " + whole_text(engine.at(0, "handles")) +
                            " handles, " + whole_text(engine.at(0, "records")) + " records" + (step > 0 ? ", last step " + milliseconds_text(step) : ""));
  if (!metrics.rows()) return empty_state("Nothing has been logged.", "log({ loss }) in a training loop, or fit(...), fills this table and the chart under the cell.");
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  // The name stands whole, and the curve takes what is left; on a phone the columns behind it are scrolled to.
  constexpr float kNumber = 58, kLeast = 90, kPadding = 16;
  const float room = ImGui::GetContentRegionAvail().x;
  float name_width = 70;
  for (size_t i = 0; i < metrics.rows(); ++i)
    if (metrics.at(i, "count") > 0) name_width = std::max(name_width, code_width(std::string(s.text(metrics.at(i, "name")))));
  name_width = std::min(name_width + 4, room * 0.6f);
  if (!ImGui::BeginTable("metrics", 6, kFlags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableSetupColumn("Metric", 0, name_width);
  ImGui::TableSetupColumn("Last", 0, kNumber);
  ImGui::TableSetupColumn("Curve", 0, std::max(kLeast, room - name_width - 4 * kNumber - 6 * kPadding - 4));
  for (const char* title : {"Step", "Min", "Max"}) ImGui::TableSetupColumn(title, 0, kNumber);
  ImGui::TableHeadersRow();
  for (size_t i = 0; i < metrics.rows(); ++i) {
    const std::string name(s.text(metrics.at(i, "name")));
    // The engine's own counters.
    if (!v.passes(name) || metrics.at(i, "count") == 0 || name.starts_with('#')) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(v.colour(kInk), name.c_str(), v.fonts.code);
    const double last = metrics.at(i, "last"), low = metrics.at(i, "min"), high = metrics.at(i, "max");
    ImGui::TableNextColumn();
    right_text(number_text(last), v.colour(std::isfinite(last) ? kInk : kError));
    ImGui::TableNextColumn();
    draw_curve(s.table("history"), static_cast<size_t>(metrics.at(i, "history")), static_cast<size_t>(metrics.at(i, "historyCount")), v.series(static_cast<int>(i)));
    ImGui::TableNextColumn();
    right_text(whole_text(metrics.at(i, "step")), v.colour(kInkSoft));
    for (double value : {low, high}) {
      ImGui::TableNextColumn();
      right_text(number_text(value), v.colour(kInkSoft));
    }
  }
  ImGui::EndTable();
}

}  // namespace gradbook::ui
