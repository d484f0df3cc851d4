// The graph of the watched step: drag or scroll to move, Ctrl and scroll to zoom, a click selects. Heat on the left edge of a
// card says what share of the slowest its time is.
#include <algorithm>
#include <cmath>

#include "ui/graph.h"
#include "ui/panels.h"
#include "ui/view.h"

namespace gradbook::ui {
namespace {

constexpr float kSmallest = 0.08f, kLargest = 2.5f;
// Words on the cards have ten pixels and a half here; what is smaller nobody reads.
constexpr float kReadable = 0.75f;
constexpr float kMargin = 24;

struct Camera {
  float x = 0, y = 0, zoom = 0;  // of the graph's point at the top left; zoom 0: not placed yet
  bool moved = false;            // by the person: later steps leave it alone
};
Camera g_camera;
Graph g_graph;
double g_graph_of = -1;

void fit(ImVec2 size) {
  const float zoom = std::min({size.x / (g_graph.width + 2 * kMargin), size.y / (g_graph.height + 2 * kMargin), 1.0f});
  g_camera.zoom = std::max(zoom, kReadable);
  // What does not fit begins at the top, with the line where the forward pass and its gradients meet in the middle; where there is
  // no room for both sides, with the forward pass.
  const float across = size.x / g_camera.zoom, down = size.y / g_camera.zoom;
  g_camera.x = across >= g_graph.width + 2 * kMargin ? (g_graph.width - across) / 2 : std::clamp(g_graph.middle - std::max(across / 2, g_graph.column + kMargin), -kMargin, g_graph.width + kMargin - across);
  g_camera.y = down >= g_graph.height + 2 * kMargin ? (g_graph.height - down) / 2 : -kMargin;
  g_camera.moved = false;
}

void zoom_at(ImVec2 point, float by) {
  const float zoom = std::clamp(g_camera.zoom * by, kSmallest, kLargest);
  g_camera.x += point.x / g_camera.zoom - point.x / zoom;
  g_camera.y += point.y / g_camera.zoom - point.y / zoom;
  g_camera.zoom = zoom;
  g_camera.moved = true;
}

void move(ImVec2 at, ImVec2 size) {
  ImGuiIO& io = ImGui::GetIO();
  const ImVec2 pointer = {io.MousePos.x - at.x, io.MousePos.y - at.y};
  View& v = view();
  if (ImGui::IsItemHovered()) {
    if (io.KeyCtrl && io.MouseWheel != 0) {
      zoom_at(pointer, std::exp(io.MouseWheel * 0.2f));
    } else if (io.MouseWheel != 0 || io.MouseWheelH != 0) {
      g_camera.x -= io.MouseWheelH * 60 / g_camera.zoom;
      g_camera.y -= io.MouseWheel * 60 / g_camera.zoom;
      g_camera.moved = true;
    }
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 4)) {
    g_camera.x -= io.MouseDelta.x / g_camera.zoom;
    g_camera.y -= io.MouseDelta.y / g_camera.zoom;
    g_camera.moved = true;
  }
  if (v.fit) fit(size);
  v.fit = false;
  if (v.zoom_by != 1) zoom_at({size.x / 2, size.y / 2}, v.zoom_by);
  v.zoom_by = 1;
  if (v.show_node) {
    if (const int card = g_graph.card_of(v.node); card >= 0) {
      const Card& c = g_graph.cards[static_cast<size_t>(card)];
      g_camera.zoom = std::max(g_camera.zoom, 0.5f);
      g_camera.x = c.x + c.width / 2 - size.x / 2 / g_camera.zoom;
      g_camera.y = c.y + c.height / 2 - size.y / 2 / g_camera.zoom;
      g_camera.moved = true;
    }
    v.show_node = false;
  }
}

class Drawing {
 public:
  Drawing(ImVec2 at, ImVec2 size) : at_(at), size_(size), draw_(ImGui::GetWindowDrawList()) {}

  ImVec2 point(float x, float y) const { return {at_.x + (x - g_camera.x) * g_camera.zoom, at_.y + (y - g_camera.y) * g_camera.zoom}; }

  void arrow(const Arrow& arrow) const {
    const View& v = view();
    const Card &a = g_graph.cards[static_cast<size_t>(arrow.from)], &b = g_graph.cards[static_cast<size_t>(arrow.to)];
    const bool up = b.y < a.y, level = b.y == a.y;
    const ImVec2 from = level ? point(a.x + a.width, a.y + a.height / 2) : point(a.x + a.width / 2, up ? a.y : a.y + a.height);
    const ImVec2 to = level ? point(b.x, b.y + b.height / 2) : point(b.x + b.width / 2, up ? b.y + b.height : b.y);
    if (!seen(std::min(from.x, to.x), std::min(from.y, to.y), std::max(from.x, to.x), std::max(from.y, to.y))) return;
    const bool chosen = g_graph.card_of(v.node) == arrow.from || g_graph.card_of(v.node) == arrow.to;
    const ImU32 colour = chosen ? v.colour(kAccent) : arrow.is_gradient ? v.series(3) : v.colour(kInkFaint);
    const float bend = std::max(14.0f * g_camera.zoom, (level ? to.x - from.x : std::abs(to.y - from.y)) * 0.4f), side = up ? -1.0f : 1.0f;
    const ImVec2 c1 = level ? ImVec2{from.x + bend, from.y} : ImVec2{from.x, from.y + side * bend}, c2 = level ? ImVec2{to.x - bend, to.y} : ImVec2{to.x, to.y - side * bend};
    const float width = (chosen ? 2.0f : 1.3f) * std::clamp(g_camera.zoom, 0.6f, 1.2f), head = 6 * std::clamp(g_camera.zoom, 0.4f, 1.2f);
    draw_->AddBezierCubic(from, c1, c2, to, colour, width);
    if (level)
      draw_->AddTriangleFilled(to, {to.x - head, to.y - head * 0.6f}, {to.x - head, to.y + head * 0.6f}, colour);
    else
      draw_->AddTriangleFilled(to, {to.x - head * 0.6f, to.y - side * head}, {to.x + head * 0.6f, to.y - side * head}, colour);
  }

  bool card(const Card& card, bool may_hover) const {
    View& v = view();
    const ImVec2 a = point(card.x, card.y), b = point(card.x + card.width, card.y + card.height);
    if (!seen(a.x, a.y, b.x, b.y)) return false;
    const ImVec2 mouse = ImGui::GetMousePos();
    const bool over = may_hover && mouse.x >= a.x && mouse.x < b.x && mouse.y >= a.y && mouse.y < b.y;
    const bool chosen = std::find(card.nodes.begin(), card.nodes.end(), v.node) != card.nodes.end();
    const size_t row = static_cast<size_t>(card.node);
    const SnapshotTable& nodes = v.snapshot.table("nodes");
    const bool lit = !v.cell.empty() && v.snapshot.text(nodes.at(row, "cell")) == v.cell && nodes.at(row, "line") == v.line;
    const float faint = v.passes(card.title) ? 1.0f : 0.25f, round = 5 * g_camera.zoom;
    draw_->AddRectFilled(a, b, lit ? v.colour(kAccentGround) : v.colour(kRaised, 1), round);
    draw_->AddRect(a, b, chosen ? v.colour(kAccent) : over ? v.colour(kInkFaint) : v.colour(kLineStrong, faint), round, 0, chosen ? 2.0f : 1.0f);
    const float share = g_graph.most_ms > 0 ? static_cast<float>(card.elapsed_ms / g_graph.most_ms) : 0;
    const float heat = (b.y - a.y - 4) * share;
    draw_->AddRectFilled({a.x + 2, b.y - 2 - heat}, {a.x + 2 + 4 * std::max(0.5f, g_camera.zoom), b.y - 2}, v.series(card.pass == 0 ? 0 : card.pass == 1 ? 3 : 2), 2);
    if (g_camera.zoom < 0.3f) return over;
    const float size = 14 * g_camera.zoom, pad = 12 * g_camera.zoom, line = 19 * g_camera.zoom;
    const ImVec4 clip = {a.x, a.y, b.x - pad * 0.5f, b.y};
    ImVec2 at = {a.x + pad, a.y + 9 * g_camera.zoom};
    const ImVec2 time = v.fonts.text->CalcTextSizeA(size, FLT_MAX, 0, card.time.c_str());
    draw_->AddText(v.fonts.text, size, {b.x - pad - time.x, at.y}, v.colour(kInkSoft, faint), card.time.c_str());
    const ImVec4 left = {a.x, a.y, b.x - pad - time.x - 4, b.y};
    draw_->AddText(v.fonts.bold, size, at, v.colour(kInk, faint), card.title.c_str(), nullptr, 0, &left);
    for (const std::string& words : card.lines) {
      at.y += line;
      draw_->AddText(v.fonts.text, size * 0.93f, at, v.colour(kInkSoft, faint), words.c_str(), nullptr, 0, &clip);
    }
    return over;
  }

 private:
  bool seen(float x0, float y0, float x1, float y1) const { return x1 >= at_.x && y1 >= at_.y && x0 <= at_.x + size_.x && y0 <= at_.y + size_.y; }

  ImVec2 at_, size_;
  ImDrawList* draw_;
};

void tell(const Card& card) {
  const View& v = view();
  const SnapshotTable& nodes = v.snapshot.table("nodes");
  const double line = nodes.at(static_cast<size_t>(card.node), "line");
  std::string words = card.title + ", " + card.time;
  if (line > 0) words += std::string("\n") + v.cell_name(v.snapshot.text(nodes.at(static_cast<size_t>(card.node), "cell"))) + ", line " + whole_text(line) + ": click to see it";
  if (card.nodes.size() > 1)
    for (int node : card.nodes) {
      const size_t row = static_cast<size_t>(node);
      words += "\n" + std::string(v.snapshot.text(nodes.at(row, "name"))) + " " + shape_text(v.snapshot, nodes.at(row, "shape"), nodes.at(row, "rank")) + "  " + milliseconds_text(nodes.at(row, "elapsedMs"));
    }
  ImGui::SetTooltip("%s", words.c_str());
}

}  // namespace

void draw_graph() {
  View& v = view();
  const SnapshotTable& trace = v.snapshot.table("trace");
  if (!v.snapshot.table("nodes").rows()) return empty_state("No step has been watched yet.", "Train something while the inspector is open: the operations of one step, forward and backward, are drawn here.");
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  if (g_graph_of != trace.at(0, "number")) {
    const size_t before = g_graph.cards.size();
    g_graph = lay_out_graph(v.snapshot);
    g_graph_of = trace.at(0, "number");
    if (g_camera.zoom == 0 || (before != g_graph.cards.size() && !g_camera.moved)) fit(size);
  }
  ImGui::InvisibleButton("graph", {std::max(1.0f, size.x), std::max(1.0f, size.y)});
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  move(at, size);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
  const Drawing drawing(at, size);
  for (const Arrow& arrow : g_graph.arrows) drawing.arrow(arrow);
  for (const Card& card : g_graph.cards) {
    if (!drawing.card(card, hovered)) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tell(card);
    const ImVec2 dragged = ImGui::GetMouseDragDelta(0, 4);
    if (ImGui::IsMouseReleased(0) && dragged.x == 0 && dragged.y == 0) v.node = card.node;
  }
  draw->PopClipRect();
}

}  // namespace gradbook::ui
