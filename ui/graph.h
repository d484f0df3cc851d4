// The traced step as cards and arrows: forward ops in layers from the top, each gradient beside its op, the optimizer above the
// gradients. Places only; drawing is in panels/graph.cpp.
#pragma once

#include <string>
#include <vector>

#include "inspect/snapshot.h"

namespace gradbook::ui {

/// One op of the forward pass, all ops of one gradient together, or an optimizer's step.
struct Card {
  int node = 0;                     // first row of `nodes` that it stands for
  std::vector<int> nodes;           // all of them
  int pass = 0;
  std::string title;
  std::vector<std::string> lines;   // shape and bytes, FLOPs and speed, parameters
  std::string time;
  double elapsed_ms = 0;
  float x = 0, y = 0, width = 0, height = 0;
};
struct Arrow {
  int from = 0, to = 0;             // cards
  bool is_gradient = false;
};
struct Graph {
  std::vector<Card> cards;
  std::vector<Arrow> arrows;
  double most_ms = 0;               // of any card
  float width = 0, height = 0;
  float middle = 0;                 // between the forward pass and the gradients beside it
  float column = 0;                 // width of a card and the gap beside it
  int card_of(int node) const { return node >= 0 && node < static_cast<int>(owners.size()) ? owners[static_cast<size_t>(node)] : -1; }
  std::vector<int> owners;          // card of each node
};

Graph lay_out_graph(const Snapshot& snapshot);

}  // namespace gradbook::ui
