// Where the time of traced steps goes: the last one as a strip in time, all of them summed up by op with GFLOP/s and the ceiling.
#include <algorithm>
#include <vector>

#include "ui/panels.h"
#include "ui/view.h"

namespace gradbook::ui {
namespace {

constexpr const char* kPasses[] = {"forward", "backward", "step"};

ImU32 pass_colour(double pass) { return view().series(pass == 0 ? 0 : pass == 1 ? 3 : 2); }

// Three levels, as in a flame graph: the pass, the line of the cell, the op.
void draw_strip() {
  View& v = view();
  const Snapshot& s = v.snapshot;
  const SnapshotTable& nodes = s.table("nodes");
  const double whole = s.table("trace").at(0, "elapsedMs");
  const float height = 22, width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  ImGui::InvisibleButton("strip", {width, height * 3 + 6});
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetMousePos();
  const auto place = [&](double ms) { return at.x + static_cast<float>(ms / std::max(1e-9, whole)) * width; };
  const auto box = [&](int level, float from, float to, ImU32 colour, const std::string& words) {
    const float top = at.y + static_cast<float>(level) * (height + 2);
    to = std::max(to, from + 1);
    draw->AddRectFilled({from, top}, {to - (to - from > 4 ? 1.0f : 0.0f), top + height}, colour, 2);
    const float room = to - from - 8;
    if (room > 16 && ImGui::CalcTextSize(words.c_str()).x <= room) draw->AddText({from + 4, top + 3}, v.colour(kPaper), words.c_str());
    return hovered && mouse.x >= from && mouse.x < to && mouse.y >= top && mouse.y < top + height;
  };
  size_t first = 0;
  for (size_t i = 0; i < nodes.rows(); ++i) {
    const double start = nodes.at(i, "startMs"), ms = nodes.at(i, "elapsedMs"), pass = nodes.at(i, "pass");
    const std::string name(s.text(nodes.at(i, "name")));
    const bool ends = i + 1 == nodes.rows() || nodes.at(i + 1, "pass") != pass;
    if (ends) {
      box(0, place(nodes.at(first, "startMs")), place(start + ms), pass_colour(pass), kPasses[static_cast<int>(std::clamp(pass, 0.0, 2.0))]);
      first = i + 1;
    }
    const double line = nodes.at(i, "line");
    const bool lit = !v.cell.empty() && s.text(nodes.at(i, "cell")) == v.cell && line == v.line;
    const ImU32 colour = lit ? v.colour(kAccent) : pass_colour(pass);
    // Lines follow each other without gaps: each box reaches to where the next one starts.
    const double until = i + 1 < nodes.rows() ? nodes.at(i + 1, "startMs") : start + ms;
    box(1, place(start), place(until), (colour & 0x00FFFFFF) | 0x99000000, line > 0 ? "line " + whole_text(line) : "");
    if (box(2, place(start), place(start + ms), colour, name)) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsMouseClicked(0)) v.node = static_cast<int>(i);
      const double flops = nodes.at(i, "flops");
      const std::string speed = flops > 0 && ms > 0 ? ", " + number_text(std::max(0.01, flops / ms / 1e6)) + " GFLOP/s" : "";
      ImGui::SetTooltip("%s %s\n%s%s", name.c_str(), shape_text(s, nodes.at(i, "shape"), nodes.at(i, "rank")).c_str(), milliseconds_text(ms).c_str(), speed.c_str());
    }
  }
}

struct Cost {
  std::string_view name;
  double pass, calls, ms, flops;
  double speed() const { return ms > 0 ? flops / ms / 1e6 : 0; }
};
enum Column { kOp, kPassName, kCalls, kTime, kShare, kFlops, kSpeed, kOfCeiling };

void draw_table() {
  const View& v = view();
  const Snapshot& s = v.snapshot;
  const SnapshotTable& t = s.table("profile");
  const double steps = std::max(1.0, s.table("engine").at(0, "steps")), ceiling = s.table("engine").at(0, "ceiling");
  std::vector<Cost> costs;
  double total = 0;
  for (size_t i = 0; i < t.rows(); ++i) {
    const Cost cost{s.text(t.at(i, "name")), t.at(i, "pass"), t.at(i, "calls"), t.at(i, "elapsedMs"), t.at(i, "flops")};
    total += cost.ms;
    if (v.passes(cost.name)) costs.push_back(cost);
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("costs", 8, kFlags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableSetupColumn("Op", 0, 130);
  ImGui::TableSetupColumn("Pass", 0, 74);
  ImGui::TableSetupColumn("Calls", ImGuiTableColumnFlags_PreferSortDescending, 50);
  ImGui::TableSetupColumn("Time", ImGuiTableColumnFlags_PreferSortDescending | ImGuiTableColumnFlags_DefaultSort, 80);
  ImGui::TableSetupColumn("Share", ImGuiTableColumnFlags_NoSort, 90);
  ImGui::TableSetupColumn("FLOPs", ImGuiTableColumnFlags_PreferSortDescending, 70);
  ImGui::TableSetupColumn("GFLOP/s", ImGuiTableColumnFlags_PreferSortDescending, 70);
  ImGui::TableSetupColumn("Of ceiling", ImGuiTableColumnFlags_NoSort, 90);
  ImGui::TableHeadersRow();
  if (ImGuiTableSortSpecs* order = ImGui::TableGetSortSpecs(); order && order->SpecsCount) {
    const ImGuiTableColumnSortSpecs& by = order->Specs[0];
    const auto value = [&](const Cost& c) { return by.ColumnIndex == kCalls ? c.calls : by.ColumnIndex == kTime ? c.ms : by.ColumnIndex == kFlops ? c.flops : by.ColumnIndex == kSpeed ? c.speed() : c.pass; };
    std::stable_sort(costs.begin(), costs.end(), [&](const Cost& a, const Cost& b) {
      const bool less = by.ColumnIndex == kOp ? a.name < b.name : value(a) < value(b), more = by.ColumnIndex == kOp ? b.name < a.name : value(b) < value(a);
      return by.SortDirection == ImGuiSortDirection_Ascending ? less : more;
    });
    order->SpecsDirty = false;
  }
  for (const Cost& cost : costs) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(v.colour(kInk), std::string(cost.name).c_str(), v.fonts.code);
    ImGui::TableNextColumn();
    text(pass_colour(cost.pass), kPasses[static_cast<int>(std::clamp(cost.pass, 0.0, 2.0))]);
    ImGui::TableNextColumn();
    right_text(number_text(cost.calls / steps), v.colour(kInkSoft));
    ImGui::TableNextColumn();
    right_text(milliseconds_text(cost.ms / steps), v.colour(kInk));
    ImGui::TableNextColumn();
    bar(static_cast<float>(cost.ms / std::max(1e-9, total)), pass_colour(cost.pass));
    ImGui::TableNextColumn();
    right_text(count_text(cost.flops / steps), v.colour(kInkSoft));
    ImGui::TableNextColumn();
    // The pace of a handful of operations says nothing.
    const bool counts = cost.flops / steps >= 1000;
    if (counts) right_text(number_text(cost.speed()), v.colour(kInk));
    ImGui::TableNextColumn();
    if (counts) bar(static_cast<float>(cost.speed() / std::max(1e-9, ceiling)), v.colour(kAccent));
  }
  ImGui::EndTable();
}

}  // namespace

void draw_profile() {
  const View& v = view();
  const Snapshot& s = v.snapshot;
  if (!s.table("nodes").rows()) return empty_state("No step has been watched yet.", "Train something while the inspector is open: now and then one step is watched, op by op.");
  const SnapshotTable& engine = s.table("engine");
  const std::string head = "Step of " + milliseconds_text(s.table("trace").at(0, "elapsedMs")) + ", " + flops_text(s.table("trace").at(0, "flops"));
  text(v.colour(kInk), head.c_str(), v.fonts.bold);
  text_beside(v.colour(kInkSoft), whole_text(engine.at(0, "steps")) + (engine.at(0, "steps") == 1 ? " step" : " steps") + " watched, " + threads_text(engine.at(0, "threads")) + ", ceiling " + number_text(engine.at(0, "ceiling")) + " GFLOP/s");
  draw_strip();
  ImGui::Spacing();
  draw_table();
}

}  // namespace gradbook::ui
