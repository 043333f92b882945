#!/bin/sh
# Which copy Siglum keeps of a book and its conversions: each book goes through ebook-convert into every format that
# Siglum reads or refuses, and `siglum clusters` ranks the copies. Prints one row per book and one line per copy.
#
#     scripts/convert_and_rank.sh [SIGLUM] [FOLDER]
#
# SIGLUM is the program (target/release/siglum). FOLDER keeps the conversions, which take several minutes; it is a
# temporary one unless it is named. The books come from the development corpus (SIGLUM_CORPUS, by default
# ~/.cache/siglum-corpus). ebook-convert is in Debian's package calibre (about 1 GB); it is installed if apt-get can.
set -eu
program=${1:-target/release/siglum}
folder=${2:-$(mktemp -d)}
corpus=${SIGLUM_CORPUS:-$HOME/.cache/siglum-corpus}

if ! command -v ebook-convert >/dev/null; then
    { apt-get update && apt-get install -y calibre; } >/dev/null 2>&1 || true
fi
if ! command -v ebook-convert >/dev/null; then
    echo "skipped: ebook-convert is not installed, and apt-get cannot install the package calibre"
    exit 0
fi
if [ ! -d "$corpus/fixtures" ]; then
    echo "skipped: no corpus at $corpus"
    exit 0
fi
if [ ! -x "$program" ]; then
    echo "skipped: no program at $program; cargo build --release -p siglum-cli makes it"
    exit 0
fi
# The PDF writer is a browser without a screen, which refuses to run as root inside its sandbox.
export QT_QPA_PLATFORM=offscreen QTWEBENGINE_DISABLE_SANDBOX=1 QTWEBENGINE_CHROMIUM_FLAGS=--no-sandbox
exec python3 "$(dirname "$0")/convert_and_rank.py" "$program" "$folder" "$corpus"
