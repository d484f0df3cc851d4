#include "ui/graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ui/view.h"

namespace gradbook::ui {
namespace {

constexpr float kCardWidth = 248, kLineHeight = 19, kPadding = 10, kAcross = 26, kDown = 34;

class Layout {
 public:
  explicit Layout(const Snapshot& snapshot) : s_(snapshot), nodes_(snapshot.table("nodes")), leaves_(snapshot.table("leaves")), numbers_(snapshot.table("numbers")) {}

  Graph build() {
    make_cards();
    connect();
    place();
    return std::move(graph_);
  }

 private:
  int number(size_t row, const char* column) const {
    const double value = nodes_.at(row, column);
    return std::isfinite(value) && std::abs(value) < 1e9 ? static_cast<int>(value) : -1;
  }

  std::vector<int> inputs_of(size_t row) const {
    std::vector<int> inputs;
    const int from = number(row, "inputs"), count = std::clamp(number(row, "inputCount"), 0, 256);
    for (int i = 0; i < count && from >= 0; ++i) {
      const double input = numbers_.at(static_cast<size_t>(from + i), "value");
      if (std::isfinite(input) && std::abs(input) < 1e9) inputs.push_back(static_cast<int>(input));
    }
    return inputs;
  }

  void make_cards() {
    const int count = static_cast<int>(nodes_.rows());
    graph_.owners.assign(static_cast<size_t>(count), -1);
    std::map<int, int> gradients;  // forward node -> card of its gradient
    for (int i = 0; i < count; ++i) {
      const size_t row = static_cast<size_t>(i);
      const int pass = number(row, "pass"), of = number(row, "of");
      const bool joins = pass == 1 && of >= 0 && of < i;
      int card = joins && gradients.contains(of) ? gradients[of] : -1;
      if (card < 0) {
        card = static_cast<int>(graph_.cards.size());
        graph_.cards.push_back({});
        Card& fresh = graph_.cards.back();
        fresh.node = i;
        fresh.pass = pass;
        fresh.title = joins ? std::string(s_.text(nodes_.at(static_cast<size_t>(of), "name"))) + " gradient" : std::string(s_.text(nodes_.at(row, "name")));
        if (joins) {
          gradients[of] = card;
          gradient_of_[card] = of;
        }
      }
      graph_.cards[static_cast<size_t>(card)].nodes.push_back(i);
      graph_.owners[row] = card;
    }
    for (Card& card : graph_.cards) describe(card);
  }

  void describe(Card& card) {
    double flops = 0, bytes = 0;
    for (int node : card.nodes) {
      card.elapsed_ms += nodes_.at(static_cast<size_t>(node), "elapsedMs");
      flops += nodes_.at(static_cast<size_t>(node), "flops");
      bytes += nodes_.at(static_cast<size_t>(node), "bytes");
    }
    graph_.most_ms = std::max(graph_.most_ms, card.elapsed_ms);
    card.time = milliseconds_text(card.elapsed_ms);
    const size_t last = static_cast<size_t>(card.nodes.back());
    if (card.pass != 2)
      card.lines.push_back((card.nodes.size() > 1 ? std::to_string(card.nodes.size()) + " ops" : shape_text(s_, nodes_.at(last, "shape"), nodes_.at(last, "rank"))) + "  " +
                           (bytes > 0 ? bytes_text(bytes) : "a view"));
    // The pace of a handful of operations says nothing.
    if (flops >= 1000) {
      const double speed = card.elapsed_ms > 0 ? flops / card.elapsed_ms / 1e6 : 0;
      card.lines.push_back(flops_text(flops) + ", " + number_text(speed) + " GFLOP/s");
    }
    // What comes from before the step: parameters by name, data by shape.
    if (card.pass != 1) {
      size_t named = 0;
      const std::vector<int> inputs = inputs_of(last);
      for (int input : inputs) {
        if (input >= 0) continue;
        const size_t leaf = static_cast<size_t>(-1 - input);
        const std::string name(s_.text(leaves_.at(leaf, "name")));
        if (++named > 3) continue;
        card.lines.push_back((name.empty() ? std::string(leaves_.at(leaf, "requiresGrad") == 1 ? "parameter" : "data") : name) + " " + shape_text(s_, leaves_.at(leaf, "shape"), leaves_.at(leaf, "rank")));
      }
      if (named > 3) card.lines.push_back("and " + std::to_string(named - 3) + " more");
    }
    card.width = kCardWidth;
    card.height = kPadding * 2 + kLineHeight * static_cast<float>(1 + card.lines.size());
  }

  void connect() {
    std::set<std::pair<int, int>> seen;
    const auto add = [&](int from, int to, bool is_gradient) {
      if (from >= 0 && to >= 0 && from != to && seen.emplace(from, to).second) graph_.arrows.push_back({from, to, is_gradient});
    };
    for (int c = 0; c < static_cast<int>(graph_.cards.size()); ++c)
      for (int node : graph_.cards[static_cast<size_t>(c)].nodes)
        for (int input : inputs_of(static_cast<size_t>(node))) {
          const int from = graph_.card_of(input);
          if (from < 0) continue;
          const int passes[] = {graph_.cards[static_cast<size_t>(from)].pass, graph_.cards[static_cast<size_t>(c)].pass};
          // A gradient reads what its forward pass left; the card stands beside it, so that arrow says nothing.
          if (passes[0] == 0 && passes[1] == 1) continue;
          add(from, c, passes[1] == 1);
        }
    // Where the first gradient begins: at the end of the forward pass.
    int last = -1, first = -1;
    for (int c = 0; c < static_cast<int>(graph_.cards.size()); ++c) {
      if (graph_.cards[static_cast<size_t>(c)].pass == 0 && first < 0) last = c;
      if (graph_.cards[static_cast<size_t>(c)].pass == 1 && first < 0) first = c;
    }
    add(last, first, true);
    for (int c = 0; c < static_cast<int>(graph_.cards.size()); ++c)
      if (graph_.cards[static_cast<size_t>(c)].pass == 2)
        for (int g = c - 1; g >= 0; --g)
          if (graph_.cards[static_cast<size_t>(g)].pass == 1) {
            add(g, c, true);
            break;
          }
  }

  void place() {
    const size_t count = graph_.cards.size();
    std::vector<int> layer(count, 0);
    // Inputs come before what uses them, so one pass in order is enough.
    std::vector<std::vector<int>> inputs(count);
    for (const Arrow& arrow : graph_.arrows)
      if (!arrow.is_gradient) inputs[static_cast<size_t>(arrow.to)].push_back(arrow.from);
    for (size_t c = 0; c < count; ++c)
      for (int from : inputs[c])
        if (from < static_cast<int>(c)) layer[c] = std::max(layer[c], layer[static_cast<size_t>(from)] + 1);
    int stray = 0;
    for (size_t c = 0; c < count; ++c) {
      if (graph_.cards[c].pass == 0) {
        stray = std::max(stray, layer[c]);
        continue;
      }
      const auto of = gradient_of_.find(static_cast<int>(c));
      const int owner = of == gradient_of_.end() ? -1 : graph_.card_of(of->second);
      layer[c] = owner >= 0 ? layer[static_cast<size_t>(owner)] : graph_.cards[c].pass == 2 ? -1 : ++stray;
    }
    std::map<int, std::vector<size_t>> forward, backward;
    for (size_t c = 0; c < count; ++c) (graph_.cards[c].pass == 0 ? forward : backward)[layer[c]].push_back(c);
    // How far it is from each card to the end of the forward pass: the main line of a model is the longest.
    std::vector<int> below(count, 0);
    for (size_t c = count; c-- > 0;)
      for (int from : inputs[c])
        if (from < static_cast<int>(c)) below[static_cast<size_t>(from)] = std::max(below[static_cast<size_t>(from)], below[c] + 1);
    for (auto& [at, row] : forward) std::stable_sort(row.begin(), row.end(), [&](size_t a, size_t b) { return below[a] > below[b]; });
    float left = 0;
    for (const auto& [at, row] : forward) left = std::max(left, static_cast<float>(row.size()) * (kCardWidth + kAcross));
    graph_.middle = left;
    graph_.column = kCardWidth + kAcross;
    float y = 0;
    std::set<int> layers;
    for (const auto& [at, row] : forward) layers.insert(at);
    for (const auto& [at, row] : backward) layers.insert(at);
    for (int at : layers) {
      float height = 0, x = left - static_cast<float>(forward[at].size()) * (kCardWidth + kAcross);
      // Against the middle, where gradients stand on the other side.
      const auto put = [&](size_t c) {
        Card& card = graph_.cards[c];
        card.x = x;
        card.y = y;
        x += kCardWidth + kAcross;
        height = std::max(height, card.height);
        graph_.width = std::max(graph_.width, card.x + card.width);
      };
      // The main line stands next to the middle and goes straight down; what it does not need, as the shuffling of examples, farther out.
      for (auto c = forward[at].rbegin(); c != forward[at].rend(); ++c) put(*c);
      x = left + kAcross;
      for (size_t c : backward[at]) put(c);
      y += height + kDown;
    }
    graph_.height = std::max(0.0f, y - kDown);
  }

  const Snapshot& s_;
  const SnapshotTable &nodes_, &leaves_, &numbers_;
  Graph graph_;
  std::map<int, int> gradient_of_;
};

}  // namespace

Graph lay_out_graph(const Snapshot& snapshot) { return Layout(snapshot).build(); }

}  // namespace gradbook::ui
