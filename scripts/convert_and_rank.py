#!/usr/bin/env python3
"""Converts books with ebook-convert and prints which copy Siglum keeps; called by convert_and_rank.sh."""

import html
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

FORMATS = "pdf epub mobi azw3 pdb txt rtf docx htmlz fb2 pmlz txtz snb lrf rb tcr lit".split()

# The name of each book, its source in the corpus, and its language where an EPUB is made of a text first.
BOOKS = [
    ("english-novel", "fixtures/epub3/time-machine-epub3.epub", None),
    ("english-classic", "fixtures/epub3/se-jane-austen_pride-and-prejudice.epub", None),
    ("english-gutenberg", "fixtures/epub2/pg768.epub", None),
    ("japanese-novel", "fixtures/epub3/kusamakura-preview.epub", None),
    ("arabic-guide", "fixtures/epub3/regime-anticancer-arabic.epub", None),
    ("english-html", "fixtures/html/time-machine.html", None),
    ("english-docx", "fixtures/docx/time-machine-docx.docx", None),
    ("english-text", "texts/eltec/eltec-eng-ENG18490.txt", None),
    ("hebrew-stories", "texts/benyehuda/by-34191.txt", "he"),
    ("greek-stories", "texts/eltec/eltec-gre-GRE0009.txt", "el"),
    ("old-greek", "texts/greek/grc-tlg0627.tlg004.perseus-grc2.txt", "grc"),
    ("japanese-stories", "texts/aozora/aozora-60804-75123.txt", "ja"),
]


def make_epub(text, title, language, path):
    """An EPUB as a publisher might make it: one chapter per 40 paragraphs."""
    paragraphs = [line.strip() for line in text.splitlines() if line.strip()]
    chapters = [paragraphs[at : at + 40] for at in range(0, len(paragraphs), 40)]
    name = "c{}.xhtml".format
    items = "".join(
        f'<item id="c{n}" href="{name(n)}" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = f"""<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x-siglum:{title}</dc:identifier>
<dc:title>{title}</dc:title><dc:language>{language}</dc:language></metadata>
<manifest>{items}</manifest><spine>{spine}</spine></package>"""
    container = """<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as epub:
        epub.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        epub.writestr("META-INF/container.xml", container)
        epub.writestr("content.opf", package)
        for n, chapter in enumerate(chapters):
            body = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in chapter)
            epub.writestr(
                name(n),
                f'<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="{language}">'
                f"<head><title>{title}</title></head><body>{body}</body></html>",
            )


def make_copies(folder, name, source, language):
    """Puts the source and all its conversions into a folder, those that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / f"{name}.source.{'epub' if language else source.suffix[1:]}"
    if not first.exists():
        if language:
            make_epub(source.read_text(encoding="utf-8"), name, language, first)
        else:
            shutil.copy(source, first)
    for form in FORMATS:
        copy = folder / f"{name}.made.{form}"
        if not copy.exists():
            made = subprocess.run(["ebook-convert", first, copy], capture_output=True, timeout=900)
            if made.returncode:
                print(f"ebook-convert cannot make {copy.name}", file=sys.stderr)
    return first


def make_worse(folder, name, how):
    """The first HTML book again with its conversions, its source made worse afterwards."""
    good, worse = folder / "english-html", folder / f"{name}"
    worse.mkdir(exist_ok=True)
    for path in sorted(good.iterdir()):
        shutil.copy(path, worse / path.name.replace("english-html", name))
    source = worse / f"{name}.source.html"
    source.write_text(how(source.read_text(encoding="utf-8")), encoding="utf-8")
    return source


def cut(text):
    """Without its last third."""
    return text[: len(text) * 2 // 3]


def lossy(text):
    """Every hundredth lower-case letter outside tags is a question mark."""
    kept, n, in_tag = [], 0, False
    for c in text:
        in_tag = c == "<" or (in_tag and c != ">")
        n += c.islower() and not in_tag
        kept.append("?" if c.islower() and not in_tag and n % 100 == 0 else c)
    return "".join(kept)


WORSE = [("source-cut", cut), ("source-lossy", lossy)]


def kind(path):
    """What a copy is in the table: `source.epub` or the format it was made into."""
    return pathlib.Path(path).name.split(".", 1)[1].replace("made.", "")


def main():
    program, folder, corpus = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    n_won, lines, groups = 0, [], []
    sources = [(name, make_copies(folder / name, name, corpus / source, language)) for name, source, language in BOOKS]
    sources += [(name, make_worse(folder, name, how)) for name, how in WORSE]
    for name, first in sources:
        with tempfile.TemporaryDirectory() as library:
            run = lambda *what: subprocess.run(
                [program, *what, "--library", f"{library}/library"], capture_output=True, text=True, check=False
            ).stdout
            run("scan", first.parent)
            clusters = [json.loads(line) for line in run("clusters", "--json").splitlines()]
            failed = [json.loads(line) for line in run("status", "--failed", "--json").splitlines()]
        for cluster in clusters:
            is_kept = cluster["best"] == str(first.absolute())
            n_won += is_kept and (name, cut) not in WORSE and (name, lossy) not in WORSE
            lines.append(f"| {name} | {kind(cluster['best'])} | {cluster['why_best']} |")
            ranked = [kind(cluster["best"])]
            for member in cluster["members"]:
                notes = [member["relation"].lower().replace("_", " ")]
                notes += [note for note in [member.get("damage")] if note]
                ranked.append(f"{kind(member['file'])} ({', '.join(notes)})")
            linked = [f"{kind(link['file'])} {link['relation'].lower()}" for link in cluster["links"]]
            groups.append(f"{name}: " + "; ".join(ranked + linked))
        groups += [f"{name}: refused {kind(row['file'])}: {row['reason']}, {row['message']}" for row in failed]
        read = {path for cluster in clusters for path in [cluster["best"]] + [m["file"] for m in cluster["members"]]}
        read |= {link["file"] for cluster in clusters for link in cluster["links"]} | {row["file"] for row in failed}
        alone = [kind(path) for path in sorted(first.parent.iterdir()) if str(path.absolute()) not in read]
        groups += [f"{name}: in no group: {', '.join(alone)}"] if alone else []
    print(f"The source is kept of {n_won} of {len(BOOKS)} books; the last rows are sources that were made worse.\n")
    print("| book | kept | why |\n|---|---|---|\n" + "\n".join(lines) + "\n\n```\n" + "\n".join(groups) + "\n```")


main()
