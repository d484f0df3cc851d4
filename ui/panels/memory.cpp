// The memory of the watched step in time, tensor by tensor, and who holds what is alive now.
#include <algorithm>
#include <vector>

#include "ui/panels.h"
#include "ui/view.h"

namespace gradbook::ui {
namespace {

// A tensor of the step: born after an op, given back before another one ended, at a place where nothing else lives meanwhile.
struct Life {
  size_t node;
  int born, died;
  double bytes, offset = 0;
};

// Largest first, each at the lowest place that is free for all of its life: how an arena would hold them.
std::vector<Life> pack(const SnapshotTable& nodes) {
  std::vector<Life> lives;
  for (size_t i = 0; i < nodes.rows(); ++i) {
    const double bytes = nodes.at(i, "bytes"), died = nodes.at(i, "died");
    if (bytes > 0) lives.push_back({i, static_cast<int>(i), died < 0 ? static_cast<int>(nodes.rows()) : static_cast<int>(died), bytes});
  }
  std::sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.born < b.born; });
  for (size_t i = 0; i < lives.size(); ++i) {
    std::vector<const Life*> beside;
    for (size_t k = 0; k < i; ++k)
      if (lives[k].born < lives[i].died && lives[i].born < lives[k].died) beside.push_back(&lives[k]);
    std::sort(beside.begin(), beside.end(), [](const Life* a, const Life* b) { return a->offset < b->offset; });
    for (const Life* other : beside)
      if (other->offset < lives[i].offset + lives[i].bytes && lives[i].offset < other->offset + other->bytes) lives[i].offset = other->offset + other->bytes;
  }
  return lives;
}

void draw_plan(float height) {
  View& v = view();
  const Snapshot& s = v.snapshot;
  const SnapshotTable& nodes = s.table("nodes");
  static std::vector<Life> lives;
  static double packed_for = -1;
  if (const double number = s.table("trace").at(0, "number"); packed_for != number) {
    lives = pack(nodes);
    packed_for = number;
  }
  double top = 1;
  for (const Life& life : lives) top = std::max(top, life.offset + life.bytes);
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = {ImGui::GetContentRegionAvail().x, height};
  ImGui::InvisibleButton("plan", size);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetMousePos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, {at.x + size.x, at.y + size.y}, v.colour(kGround));
  const float step = size.x / static_cast<float>(std::max<size_t>(1, nodes.rows()));
  for (const Life& life : lives) {
    if (life.node >= nodes.rows()) continue;
    const float x0 = at.x + step * static_cast<float>(life.born), x1 = at.x + step * static_cast<float>(life.died);
    const float y1 = at.y + size.y - static_cast<float>(life.offset / top) * size.y, y0 = y1 - std::max(1.0f, static_cast<float>(life.bytes / top) * size.y);
    const double pass = nodes.at(life.node, "pass");
    const bool over = hovered && mouse.x >= x0 && mouse.x < x1 && mouse.y >= y0 && mouse.y < y1;
    const bool chosen = over || v.node == static_cast<int>(life.node);
    const ImU32 colour = v.series(pass == 0 ? 0 : 3);
    draw->AddRectFilled({x0, y0}, {x1, y1}, chosen ? colour : (colour & 0x00FFFFFF) | 0x88000000);
    draw->AddRect({x0, y0}, {x1, y1}, chosen ? v.colour(kInk) : v.colour(kPaper));
    const std::string name(s.text(nodes.at(life.node, "name")));
    if (y1 - y0 > 16 && x1 - x0 > ImGui::CalcTextSize(name.c_str()).x + 8) draw->AddText({x0 + 4, (y0 + y1) / 2 - 8}, v.colour(kInk), name.c_str());
    if (!over) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsMouseClicked(0)) v.node = static_cast<int>(life.node);
    ImGui::SetTooltip("%s %s\n%s, alive for %d ops", name.c_str(), shape_text(s, nodes.at(life.node, "shape"), nodes.at(life.node, "rank")).c_str(), bytes_text(life.bytes).c_str(), life.died - life.born);
  }
}

void draw_line(float height) {
  const View& v = view();
  const SnapshotTable& nodes = v.snapshot.table("nodes");
  const double begin = v.snapshot.table("trace").at(0, "beginBytes");
  double low = begin, high = begin;
  for (size_t i = 0; i < nodes.rows(); ++i) {
    low = std::min(low, nodes.at(i, "live"));
    high = std::max(high, nodes.at(i, "live"));
  }
  // Beside the line, where it hides nothing. A step often adds little to what was there before it: then it says how little.
  const std::string most = bytes_text(high), least = bytes_text(low) == most && high > low ? bytes_text(high - low) + " less" : bytes_text(low);
  const float room = std::max(ImGui::CalcTextSize(most.c_str()).x, ImGui::CalcTextSize(least.c_str()).x) + 10;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 at = {corner.x + room, corner.y}, size = {std::max(1.0f, ImGui::GetContentRegionAvail().x - room), height};
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("line", size);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float step = size.x / static_cast<float>(std::max<size_t>(1, nodes.rows()));
  const auto y = [&](double bytes) { return at.y + size.y - static_cast<float>(high > low ? (bytes - low) / (high - low) : 0.5) * (size.y - 4) - 2; };
  double before = begin;
  for (size_t i = 0; i < nodes.rows(); ++i) {
    const double live = nodes.at(i, "live");
    const float x = at.x + step * static_cast<float>(i);
    draw->AddLine({x, y(before)}, {x, y(live)}, v.colour(kAccent), 1.5f);
    draw->AddLine({x, y(live)}, {x + step, y(live)}, v.colour(kAccent), 1.5f);
    before = live;
  }
  draw->AddText(corner, v.colour(kInkSoft), most.c_str());
  draw->AddText({corner.x, corner.y + size.y - ImGui::GetTextLineHeight()}, v.colour(kInkSoft), least.c_str());
  if (ImGui::IsItemHovered() && nodes.rows()) {
    const size_t i = std::min(nodes.rows() - 1, static_cast<size_t>(std::max(0.0f, (ImGui::GetMousePos().x - at.x) / step)));
    ImGui::SetTooltip("after %s: %s", std::string(v.snapshot.text(nodes.at(i, "name"))).c_str(), bytes_text(nodes.at(i, "live")).c_str());
  }
}

void draw_ledger() {
  const View& v = view();
  const Snapshot& s = v.snapshot;
  const SnapshotTable& cells = s.table("cells");
  const double live = std::max(1.0, s.table("engine").at(0, "live"));
  if (!ImGui::BeginTable("cells", 4, ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp)) return;
  ImGui::TableSetupColumn("Held by", 0, 2);
  ImGui::TableSetupColumn("Tensors", 0, 1);
  ImGui::TableSetupColumn("Bytes", 0, 1);
  ImGui::TableSetupColumn("Share", 0, 2);
  ImGui::TableHeadersRow();
  for (size_t i = 0; i < cells.rows(); ++i) {
    const std::string_view cell = s.text(cells.at(i, "cell"));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(v.colour(cell.empty() ? kInkSoft : kInk), v.cell_name(cell));
    ImGui::TableNextColumn();
    right_text(whole_text(cells.at(i, "tensors")), v.colour(kInkSoft));
    ImGui::TableNextColumn();
    right_text(bytes_text(cells.at(i, "bytes")), v.colour(kInk));
    ImGui::TableNextColumn();
    bar(static_cast<float>(cells.at(i, "bytes") / live), v.colour(kAccent));
  }
  ImGui::EndTable();
}

}  // namespace

void draw_memory() {
  const View& v = view();
  const SnapshotTable& engine = v.snapshot.table("engine");
  text(v.colour(kInk), (bytes_text(engine.at(0, "live")) + " in tensors").c_str(), v.fonts.bold);
  text_beside(v.colour(kInkSoft), "most " + bytes_text(engine.at(0, "peak")) + ", kept for reuse " + bytes_text(engine.at(0, "cached")) + ", heap " + bytes_text(engine.at(0, "heap")));
  const float height = ImGui::GetContentRegionAvail().y;
  if (v.snapshot.table("nodes").rows()) {
    wrapped_text(v.colour(kInkSoft), "Live bytes after each op of the watched step");
    draw_line(std::max(48.0f, height * 0.16f));
    wrapped_text(v.colour(kInkSoft), "What the step made, from birth to end, packed as an arena would");
    draw_plan(std::max(90.0f, height * 0.34f));
  } else {
    wrapped_text(v.colour(kInkSoft), "The timeline of a step appears when something trains while the inspector is open.");
  }
  ImGui::Spacing();
  draw_ledger();
}

}  // namespace gradbook::ui
