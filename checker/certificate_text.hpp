// Views as lines that people can read, and back.
#pragma once
#include <string>
#include <vector>

#include "checker/views.hpp"

namespace faultline::check {

// One line a view, sorted; independent of the order of views, of their CPUs and of the names of objects:
//   pmd=huge page_table_lock=1 pmd.pt=o1[freed] | page_fault@17 wait=1 new=- old=o1 | idle@0 ... | 1>2 flush_tlb(pmd)
// Shared part; each CPU: handler and position, locals, handles (objects o1, o2, .. with their bits where first named);
// last, if any, who awaits whom.
[[nodiscard]] std::vector<std::string> view_lines(const step::Program& program, const ViewSet& set);

// The view that a line of view_lines() describes. Throws std::runtime_error saying what is wrong with it.
[[nodiscard]] step::State view_from_line(const step::Program& program, std::uint32_t k, const std::string& line);

}  // namespace faultline::check
