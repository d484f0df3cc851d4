// The captured step: what one call into the engine does.
#include <initializer_list>
#include <utility>

#include "ui/panels.h"
#include "ui/view.h"

namespace gradbook::ui {

void draw_program() {
  const View& v = view();
  const Snapshot& s = v.snapshot;
  const SnapshotTable& rows = s.table("program");
  if (!rows.rows()) return empty_state("No step has been captured.", "Steps that repeat can be captured into a program that runs in one call. This training runs op by op; Graph and Profile show its steps.");
  const SnapshotTable& of = s.table("programs");
  const std::string facts = whole_text(static_cast<double>(rows.rows())) + " operations in one call, run " + whole_text(of.at(0, "runs")) + " times. One arena of " + bytes_text(of.at(0, "arena")) +
                            "; most alive at once: " + bytes_text(of.at(0, "largest")) + ".";
  wrapped_text(v.colour(kInkSoft), facts);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("program", 7, kFlags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const auto& [title, width] : std::initializer_list<std::pair<const char*, float>>{{"Op", 214}, {"Fused with", 100}, {"Pass", 70}, {"Result", 120}, {"Place in the arena", 130}, {"Bytes", 76}, {"FLOPs", 76}}) ImGui::TableSetupColumn(title, 0, width);
  ImGui::TableHeadersRow();
  for (size_t i = 0; i < rows.rows(); ++i) {
    const std::string name(s.text(rows.at(i, "name")));
    if (!v.passes(name)) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(v.colour(kInk), name.c_str(), v.fonts.code);
    ImGui::TableNextColumn();
    text(v.colour(kInkSoft), std::string(s.text(rows.at(i, "fused"))).c_str());
    ImGui::TableNextColumn();
    text(v.colour(kInkSoft), rows.at(i, "backward") > 0 ? "backward" : name == "optimizer step" ? "step" : "forward");
    ImGui::TableNextColumn();
    text(v.colour(kInk), shape_text(s, rows.at(i, "shape"), rows.at(i, "rank")).c_str());
    ImGui::TableNextColumn();
    right_text(rows.at(i, "offset") >= 0 ? whole_text(rows.at(i, "offset")) : "", v.colour(kInkSoft));
    ImGui::TableNextColumn();
    right_text(rows.at(i, "bytes") > 0 ? bytes_text(rows.at(i, "bytes")) : "", v.colour(kInk));
    ImGui::TableNextColumn();
    right_text(count_text(rows.at(i, "flops")), v.colour(kInkSoft));
  }
  ImGui::EndTable();
}

}  // namespace gradbook::ui
