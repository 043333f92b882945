#!/usr/bin/env bash
# Fetches Debian's documentation packages into DIR, for `siglum-eval packages DIR`: manuals and guides in many languages,
# of which nobody has said what is the same text. Nothing of them is kept in this project.
#
#   scripts/debian_docs.sh DIR
set -euo pipefail
dir=${1:?"usage: scripts/debian_docs.sh DIR"}
packages=(
    abs-guide debian-handbook debian-kernel-handbook debmake-doc fp-docs-3.2.2 r-doc-html
    maint-guide maint-guide-{ca,de,es,fr,it,ja,ru,vi,zh-cn,zh-tw}
    debian-faq debian-faq-{de,fr,it,ja,ko,nl,pt,ru,zh-cn}
)
if ! command -v apt-get > /dev/null; then
    echo "debian_docs.sh: skipped: there is no apt-get, Debian's packages cannot be fetched" >&2
    exit 0
fi
mkdir -p "$dir/packages" "$dir/books"
cd "$dir/packages"
for package in "${packages[@]}"; do
    compgen -G "${package}_*.deb" > /dev/null && continue
    apt-get download --quiet "$package" ||
        echo "debian_docs.sh: $package cannot be fetched; 'apt-get update' may help" >&2
done
for package in *.deb; do
    to="$dir/books/${package%%_*}"
    [[ -d $to ]] && continue
    mkdir "$to"
    dpkg-deb --extract "$package" "$to"
done
echo "$(find "$dir/books" -type f | wc -l) files in $dir/books"
