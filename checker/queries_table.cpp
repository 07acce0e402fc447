#include "checker/queries_table.hpp"

#include <algorithm>
#include <numeric>

#include "checker/certificate_shapes.hpp"

namespace faultline::check {
namespace {

using step::Id;

std::vector<Field> fields_of(const step::Program& program, std::size_t k) {
  std::vector<Field> fields;
  const auto id = [](std::size_t n) { return static_cast<Id>(n); };
  for (std::size_t g = 0; g < program.globals.size(); ++g) fields.push_back({Field::What::global, id(g), 0, 0, 0, {}});
  for (std::size_t p = 0; p < program.places.size(); ++p) fields.push_back({Field::What::place, id(p), 0, 0, 0, {}});
  for (std::size_t i = 0; i < k; ++i) {
    fields.push_back({Field::What::position, 0, 0, i, 0, {}});
    for (std::size_t l = 0; l < program.locals.size(); ++l) fields.push_back({Field::What::local, id(l), 0, i, 0, {}});
    for (std::size_t h = 0; h < program.handles.size(); ++h)
      fields.push_back({Field::What::handle, id(h), 0, i, 0, {}});
  }
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t a = 0; i != j && a < program.awaits.size(); ++a) {
        fields.push_back({Field::What::awaits, id(a), 0, i, j, {}});
      }
      for (std::size_t x = 0; i < j && x < program.handles.size(); ++x) {
        for (std::size_t y = 0; y < program.handles.size(); ++y) {
          if (program.handles[x].type == program.handles[y].type) {
            fields.push_back({Field::What::same, id(x), id(y), i, j, {}});
          }
        }
      }
    }
  }
  return fields;
}

std::vector<std::uint16_t> row_of(const step::Program& program, const std::vector<Field>& fields,
                                  const step::State& view, const std::vector<std::size_t>& order) {
  const Shape shared = shared_shape(program, view);
  std::vector<Shape> shapes;
  for (const std::size_t cpu : order) shapes.push_back(cpu_shape(program, view, cpu));
  std::vector<std::uint16_t> row;
  for (const Field& field : fields) {
    const step::CpuState& cpu = view.cpu[order[field.i]];
    const step::CpuState& other = view.cpu[order[field.j]];
    unsigned value = 0;
    switch (field.what) {
      case Field::What::global: value = view.globals[field.a]; break;
      case Field::What::place: value = shared.bytes[program.globals.size() + field.a]; break;
      case Field::What::position: value = cpu.pc; break;
      case Field::What::local: value = cpu.locals[field.a]; break;
      case Field::What::handle: value = shapes[field.i].bytes[2 + program.locals.size() + field.a]; break;
      case Field::What::same:
        value = cpu.handles[field.a] != 0 && cpu.handles[field.a] == other.handles[field.b];
        break;
      case Field::What::awaits: value = cpu.awaits[field.a] >> order[field.j] & 1u; break;
    }
    row.push_back(static_cast<std::uint16_t>(value));
  }
  return row;
}

}  // namespace

Table table_of(const step::Program& program, const ViewSet& set, const Watch& watch) {
  Table table;
  table.fields = fields_of(program, set.k);
  std::vector<std::size_t> order(set.k);
  for (const step::State& view : set.views) {
    watch.tick();
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      table.rows.push_back(row_of(program, table.fields, view, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  std::sort(table.rows.begin(), table.rows.end());
  table.rows.erase(std::unique(table.rows.begin(), table.rows.end()), table.rows.end());
  for (std::size_t f = 0; f < table.fields.size(); ++f) {
    std::vector<std::uint16_t>& values = table.fields[f].values;
    std::vector<bool> occurs(0x10000);
    for (const auto& row : table.rows) occurs[row[f]] = true;
    for (unsigned v = 0; v < occurs.size(); ++v) {
      if (occurs[v]) values.push_back(static_cast<std::uint16_t>(v));
    }
    for (auto& row : table.rows) {
      row[f] = static_cast<std::uint16_t>(std::lower_bound(values.begin(), values.end(), row[f]) - values.begin());
    }
  }
  return table;
}

}  // namespace faultline::check
