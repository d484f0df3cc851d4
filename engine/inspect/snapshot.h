// The bytes of a snapshot: what the engine holds and did, as plain tables of numbers and the texts that they name.
// This file stands alone (no tensors, no ops): the inspector reads snapshots in another wasm module. What the tables are
// called and hold is said in collect.h, and in the bytes themselves: every table brings the names of its columns.
//
// Layout, all little-endian:
//   uint32 magic, version, bytes in all, texts, bytes of text, tables
//   uint32 end of each text; the texts, UTF-8, one after another; padding to 4
//   for each table: uint32 name (a text), columns, rows, place of its numbers (a multiple of 8); uint32 name of each column
//   padding to 8; float64 numbers, row by row
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gradbook {

inline constexpr uint32_t kSnapshotMagic = 0x4E534247;  // "GBSN"
inline constexpr uint32_t kSnapshotVersion = 1;

/// Puts tables together. Texts are kept once, however often they are named.
class SnapshotWriter {
 public:
  /// The number that stands for a text in a row.
  double text(std::string_view words);
  /// Begins a table; row() adds to the last one begun.
  void table(std::string_view name, std::initializer_list<std::string_view> columns);
  /// Requires: as many values as the table has columns.
  void row(std::initializer_list<double> values);
  /// Adds one-column rows at once.
  void rows(std::span<const double> values);
  std::vector<uint8_t> finish() const;

 private:
  struct Table {
    uint32_t name;
    std::vector<uint32_t> columns;
    std::vector<double> values;
  };
  uint32_t text_number(std::string_view words);

  std::vector<std::string> texts_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<Table> tables_;
};

/// One table of a snapshot that was read; empty when the snapshot has none of that name. Valid while the snapshot lives.
class SnapshotTable {
 public:
  size_t rows() const { return rows_; }
  size_t columns() const { return columns_.size(); }
  /// Position of a column, or -1.
  int column(std::string_view name) const;
  /// The number in a row; NaN for a column of -1 or a row that is not there.
  double at(size_t row, int column) const;
  double at(size_t row, std::string_view name) const { return at(row, column(name)); }

 private:
  friend class Snapshot;
  std::vector<std::string_view> columns_;
  size_t rows_ = 0;
  const uint8_t* values_ = nullptr;
};

/// A snapshot, read. Bytes come from elsewhere and are not believed: all counts and places are checked before they are used.
class Snapshot {
 public:
  /// Takes the bytes over. False, with nothing held and `why` set, when they are no snapshot of this version.
  bool read(std::vector<uint8_t> bytes, std::string* why = nullptr);
  bool empty() const { return tables_.empty(); }
  /// The table of this name; one without rows when there is none.
  const SnapshotTable& table(std::string_view name) const;
  /// The text that a number stands for; empty for any other number.
  std::string_view text(double number) const;

 private:
  std::vector<uint8_t> bytes_;
  std::vector<std::string_view> texts_;
  std::vector<std::pair<std::string_view, SnapshotTable>> tables_;
};

}  // namespace gradbook
