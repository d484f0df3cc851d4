// Every live tensor in a table that sorts; below it the values of the selected one as a picture, with the value under the pointer.
#include <algorithm>
#include <cmath>
#include <vector>

#include <GLES3/gl3.h>

#include "ui/panels.h"
#include "ui/view.h"

namespace gradbook::ui {
namespace {

struct Row {
  size_t index;
  std::string_view name, kind, cell, dtype;
  double elements, bytes, mean, min, max, deviation, known, key;
  std::string shape;
};

enum Column { kName, kCell, kShape, kType, kBytes, kMean, kDeviation, kMin, kMax };

std::vector<Row> rows_of(const Snapshot& s) {
  const SnapshotTable& t = s.table("tensors");
  std::vector<Row> rows;
  for (size_t i = 0; i < t.rows(); ++i) {
    Row row{i, s.text(t.at(i, "name")), s.text(t.at(i, "kind")), s.text(t.at(i, "cell")), s.text(t.at(i, "dtype")), t.at(i, "elements"), t.at(i, "bytes"), t.at(i, "mean"),
            t.at(i, "min"), t.at(i, "max"), t.at(i, "deviation"), t.at(i, "known"), t.at(i, "key"), shape_text(s, t.at(i, "shape"), t.at(i, "rank"))};
    if (view().passes(row.name.empty() ? row.kind : row.name)) rows.push_back(std::move(row));
  }
  return rows;
}

template <class Value>
int compare(const Value& a, const Value& b) { return a < b ? -1 : b < a ? 1 : 0; }

int compare(const Row& a, const Row& b, int column) {
  switch (column) {
    case kName: return compare(a.name.empty(), b.name.empty()) ? compare(a.name.empty(), b.name.empty()) : compare(a.name, b.name);
    case kCell: return compare(a.cell, b.cell);
    case kShape: return compare(a.elements, b.elements);
    case kType: return compare(a.dtype, b.dtype);
    case kBytes: return compare(a.bytes, b.bytes);
    case kMean: return compare(a.mean, b.mean);
    case kDeviation: return compare(a.deviation, b.deviation);
    case kMin: return compare(a.min, b.min);
    default: return compare(a.max, b.max);
  }
}

std::vector<Row> g_rows;
uint64_t g_rows_of = 0;
std::string g_rows_filter;

void draw_list(float height) {
  const View& v = view();
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("tensors", 9, kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableSetupColumn("Name", 0, 204);
  ImGui::TableSetupColumn("Held by", 0, 102);
  ImGui::TableSetupColumn("Shape", 0, 130);
  ImGui::TableSetupColumn("Type", 0, 60);
  ImGui::TableSetupColumn("Bytes", ImGuiTableColumnFlags_PreferSortDescending | ImGuiTableColumnFlags_DefaultSort, 76);
  for (const char* title : {"Mean", "Std", "Min", "Max"}) ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_PreferSortDescending, 84);
  ImGui::TableHeadersRow();
  ImGuiTableSortSpecs* order = ImGui::TableGetSortSpecs();
  if (g_rows_of != v.serial || g_rows_filter != v.filter || (order && order->SpecsDirty)) {
    g_rows = rows_of(v.snapshot);
    g_rows_of = v.serial;
    g_rows_filter = v.filter;
    if (order && order->SpecsCount) {
      const ImGuiTableColumnSortSpecs& by = order->Specs[0];
      std::stable_sort(g_rows.begin(), g_rows.end(), [&](const Row& a, const Row& b) {
        const int sign = compare(a, b, by.ColumnIndex);
        return by.SortDirection == ImGuiSortDirection_Ascending ? sign < 0 : sign > 0;
      });
      order->SpecsDirty = false;
    }
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(g_rows.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Row& row = g_rows[static_cast<size_t>(i)];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(static_cast<int>(row.index));
      if (ImGui::Selectable("##row", row.key == v.tensor, ImGuiSelectableFlags_SpanAllColumns)) view().tensor = row.key;
      if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::SameLine(0, 0);
      if (row.name.empty())
        text(v.colour(kInkSoft), std::string(row.kind).c_str());
      else
        text(v.colour(kInk), std::string(row.name).c_str(), v.fonts.code);
      ImGui::PopID();
      ImGui::TableNextColumn();
      text(v.colour(kInkSoft), v.cell_name(row.cell));
      ImGui::TableNextColumn();
      text(v.colour(kInk), row.shape.c_str());
      ImGui::TableNextColumn();
      text(v.colour(kInkSoft), std::string(row.dtype).c_str());
      ImGui::TableNextColumn();
      right_text(bytes_text(row.bytes), v.colour(kInk));
      // Values of an earlier step are paler.
      const ImU32 ink = v.colour(row.known == 3 ? kInkFaint : kInk);
      for (double value : {row.mean, row.deviation, row.min, row.max}) {
        ImGui::TableNextColumn();
        if (row.known > 0) right_text(number_text(value), std::isfinite(value) ? ink : v.colour(kError));
      }
    }
  ImGui::EndTable();
}

// -- the picture of values -------------------------------------------------------------------------------------------

// Matrices of the last two axes, laid out as tiles; a vector is broken into lines.
struct Picture {
  int tile_width = 1, tile_height = 1, tiles = 1, across = 1;
  int count = 0;
  int gap() const { return tiles > 1 ? 1 : 0; }
  int width() const { return across * (tile_width + gap()) - gap(); }
  int height() const { return (tiles + across - 1) / across * (tile_height + gap()) - gap(); }
};

Picture lay_out(const std::vector<int>& shape, int count) {
  Picture p;
  p.count = count;
  if (shape.size() < 2) {
    p.tile_width = std::max(1, std::min(count, count <= 64 ? 16 : static_cast<int>(std::ceil(std::sqrt(count * 2.0)))));
    p.tile_height = (count + p.tile_width - 1) / p.tile_width;
    return p;
  }
  p.tile_width = std::max(1, shape.back());
  p.tile_height = std::max(1, shape[shape.size() - 2]);
  const int area = p.tile_width * p.tile_height;
  if (shape.size() == 2 || area > count) {
    p.tile_height = std::max(1, (count + p.tile_width - 1) / p.tile_width);
    return p;
  }
  p.tiles = std::max(1, count / area);
  p.across = std::max(1, static_cast<int>(std::ceil(std::sqrt(p.tiles * 1.8 * p.tile_height / p.tile_width))));
  return p;
}

// Which element a pixel of the picture shows; -1 between tiles.
int element_at(const Picture& p, int x, int y) {
  const int column = x / (p.tile_width + p.gap()), row = y / (p.tile_height + p.gap());
  const int in_x = x % (p.tile_width + p.gap()), in_y = y % (p.tile_height + p.gap());
  if (in_x >= p.tile_width || in_y >= p.tile_height) return -1;
  const int element = (row * p.across + column) * p.tile_width * p.tile_height + in_y * p.tile_width + in_x;
  return row * p.across + column < p.tiles && element < p.count ? element : -1;
}

ImU32 mix(ImU32 a, ImU32 b, double share) {
  ImU32 out = 0;
  for (int shift : {0, 8, 16, 24}) {
    const double from = (a >> shift) & 255, to = (b >> shift) & 255;
    out |= static_cast<ImU32>(from + (to - from) * std::clamp(share, 0.0, 1.0) + 0.5) << shift;
  }
  return out;
}

// Zero is the ground; below it blue, above it red, where there are both; else one hue.
ImU32 heat(double value, double low, double high) {
  const View& v = view();
  if (!std::isfinite(value)) return v.colour(kWarn);
  if (low < 0) {
    const double most = std::max(-low, high);
    return mix(v.colour(kPaper), v.series(value < 0 ? 0 : 3), most > 0 ? std::abs(value) / most : 0);
  }
  return mix(v.colour(kPaper), v.colour(kInk), high > low ? (value - low) / (high - low) : high > 0 ? 1 : 0);
}

GLuint g_texture = 0;
uint64_t g_drawn = 0;
ImU32 g_drawn_on = 0;

void upload(const Picture& p, const SnapshotTable& values, double low, double high) {
  std::vector<ImU32> pixels(static_cast<size_t>(p.width()) * static_cast<size_t>(p.height()), view().colour(kHairline));
  for (int y = 0; y < p.height(); ++y)
    for (int x = 0; x < p.width(); ++x)
      if (const int element = element_at(p, x, y); element >= 0)
        pixels[static_cast<size_t>(y * p.width() + x)] = heat(values.at(static_cast<size_t>(element), 0), low, high);
  if (!g_texture) glGenTextures(1, &g_texture);
  glBindTexture(GL_TEXTURE_2D, g_texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, p.width(), p.height(), 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
}

// "[3, 0, 12, 5]" of an element counted from the start of the tensor.
std::string place_text(const std::vector<int>& shape, double element) {
  std::vector<double> place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = std::fmod(element, shape[axis]);
    element = std::floor(element / shape[axis]);
  }
  std::string words = "[";
  for (size_t axis = 0; axis < place.size(); ++axis) words += (axis ? ", " : "") + whole_text(place[axis]);
  return words + "]";
}

void draw_histogram(const Snapshot& s, double low, double high, ImVec2 size) {
  const SnapshotTable& bins = s.table("bins");
  double most = 1;
  for (size_t i = 0; i < bins.rows(); ++i) most = std::max(most, bins.at(i, 0));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float step = size.x / static_cast<float>(std::max<size_t>(1, bins.rows())), base = at.y + size.y;
  for (size_t i = 0; i < bins.rows(); ++i) {
    const float x = at.x + step * static_cast<float>(i), height = static_cast<float>(bins.at(i, 0) / most) * size.y;
    if (height > 0) draw->AddRectFilled({x, base - std::max(1.0f, height)}, {x + step - 1, base}, view().colour(kAccent));
  }
  draw->AddLine({at.x, base}, {at.x + size.x, base}, view().colour(kLineStrong));
  ImGui::InvisibleButton("histogram", size);
  if (ImGui::IsItemHovered()) {
    const size_t bin = std::min(bins.rows(), static_cast<size_t>((ImGui::GetMousePos().x - at.x) / step));
    const double width = (high - low) / static_cast<double>(std::max<size_t>(1, bins.rows()));
    ImGui::SetTooltip("%s elements from %s to %s", whole_text(bins.at(bin, 0)).c_str(), number_text(low + width * static_cast<double>(bin)).c_str(), number_text(low + width * static_cast<double>(bin + 1)).c_str());
  }
  text(view().colour(kInkSoft), number_text(low).c_str());
  ImGui::SameLine();
  const std::string end = number_text(high);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, at.x + size.x - ImGui::GetCursorScreenPos().x - ImGui::CalcTextSize(end.c_str()).x));
  text(view().colour(kInkSoft), end.c_str());
}

void draw_values() {
  View& v = view();
  const Snapshot& s = v.snapshot;
  const SnapshotTable& tensors = s.table("tensors");
  size_t row = 0;
  while (row < tensors.rows() && tensors.at(row, "key") != v.tensor) ++row;
  if (row == tensors.rows()) return text(v.colour(kInkSoft), v.tensor ? "The selected tensor is gone." : "Select a tensor to see its values.");
  std::vector<int> shape;
  for (size_t i = 0; i < static_cast<size_t>(tensors.at(row, "rank")); ++i) shape.push_back(static_cast<int>(s.table("numbers").at(static_cast<size_t>(tensors.at(row, "shape")) + i, 0)));
  const std::string_view name = s.text(tensors.at(row, "name"));
  text(v.colour(kInk), std::string(name.empty() ? s.text(tensors.at(row, "kind")) : name).c_str(), v.fonts.bold);
  text_beside(v.colour(kInkSoft), shape_text(s, tensors.at(row, "shape"), tensors.at(row, "rank")) + "  " + std::string(s.text(tensors.at(row, "dtype"))));
  const double zeros = tensors.at(row, "zeros"), bad = tensors.at(row, "notFinite");
  text_beside(v.colour(kInkSoft), whole_text(zeros) + " zeros");
  if (bad > 0) text_beside(v.colour(kError), whole_text(bad) + " not finite");
  const SnapshotTable& values = s.table("values");
  if (s.table("selected").at(0, "key") != v.tensor) return text(v.colour(kInkSoft), "Reading its values.");
  if (!values.rows()) return text(v.colour(kInkSoft), "It has no elements.");
  const double low = tensors.at(row, "min"), high = tensors.at(row, "max"), from = s.table("selected").at(0, "from");
  const Picture p = lay_out(shape, static_cast<int>(values.rows()));
  if (g_drawn != v.serial || g_drawn_on != v.colour(kPaper)) {
    upload(p, values, low, high);
    g_drawn = v.serial;
    g_drawn_on = v.colour(kPaper);
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool beside = room.x > 460;
  const ImVec2 frame = {beside ? room.x - 200 : room.x, std::max(60.0f, room.y - (beside ? 4.0f : 100.0f))};
  float scale = std::min(frame.x / static_cast<float>(p.width()), frame.y / static_cast<float>(p.height()));
  scale = scale > 1 ? std::min(24.0f, std::floor(scale)) : scale;
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = {scale * static_cast<float>(p.width()), scale * static_cast<float>(p.height())};
  ImGui::Image(static_cast<ImTextureID>(g_texture), size);
  ImGui::GetWindowDrawList()->AddRect({at.x - 1, at.y - 1}, {at.x + size.x + 1, at.y + size.y + 1}, v.colour(kHairline));
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const int x = static_cast<int>((mouse.x - at.x) / scale), y = static_cast<int>((mouse.y - at.y) / scale);
    if (const int element = element_at(p, x, y); element >= 0)
      ImGui::SetTooltip("%s  %s", place_text(shape, from + element).c_str(), number_text(values.at(static_cast<size_t>(element), 0)).c_str());
  }
  if (beside) ImGui::SameLine(0, 20);
  ImGui::BeginGroup();
  draw_histogram(s, low, high, {beside ? std::min(180.0f, ImGui::GetContentRegionAvail().x) : std::min(260.0f, room.x), 56});
  ImGui::EndGroup();
}

}  // namespace

void draw_tensors() {
  const float height = ImGui::GetContentRegionAvail().y;
  // Half of the panel is kept for values when a tensor is selected, a line for how to select one when none is.
  draw_list(view().tensor ? std::max(120.0f, height * 0.55f) : std::max(120.0f, height - 2 * ImGui::GetTextLineHeight()));
  ImGui::Spacing();
  ImGui::BeginChild("values");
  draw_values();
  ImGui::EndChild();
}

}  // namespace gradbook::ui
