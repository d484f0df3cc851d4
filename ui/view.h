// What all panels share: the snapshot, what is selected, the colours of the page, and how numbers are written.
#pragma once

#include <string>
#include <vector>

#include "imgui.h"
#include "inspect/snapshot.h"
#include "ui/fonts.h"

namespace gradbook::ui {

/// The page's colours, in the order in which it sends them.
enum Colour { kPaper, kGround, kGroundStrong, kRaised, kInk, kInkSoft, kInkFaint, kHairline, kLineStrong, kAccent, kAccentInk, kAccentGround, kError, kWarn, kSeries, kColours = kSeries + 6 };

struct View {
  Snapshot snapshot;
  uint64_t serial = 0;       // grows with every snapshot
  int node = -1;             // selected row of `nodes`
  double tensor = 0;         // key of the selected tensor
  bool show_node = false;    // the graph should bring the selected node into view
  std::string cell;          // the line of a cell that the person looks at; nodes from there light up
  int line = 0;
  std::vector<std::pair<std::string, std::string>> cells;  // id, and what people call it
  std::string filter;        // lower case; what does not contain it is left out
  bool fit = false;          // the graph should show all of itself
  float zoom_by = 1;         // and be so much larger
  ImU32 colours[kColours] = {};
  Fonts fonts;

  ImU32 colour(Colour which) const { return colours[which]; }
  /// With `opacity` from 0 to 1.
  ImU32 colour(Colour which, float opacity) const;
  ImU32 series(int i) const { return colours[kSeries + i % 6]; }
  bool passes(std::string_view words) const;
  /// What people call a cell: "cell 2".
  const char* cell_name(std::string_view id) const;
};
View& view();

/// "12.3 kB", "4.00 MB".
std::string bytes_text(double bytes);
/// "1.23 ms", "45.6 us" becomes "0.046 ms": one unit, so that columns compare.
std::string milliseconds_text(double ms);
/// "12.3 M", "1.02 G"; empty for 0.
std::string count_text(double count);
/// As many digits as matter: "0.2134", "1.23e-07", "NaN".
std::string number_text(double value);
/// "640 FLOP", "7.23 MFLOP".
std::string flops_text(double flops);
/// "1 thread", "4 threads".
std::string threads_text(double threads);
std::string whole_text(double value);
/// "[64, 10]" from the numbers of a snapshot.
std::string shape_text(const Snapshot& snapshot, double place, double rank);

/// A line of quiet text in the middle of the panel: why there is nothing to see, and what to do.
void empty_state(const char* what, const char* hint);
void text(ImU32 colour, const char* words, ImFont* font = nullptr);
/// Text that breaks into lines where the panel ends.
void wrapped_text(ImU32 colour, const std::string& words);
/// Text that goes on in the line of what stands before it, where there is room, else on lines of its own.
void text_beside(ImU32 colour, const std::string& words);
/// Text that ends at the right edge of the column.
void right_text(const std::string& words, ImU32 colour);
/// A bar in a table cell, `share` of its width.
void bar(float share, ImU32 colour);

}  // namespace gradbook::ui
