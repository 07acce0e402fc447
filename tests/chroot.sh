#!/usr/bin/env bash
# Runs ./try and ./test in fresh, minimal Debian systems, as a newcomer's machine would: debootstrap, a fresh clone of the
# committed tree, the two commands, a summary. Needs root and debootstrap.
#
#   tests/chroot.sh [--run COMMAND]… [--mirror URL] [--keep] [SUITE…]     suites: bookworm trixie
#
# The mirror is taken from this machine's own apt sources. All mounts are made in a mount namespace of their own, so they
# are gone before anything is removed.
set -euo pipefail

usage() { sed -n '5p' "$0" | sed 's/^# *//'; }
fail() { printf 'chroot.sh: %s\n' "$*" >&2; exit 1; }

# What runs inside the namespace: mounts, then one command in the chroot.
if [[ ${1:-} == --inside ]]; then
  root=$2
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  ln -s /proc/self/fd "$root/dev/fd"
  mkdir "$root/dev/shm"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
    bash -c "cd /srv/faultline && $3"
fi

commands=()
suites=()
mirror=
keep=0
while (($#)); do
  case $1 in
    --run) commands+=("${2:?--run needs a command}"); shift ;;
    --mirror) mirror=${2:?--mirror needs an address}; shift ;;
    --keep) keep=1 ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) suites+=("$1") ;;
  esac
  shift
done
((${#commands[@]})) || commands=(./try ./test)
((${#suites[@]})) || suites=(bookworm trixie)
((EUID == 0)) || fail "needs root: a chroot is made"
command -v debootstrap >/dev/null || fail "needs the package debootstrap"

if [[ -z $mirror ]]; then
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
  [[ -n $mirror ]] || fail "no Debian mirror in this machine's apt sources (after apt-get update); give one with --mirror"
fi

source_tree=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
commit=$(git -C "$source_tree" rev-parse HEAD)  # what is tried, even if more is committed meanwhile
work=$(mktemp -d "${TMPDIR:-/tmp}/faultline-chroot.XXXXXX")
clean_up() {
  ((keep)) && { printf 'kept: %s\n' "$work"; return; }
  grep -q " $work" /proc/self/mountinfo && { printf 'something is still mounted below %s; it is left there\n' "$work" >&2; return; }
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

summary=()
failed=0
for suite in "${suites[@]}"; do
  root=$work/$suite
  printf '\n== %s: debootstrap\n' "$suite"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/$suite-debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/$suite-debootstrap.log" >&2; fail "debootstrap of $suite failed"; }
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  apt-config dump | grep -E '^Acquire::(http|https)::' >"$root/etc/apt/apt.conf.d/90host" || true
  git clone -q --no-hardlinks "$source_tree" "$root/srv/faultline"
  git -C "$root/srv/faultline" -c advice.detachedHead=false checkout -q "$commit"

  for command in "${commands[@]}"; do
    printf '\n== %s: %s\n' "$suite" "$command"
    started=$SECONDS
    code=0
    log=$work/$suite-command.log
    unshare --mount --fork --kill-child "$0" --inside "$root" "$command" </dev/null >"$log" 2>&1 || code=$?
    tail -n 40 "$log"
    ((code == 0)) || failed=1
    summary+=("$suite: $command: exit $code, $((SECONDS - started)) s; last line: $(grep -v '^[[:space:]]*$' "$log" | tail -n 1 || true)")
  done
  versions=$(chroot "$root" dpkg-query -W -f '${Package} ${Version}, ' g++ cmake libz3-dev libfmt-dev antlr4 libantlr4-runtime-dev \
    libcli11-dev nlohmann-json3-dev libgtest-dev 2>/dev/null || true)
  summary+=("$suite: ${versions%, }")
  ((keep)) || rm -rf --one-file-system "$root"
done

printf '\n== summary, commit %s\n' "${commit:0:7}"
printf '%s\n' "${summary[@]}"
exit "$failed"
