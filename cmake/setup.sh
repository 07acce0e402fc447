# Sourced by ./try and ./test: installs the Debian packages that are missing, and builds a preset.
# Debian 12 and 13 and Ubuntu 24.04 have all of them under these names.

build_packages=(g++ cmake ninja-build antlr4 libantlr4-runtime-dev libz3-dev libfmt-dev libgtest-dev libgmock-dev
  libbenchmark-dev libcli11-dev nlohmann-json3-dev libjemalloc-dev)
test_packages=(z3 clang libclang-rt-dev)
peer_packages=(spin rumur)  # other model checkers; without them the comparison is left out
picture_packages=(graphviz)  # without it no picture is drawn

say() { printf '\n== %s\n' "$*"; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# Prints those of its arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s ' "$package"
  done
}

install_packages() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
    fail "this script sets up Debian 12, 13 and Ubuntu 24.04 only; elsewhere install $* and use cmake --preset release"
  local missing
  read -r -a missing <<<"$(missing_packages "$@")"
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "neither root nor sudo; ask an administrator for: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update || fail "apt-get update failed"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" || fail "apt-get install failed"
}

# build_preset NAME [TARGET…]
build_preset() {
  local preset=$1
  shift
  say "building: $preset"
  cmake --preset "$preset" >"/tmp/faultline-configure.$$" 2>&1 || {
    cat "/tmp/faultline-configure.$$" >&2
    rm -f "/tmp/faultline-configure.$$"
    fail "cmake --preset $preset failed"
  }
  rm -f "/tmp/faultline-configure.$$"
  cmake --build --preset "$preset" ${1:+--target "$@"} || fail "the build of preset $preset failed"
}
