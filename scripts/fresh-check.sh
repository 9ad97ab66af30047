#!/usr/bin/env bash
# Tries what the README promises to newcomers on a machine with nothing but git: a fresh Debian root in
# a temporary folder, a clone of HEAD in it, and there scripts/demo.sh and scripts/test.sh, twice each.
# As root; 10 to 30 minutes. Other commands: scripts/fresh-check.sh 'scripts/deps.sh ci' ...
source "$(dirname "$0")/lib.sh"

suite=${SUITE:-bookworm}
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null |
  awk -v suite="$suite" '$2 == suite {print $1; exit}')}
commands=("$@")
((${#commands[@]})) || commands=(scripts/demo.sh scripts/test.sh scripts/demo.sh scripts/test.sh)

((EUID == 0)) || die "Only root can make a Debian root"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"

fresh=$(mktemp -d /tmp/fresh-root.XXXXXX)
chmod 755 "$fresh" # As any "/": tests give up root's rights.
trap 'rm -rf --one-file-system "$fresh"' EXIT

step "Making a Debian $suite root" "$root/build/log/debootstrap.log" \
  debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$fresh" \
  "${mirror:-http://deb.debian.org/debian}" || exit 1
cp /etc/resolv.conf "$fresh/etc/resolv.conf"
# A proxy or a private mirror of this machine is needed in there as well.
find /etc/apt/apt.conf.d -type f -exec grep -liE 'proxy|check-' {} + |
  xargs -r cp -t "$fresh/etc/apt/apt.conf.d"
git clone -q --no-hardlinks "$root" "$fresh/root/client-cpp"

# Mounts and processes in there end with the command.
inside() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
    exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      bash -c "cd /root/client-cpp && $2"' _ "$fresh" "$1"
}
for command in "${commands[@]}"; do
  start=$SECONDS
  say "== $command"
  inside "$command" </dev/null || die "== $command FAILED after $((SECONDS - start)) s"
  say "== $command: ok, $((SECONDS - start)) s"
done
