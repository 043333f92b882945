#!/bin/sh
# How fast records of MARC21 are read: the 250,000 of the Library of Congress inside the source archive of pymarc 5.4.0.
#
#     scripts/measure_marc.sh [FOLDER]
#
# The archive (76 MB, 242 MB of records unpacked) is kept in FOLDER, which is a temporary one unless it is named.
set -eu
folder=${1:-$(mktemp -d)}
records=$folder/pymarc-5.4.0/BooksAll.2016.part01.utf8
if [ ! -f "$records" ]; then
    python3 -m pip download --quiet --no-binary :all: --no-deps pymarc==5.4.0 --dest "$folder"
    tar -xzf "$folder/pymarc-5.4.0.tar.gz" -C "$folder"
fi
cargo build --quiet --release --package siglum-extract --example records
for turn in 1 2 3; do
    target/release/examples/records "$records"
done
