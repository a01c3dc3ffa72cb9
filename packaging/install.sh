#!/bin/sh
# Installs mem {{TAG}} below PREFIX, ~/.local by default: the program, its manual pages, and what completes commands in
# shells. Nothing is unpacked before its SHA-256 is the one below. "install.sh --uninstall" removes the same files.
# FROM is where the archives are: another address, or file:///a/folder.
set -eu

sums() {
	cat <<'END'
{{SUMS}}
END
}

fail() {
	echo "install.sh: $1" >&2
	exit 1
}

# choose prints the name of the archive for this machine.
choose() {
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there is no archive for $(uname -s); on Windows unpack the one for windows by hand" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no archive for the processor $(uname -m)" ;;
	esac
	echo "mem-{{TAG}}-$os-$arch"
}

fetch() {
	case $1 in
	file://*) cp "${1#file://}" "$2" ;;
	*) if command -v curl >/dev/null; then curl -fsSL -o "$2" "$1"; else wget -qO "$2" "$1"; fi ;;
	esac || fail "$1 cannot be fetched"
}

check() {
	want=$(sums | sed -n "s/^\([0-9a-f]*\)  $2\$/\1/p")
	[ -n "$want" ] || fail "this script knows no sum of $2"
	if command -v sha256sum >/dev/null; then got=$(sha256sum <"$1"); else got=$(shasum -a 256 <"$1"); fi
	[ "${got%% *}" = "$want" ] || fail "the sum of $2 is wrong: nothing was unpacked"
}

uninstall() {
	[ -f "$list" ] || fail "nothing of mem was installed below $prefix by this script"
	cd "$prefix"
	{ cat "$list" && echo share/mem/files; } | while read -r file; do
		rm -f "$file"
		rmdir -p "${file%/*}" 2>/dev/null || true # what is empty
	done
	echo "mem is removed from $prefix. Memories (.mem, ~/.mem) and hooks in agents' settings are left."
}

main() {
	prefix=${PREFIX:-$HOME/.local}
	list=$prefix/share/mem/files
	case $prefix in /*) ;; *) fail "PREFIX is not an absolute path: $prefix" ;; esac
	case ${1:-} in
	'') ;;
	--uninstall) uninstall && return ;;
	*) fail "unknown argument $1; there is --uninstall" ;;
	esac
	name=$(choose)
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	fetch "${FROM:-{{DOWNLOAD}}}/$name.tar.gz" "$tmp/archive"
	check "$tmp/archive" "$name.tar.gz"
	tar -xzf "$tmp/archive" -C "$tmp"
	cd "$tmp/$name"
	mkdir -p "$prefix/bin" "${list%/*}"
	{ echo bin/mem && find share -type f; } >"$tmp/files"
	while read -r file; do
		mkdir -p "$prefix/$(dirname "$file")"
		cp "${file#bin/}" "$prefix/$file.new"
		mv -f "$prefix/$file.new" "$prefix/$file" # the program may be running
	done <"$tmp/files"
	[ ! -f "$list" ] || grep -vxFf "$tmp/files" "$list" | while read -r file; do rm -f "$prefix/$file"; done
	cp "$tmp/files" "$list"
	"$prefix/bin/mem" --version
	echo "installed below $prefix; in a project, begin with: mem init"
	case :$PATH: in *":$prefix/bin:"*) ;; *) echo "put $prefix/bin on your PATH first" ;; esac
}

main "$@" # only once all of the script is here
