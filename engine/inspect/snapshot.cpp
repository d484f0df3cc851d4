#include "inspect/snapshot.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace gradbook {
namespace {

constexpr size_t kHeaderWords = 6;

void put(std::vector<uint8_t>& out, uint32_t value) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}
void put(std::vector<uint8_t>& out, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<uint8_t>(bits >> (8 * i)));
}
void pad(std::vector<uint8_t>& out, size_t multiple) {
  while (out.size() % multiple) out.push_back(0);
}

// Reads words in order and notices when there are not enough.
class Cursor {
 public:
  Cursor(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t word() {
    if (bytes_.size() < 4 || at_ > bytes_.size() - 4) {
      failed_ = true;
      return 0;
    }
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<uint32_t>(bytes_[at_ + static_cast<size_t>(i)]) << (8 * i);
    at_ += 4;
    return value;
  }
  // A stretch of bytes; empty when it does not lie inside.
  std::span<const uint8_t> take(size_t count) {
    if (count > bytes_.size() - at_) {
      failed_ = true;
      return {};
    }
    const auto part = bytes_.subspan(at_, count);
    at_ += count;
    return part;
  }
  void align(size_t multiple) { take((multiple - at_ % multiple) % multiple); }
  size_t left() const { return bytes_.size() - at_; }
  bool failed() const { return failed_; }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

uint32_t SnapshotWriter::text_number(std::string_view words) {
  const auto [found, fresh] = numbers_.try_emplace(std::string(words), static_cast<uint32_t>(texts_.size()));
  if (fresh) texts_.emplace_back(words);
  return found->second;
}

double SnapshotWriter::text(std::string_view words) { return text_number(words); }

void SnapshotWriter::table(std::string_view name, std::initializer_list<std::string_view> columns) {
  Table table{text_number(name), {}, {}};
  for (std::string_view column : columns) table.columns.push_back(text_number(column));
  tables_.push_back(std::move(table));
}

void SnapshotWriter::row(std::initializer_list<double> values) { tables_.back().values.insert(tables_.back().values.end(), values); }

void SnapshotWriter::rows(std::span<const double> values) { tables_.back().values.insert(tables_.back().values.end(), values.begin(), values.end()); }

std::vector<uint8_t> SnapshotWriter::finish() const {
  size_t text_bytes = 0, number_bytes = 0, directory_bytes = 0;
  for (const std::string& text : texts_) text_bytes += text.size();
  for (const Table& table : tables_) {
    directory_bytes += (4 + table.columns.size()) * 4;
    number_bytes += table.values.size() * 8;
  }
  const size_t texts_end = (kHeaderWords * 4 + texts_.size() * 4 + text_bytes + 3) / 4 * 4;
  size_t place = (texts_end + directory_bytes + 7) / 8 * 8;
  std::vector<uint8_t> out;
  out.reserve(place + number_bytes);
  for (size_t value : {size_t{kSnapshotMagic}, size_t{kSnapshotVersion}, place + number_bytes, texts_.size(), text_bytes, tables_.size()})
    put(out, static_cast<uint32_t>(value));
  size_t end = 0;
  for (const std::string& text : texts_) put(out, static_cast<uint32_t>(end += text.size()));
  for (const std::string& text : texts_) out.insert(out.end(), text.begin(), text.end());
  pad(out, 4);
  for (const Table& table : tables_) {
    put(out, table.name);
    put(out, static_cast<uint32_t>(table.columns.size()));
    put(out, static_cast<uint32_t>(table.columns.empty() ? 0 : table.values.size() / table.columns.size()));
    put(out, static_cast<uint32_t>(place));
    for (uint32_t column : table.columns) put(out, column);
    place += table.values.size() * 8;
  }
  pad(out, 8);
  for (const Table& table : tables_)
    for (double value : table.values) put(out, value);
  return out;
}

int SnapshotTable::column(std::string_view name) const {
  for (size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == name) return static_cast<int>(i);
  return -1;
}

double SnapshotTable::at(size_t row, int column) const {
  if (row >= rows_ || column < 0 || static_cast<size_t>(column) >= columns_.size()) return std::numeric_limits<double>::quiet_NaN();
  const uint8_t* from = values_ + (row * columns_.size() + static_cast<size_t>(column)) * 8;
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits |= static_cast<uint64_t>(from[i]) << (8 * i);
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool Snapshot::read(std::vector<uint8_t> bytes, std::string* why) {
  texts_.clear();
  tables_.clear();
  bytes_ = std::move(bytes);
  const auto refuse = [&](const char* words) {
    if (why) *why = words;
    texts_.clear();
    tables_.clear();
    bytes_.clear();
    return false;
  };
  Cursor in(bytes_);
  const uint32_t magic = in.word(), version = in.word(), size = in.word(), text_count = in.word(), text_bytes = in.word(), table_count = in.word();
  if (in.failed() || magic != kSnapshotMagic) return refuse("these bytes are no snapshot");
  if (version != kSnapshotVersion) return refuse("the snapshot is of another version");
  if (size != bytes_.size()) return refuse("the snapshot was cut off");
  if (text_count > in.left() / 4) return refuse("the snapshot has fewer texts than it says");
  std::vector<uint32_t> ends(text_count);
  for (uint32_t& end : ends) end = in.word();
  const auto text = in.take(text_bytes);
  in.align(4);
  if (in.failed()) return refuse("the snapshot has less text than it says");
  uint32_t from = 0;
  texts_.reserve(text_count);
  for (uint32_t end : ends) {
    if (end < from || end > text.size()) return refuse("a text of the snapshot lies outside of it");
    texts_.emplace_back(reinterpret_cast<const char*>(text.data()) + from, end - from);
    from = end;
  }
  for (uint32_t i = 0; i < table_count; ++i) {
    SnapshotTable table;
    const uint32_t name = in.word(), columns = in.word(), rows = in.word(), place = in.word();
    if (in.failed() || columns > in.left() / 4) return refuse("the snapshot has fewer tables than it says");
    for (uint32_t c = 0; c < columns; ++c) {
      const uint32_t column = in.word();
      if (column >= texts_.size()) return refuse("a column of the snapshot has no name");
      table.columns_.push_back(texts_[column]);
    }
    if (name >= texts_.size()) return refuse("a table of the snapshot has no name");
    if (place % 8 || place > bytes_.size() || (columns == 0 && rows > 0)) return refuse("a table of the snapshot lies outside of it");
    if (columns && uint64_t{rows} * columns > (bytes_.size() - place) / 8) return refuse("a table of the snapshot lies outside of it");
    table.rows_ = rows;
    table.values_ = bytes_.data() + place;
    tables_.emplace_back(texts_[name], std::move(table));
  }
  return true;
}

const SnapshotTable& Snapshot::table(std::string_view name) const {
  static const SnapshotTable none;
  for (const auto& [known, table] : tables_)
    if (known == name) return table;
  return none;
}

std::string_view Snapshot::text(double number) const {
  if (!(number >= 0) || number != std::floor(number) || number >= static_cast<double>(texts_.size())) return {};
  return texts_[static_cast<size_t>(number)];
}

}  // namespace gradbook
