#include "ui/view.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace gradbook::ui {
namespace {

template <class... Values>
std::string print(const char* format, Values... values) {
  char out[64];
  std::snprintf(out, sizeof out, format, values...);
  return out;
}

// Three digits that matter.
std::string three(double value, const char* unit) {
  const double size = std::abs(value);
  return print(size < 10 ? "%.2f %s" : size < 100 ? "%.1f %s" : "%.0f %s", value, unit);
}

}  // namespace

View& view() {
  static View* view = new View;
  return *view;
}

ImU32 View::colour(Colour which, float opacity) const {
  const ImU32 alpha = static_cast<ImU32>(std::clamp(opacity, 0.0f, 1.0f) * 255.0f + 0.5f);
  return (colours[which] & ~IM_COL32_A_MASK) | alpha << IM_COL32_A_SHIFT;
}

bool View::passes(std::string_view words) const {
  if (filter.empty()) return true;
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(words.begin(), words.end(), filter.begin(), filter.end(), same) != words.end();
}

const char* View::cell_name(std::string_view id) const {
  for (const auto& [known, name] : cells)
    if (known == id) return name.c_str();
  return "a deleted cell";
}

std::string bytes_text(double bytes) {
  if (bytes < 1000) return print("%.0f B", bytes);
  if (bytes < 1e6) return three(bytes / 1e3, "kB");
  if (bytes < 1e9) return three(bytes / 1e6, "MB");
  return three(bytes / 1e9, "GB");
}

std::string milliseconds_text(double ms) { return ms < 1 ? print("%.3f ms", ms) : three(ms, "ms"); }

std::string count_text(double count) {
  // A thing that one step in many does may be less than one.
  if (!(count >= 0.5)) return "";
  if (count < 1e3) return print("%.0f", count);
  if (count < 1e6) return three(count / 1e3, "k");
  if (count < 1e9) return three(count / 1e6, "M");
  return three(count / 1e9, "G");
}

std::string flops_text(double flops) { return count_text(flops) + (flops < 1e3 ? " FLOP" : "FLOP"); }

std::string threads_text(double threads) { return whole_text(threads) + (threads == 1 ? " thread" : " threads"); }

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  const double size = std::abs(value);
  if (value == std::floor(value) && size < 1e6) return print("%.0f", value);
  return size >= 1e6 || size < 1e-4 ? print("%.3e", value) : print("%.4g", value);
}

std::string whole_text(double value) {
  std::string digits = print("%.0f", value);
  for (int at = static_cast<int>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) digits.insert(static_cast<size_t>(at), " ");
  return digits;
}

std::string shape_text(const Snapshot& snapshot, double place, double rank) {
  const SnapshotTable& numbers = snapshot.table("numbers");
  std::string words = "[";
  for (int i = 0; i < static_cast<int>(std::clamp(rank, 0.0, 8.0)); ++i) words += (i ? ", " : "") + print("%.0f", numbers.at(static_cast<size_t>(place) + static_cast<size_t>(i), "value"));
  return words + "]";
}

void empty_state(const char* what, const char* hint) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::min(room.x - 24, 420.0f);
  ImGui::SetCursorPos({ImGui::GetCursorPosX() + std::max(12.0f, (room.x - width) / 2), ImGui::GetCursorPosY() + std::max(12.0f, room.y * 0.3f)});
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  text(view().colour(kInk), what, view().fonts.bold);
  text(view().colour(kInkSoft), hint);
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
}

void text(ImU32 colour, const char* words, ImFont* font) {
  if (font) ImGui::PushFont(font, 0.0f);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(words);
  ImGui::PopStyleColor();
  if (font) ImGui::PopFont();
}

void wrapped_text(ImU32 colour, const std::string& words) {
  ImGui::PushTextWrapPos(0);
  text(colour, words.c_str());
  ImGui::PopTextWrapPos();
}

void text_beside(ImU32 colour, const std::string& words) {
  ImGui::SameLine();
  if (ImGui::CalcTextSize(words.c_str()).x > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
  wrapped_text(colour, words);
}

void right_text(const std::string& words, ImU32 colour) {
  const float width = ImGui::CalcTextSize(words.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, ImGui::GetContentRegionAvail().x - width));
  text(colour, words.c_str());
}

void bar(float share, ImU32 colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = at.y + height / 2;
  draw->AddRectFilled({at.x, middle - 4}, {at.x + width, middle + 4}, view().colour(kGroundStrong), 2);
  draw->AddRectFilled({at.x, middle - 4}, {at.x + width * std::clamp(share, 0.0f, 1.0f), middle + 4}, colour, 2);
  ImGui::Dummy({width, height});
}

}  // namespace gradbook::ui
