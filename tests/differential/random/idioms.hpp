// The shapes of page-fault code that random handlers are made of. Each is right as it stands, given that the others
// keep to the entry's locks; its locks, second looks and flushes are choices of the world, which may be dropped.
#pragma once
#include "tests/differential/random/world.hpp"

namespace faultline::differential {

// ---- entries with a payload (idioms_objects.cpp)
Body populate(World& world, const Entry& entry);  // look, allocate, lock, look again, publish, unlock, use
Body zap(World& world, const Entry& entry);       // unlink, flush, free
Body move(World& world, const Entry& entry);      // one state with a payload to another, the payload kept
Body split(World& world, const Entry& entry);     // the same in two sections, with a flush between them
Body slot_put(World& world);                      // an object behind a shared pointer
Body slot_take(World& world);

// ---- objects with fields, found without a lock (idioms_vma.cpp)
struct Vma {
  bool refs = false;  // a reference count
  bool pair = false;  // two fields that are written together
  bool seq = false;   // … and a seqcount over them
  bool dead = false;
  bool irqs = false;  // readers have interrupts off; else they are in an RCU section
  Lock lock;          // of the pointer
};
Vma new_vma(World& world);
Body vma_insert(World& world, const Vma& vma);
Body vma_remove(World& world, const Vma& vma);
Body vma_lookup(World& world, const Vma& vma);
Body vma_rewrite(World& world, const Vma& vma);  // under the lock

// ---- any entry (idioms_states.cpp)
Body advance(World& world, const Entry& entry);  // state to state, no object moves
Body claim(World& world, const Entry& entry);    // a busy state says whose turn it is
Body reader(World& world, const Entry& entry);   // what is seen stays while a lock is held
Body writer(World& world, const Entry& entry);   // rwsem held for writing, then perhaps downgraded
Body critical(World& world);                     // a flag that only one CPU may raise
Body wait_for(World& world);                     // waits until nobody is in there

}  // namespace faultline::differential
