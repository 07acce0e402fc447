#include "checker/coverability/pictures.hpp"

#include <algorithm>
#include <stdexcept>

namespace faultline::check::coverability {

using search::Byte;
using search::Order;
using search::StateSet;
using step::Program;
using step::State;

void tidy(const Program& program, State& picture) {
  std::array<std::uint8_t, step::max_objects + 1> name{}, bits{}, types{};
  std::uint8_t count = 0;
  const auto rename = [&](std::uint8_t& object) {
    if (object == 0) return;
    if (name[object] == 0) {
      name[object] = ++count;
      bits[count] = picture.bits[object];
      types[count] = picture.types[object];
    }
    object = name[object];
  };
  for (std::size_t p = 0; p < program.places.size(); ++p) rename(picture.places[p]);
  for (std::size_t i = 0; i < picture.cpus; ++i) {
    for (std::size_t h = 0; h < program.handles.size(); ++h) rename(picture.cpu[i].handles[h]);
  }
  picture.objects = count;
  picture.bits = bits;
  picture.types = types;
}

bool same_seen(const Program& program, const State& a, const State& b, std::size_t n) {
  if (a.globals != b.globals) return false;
  std::array<std::uint8_t, step::max_objects + 1> to{}, back{};
  const auto same = [&](std::uint8_t x, std::uint8_t y) {
    if (x == 0 || y == 0) return x == y;
    if (to[x] == 0 && back[y] == 0) {
      to[x] = y;
      back[y] = x;
      return a.bits[x] == b.bits[y] && a.types[x] == b.types[y];
    }
    return to[x] == y && back[y] == x;
  };
  for (std::size_t p = 0; p < program.places.size(); ++p) {
    if (!same(a.places[p], b.places[p])) return false;
  }
  const auto seen = static_cast<std::uint16_t>((1U << n) - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const step::CpuState &x = a.cpu[i], &y = b.cpu[i];
    if (x.pc != y.pc || x.locals != y.locals) return false;
    for (std::size_t k = 0; k < program.awaits.size(); ++k) {
      if (((x.awaits[k] ^ y.awaits[k]) & seen) != 0) return false;
    }
    for (std::size_t h = 0; h < program.handles.size(); ++h) {
      if (!same(x.handles[h], y.handles[h])) return false;
    }
  }
  return true;
}

Forms::Forms(const Program& program, std::uint32_t max_cpus)
    : layout_(program, max_cpus),
      canonical_(program, layout_),
      words_((layout_.size() + 7) / 8),
      flat_(layout_.size()),
      form_(words_) {}

const std::uint64_t* Forms::form(Mask mask, Order* order) {
  Order cpus{};
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; mask >> i != 0; ++i) {
    if ((mask >> i & 1) != 0) cpus[n++] = static_cast<Byte>(i);
  }
  std::fill(form_.begin(), form_.end(), 0);
  canonical_.sort(flat_.data(), cpus, n, reinterpret_cast<Byte*>(form_.data()));
  if (order != nullptr) *order = cpus;
  return form_.data();
}

Within::Within(const Program& program, const ViewSet& set, Forms& forms)
    : forms_(forms), k_(set.k), parts_(forms.words()), shared_forms_(forms.words()) {
  for (State view : set.views) {
    tidy(program, view);
    forms_.load(view);
    for (Mask mask = 0; mask <= all_of(view); ++mask) {
      const std::uint64_t* form = forms_.form(mask);
      if (!parts_.insert(form).is_new) continue;
      if (mask == 0) {
        shared_forms_.insert(form);
        shared_.push_back(forms_.picture(form));
      }
      if (std::popcount(mask) == 1) ones_.push_back(forms_.picture(form));
    }
  }
  beside_.resize(shared_forms_.size());
  for (std::uint32_t i = 0; i < ones_.size(); ++i) {
    forms_.load(ones_[i]);
    beside_[shared_forms_.find(forms_.form(0))].push_back(i);
  }
}

const std::vector<std::uint32_t>& Within::beside(const std::uint64_t* shared) const {
  static const std::vector<std::uint32_t> nobody;
  const StateSet::Index found = shared_forms_.find(shared);
  return found == StateSet::none ? nobody : beside_[found];
}

bool Within::allows(const State& picture, std::uint32_t most) const {
  const std::uint32_t n = std::min({most, k_, std::uint32_t{picture.cpus}});
  forms_.load(picture);
  for (Mask mask = 0; mask <= all_of(picture); ++mask) {
    if (static_cast<std::uint32_t>(std::popcount(mask)) == n && parts_.find(forms_.form(mask)) == StateSet::none)
      return false;
  }
  return true;
}

bool Naming::bind(std::uint8_t of_view, std::uint8_t of_picture) {
  if (of_view == 0 || of_picture == 0) return of_view == of_picture;
  if (names_[of_view] != 0) return names_[of_view] == of_picture;
  if (taken(of_picture) || view_.types[of_view] != picture_.types[of_picture]) return false;
  names_[of_view] = of_picture;
  taken_ |= std::uint64_t{1} << of_picture;
  return true;
}

}  // namespace faultline::check::coverability
