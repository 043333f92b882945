#!/usr/bin/env python3
"""Makes testdata/formats: one small book (testdata/books/lighthouse.txt) in every format that is read.

Needs pandoc, calibre (ebook-convert), djvulibre-bin, zstd and fpdf2. The files are committed; this tells where they came
from and makes them anew, not byte for byte: most of these programs write the time into their files.
"""

import gzip
import subprocess
import tempfile
import zipfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "testdata" / "formats"
TEXT = (ROOT / "testdata" / "books" / "lighthouse.txt").read_text(encoding="utf-8")
PAGES = TEXT.split("\f")
TITLE, AUTHOR, ISBN = "The Second Lamp", "Orla Venning", "978-0-00-000002-6"
FIRST_LABEL = 7


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def paragraphs(text):
    return [" ".join(part.split()) for part in text.replace("\f", "\n").split("\n\n") if part.strip()]


def lines(page):
    return [line for line in page.split("\n") if line.strip()]


def write(name, text):
    (OUT / name).write_text(text, encoding="utf-8")


def by_pandoc(folder):
    source = folder / "book.md"
    body = "\n\n".join(paragraphs(TEXT))
    source.write_text(f"---\ntitle: {TITLE}\nauthor: {AUTHOR}\nlang: en\n---\n\n{body}\n", encoding="utf-8")
    for name, writer in [
        ("lighthouse.docx", "docx"), ("lighthouse.odt", "odt"), ("lighthouse.rtf", "rtf"), ("lighthouse.fb2", "fb2"),
        ("lighthouse.html", "html"), ("lighthouse-2.epub", "epub2"), ("lighthouse-3.epub", "epub3"),
        ("lighthouse.md", "markdown"), ("lighthouse.jats.xml", "jats"), ("lighthouse.tei.xml", "tei"),
    ]:
        run("pandoc", "-s", "-f", "markdown", "-t", writer, "-o", OUT / name, source)
    for name in ["lighthouse.azw3", "lighthouse.mobi", "lighthouse.pmlz"]:
        run("ebook-convert", OUT / "lighthouse-3.epub", OUT / name, stdout=subprocess.DEVNULL)


def pdf():
    from fpdf import FPDF

    book = FPDF(format="A5")
    book.set_title(TITLE)
    book.set_author(AUTHOR)
    for at, page in enumerate(PAGES):
        book.add_page(label_start=FIRST_LABEL if at == 0 else None, label_style="D" if at == 0 else None)
        book.set_font("Times", size=9)
        label = FIRST_LABEL + at
        book.text(10, 10, f"{label}   {TITLE.upper()}" if label % 2 == 0 else f"ORLA VENNING   {label}")
        for n, line in enumerate(page.replace("’", "'").replace("“", '"').replace("”", '"').replace("—", "-").split("\n")):
            if line.strip():
                book.text(10, 18 + 4.2 * n, line.encode("latin-1", "replace").decode("latin-1"))
    book.output(str(OUT / "lighthouse.pdf"))


def paged_markup():
    breaks = [f'<span epub:type="pagebreak" id="p{FIRST_LABEL + i}" title="{FIRST_LABEL + i}"/>' for i in range(len(PAGES))]
    body = "\n".join(mark + "".join(f"<p>{escape(p)}</p>" for p in paragraphs(page)) for mark, page in zip(breaks, PAGES))
    links = "".join(f'<li><a href="a.xhtml#p{FIRST_LABEL + i}">{FIRST_LABEL + i}</a></li>' for i in range(len(PAGES)))
    head = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title></head>'
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "a.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{TITLE}</dc:title><dc:creator>{AUTHOR}</dc:creator>'
        f'<dc:language>en</dc:language><dc:identifier id="i">urn:isbn:{ISBN}</dc:identifier></metadata><manifest>'
        '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        "nav.xhtml": f'{head}<body><nav epub:type="page-list"><ol>{links}</ol></nav></body></html>',
        "a.xhtml": f"{head}<body>{body}</body></html>",
    }
    with zipfile.ZipFile(OUT / "lighthouse-pages.epub", "w") as book:
        for name, text in members.items():
            book.writestr(name, text, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
    tei = "".join(f'<pb n="{FIRST_LABEL + i}"/>' + "".join(f"<p>{escape(p)}</p>" for p in paragraphs(page)) for i, page in enumerate(PAGES))
    write("lighthouse-pages.tei.xml", f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>{TITLE}</title>'
          f"<author>{AUTHOR}</author></titleStmt></fileDesc></teiHeader><text><body>{tei}</body></text></TEI>")


def by_reading_machines():
    def words(line, one):
        return "".join(one(escape(word, quote=True)) for word in line.split())

    def book(page, line, word):
        return "".join(page(i, "".join(line(words(text, word)) for text in lines(p))) for i, p in enumerate(PAGES))

    hocr = book(lambda i, p: f"<div class='ocr_page' title='ppageno {i}'><p class='ocr_par'>{p}</p></div>",
                lambda t: f"<span class='ocr_line'>{t}</span>\n", lambda w: f"<span class='ocrx_word'>{w}</span> ")
    write("lighthouse.hocr", f"<html><head><title></title><meta name='ocr-system' content='x'/></head><body>{hocr}</body></html>")
    alto = book(lambda i, p: f'<Page PRINTED_IMG_NR="{FIRST_LABEL + i}"><PrintSpace><TextBlock>{p}</TextBlock></PrintSpace></Page>',
                lambda t: f"<TextLine>{t}</TextLine>", lambda w: f'<String CONTENT="{w}"/><SP/>')
    write("lighthouse.alto.xml", f'<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout>{alto}</Layout></alto>')
    abbyy = book(lambda i, p: f'<page><block blockType="Text"><text><par>{p}</par></text></block></page>',
                 lambda t: f"<line><formatting>{t}</formatting></line>",
                 lambda w: "".join(f"<charParams>{c}</charParams>" for c in w.replace("&quot;", '"').replace("&#x27;", "'")) + "<charParams> </charParams>")
    with gzip.open(OUT / "lighthouse_abbyy.gz", "wt", encoding="utf-8", compresslevel=9) as file:
        file.write(f'<document xmlns="http://www.abbyy.com/FineReader_xml/FineReader6-schema-v1.xml">{abbyy}</document>')
    djvu = book(lambda i, p: f"<OBJECT><HIDDENTEXT><PAGECOLUMN><REGION><PARAGRAPH>{p}</PARAGRAPH></REGION></PAGECOLUMN></HIDDENTEXT></OBJECT>",
                lambda t: f"<LINE>{t}</LINE>", lambda w: f"<WORD>{w}</WORD> ")
    write("lighthouse_djvu.xml", f"<DjVuXML><BODY>{djvu}</BODY></DjVuXML>")
    numbers = ",".join(f'{{"leafNum":{i},"pageNumber":"{FIRST_LABEL + i}"}}' for i in range(len(PAGES)))
    write("lighthouse_page_numbers.json", f'{{"pages":[{numbers}]}}')
    write("lighthouse_meta.xml", f"<metadata><title>{TITLE}</title><creator>{AUTHOR}</creator><date>1911</date></metadata>")
    page_xml = [f'<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2013-07-15"><Page><TextRegion id="r">'
                + "".join(f"<TextLine><TextEquiv><Unicode>{escape(t)}</Unicode></TextEquiv></TextLine>" for t in lines(p))
                + "</TextRegion></Page></PcGts>" for p in PAGES]
    with zipfile.ZipFile(OUT / "lighthouse-page-xml.zip", "w", zipfile.ZIP_DEFLATED) as book_zip:
        for i, page in enumerate(page_xml):
            book_zip.writestr(f"{i + 1:04}.xml", page)


def djvu(folder):
    pages = []
    for i, page in enumerate(PAGES):
        (folder / "page.pbm").write_text("P1\n8 8\n" + "0 " * 64)
        one = folder / f"{i}.djvu"
        run("cjb2", folder / "page.pbm", one)
        text = "".join(f'\n (line 0 0 8 8 "{line}")' for line in (l.replace("\\", "\\\\").replace('"', '\\"') for l in lines(page)))
        (folder / "text").write_text(f"(page 0 0 8 8 {text})", encoding="utf-8")
        run("djvused", "-u", "-e", f"select 1; set-txt {folder / 'text'}; save", one)
        pages.append(one)
    run("djvm", "-c", OUT / "lighthouse.djvu", *pages)


def plain():
    (OUT / "lighthouse-cp1252.txt").write_bytes(TEXT.replace("\n", "\r\n").encode("cp1252"))
    (OUT / "lighthouse-utf16.txt").write_bytes(TEXT.encode("utf-16"))
    run("zstd", "-q", "-f", "-19", ROOT / "testdata/books/lighthouse.txt", "-o", OUT / "lighthouse.txt.zst")
    with zipfile.ZipFile(OUT / "lighthouse-hathi.zip", "w", zipfile.ZIP_DEFLATED) as book:
        for i, page in enumerate(PAGES):
            book.writestr(f"lighthouse/{i + 1:08}.txt", page)
    divs = "".join(f'<div TYPE="page" ORDER="{i + 1}" ORDERLABEL="{FIRST_LABEL + i}"/>' for i in range(len(PAGES)))
    write("lighthouse-hathi.mets.xml", f'<mets xmlns="http://www.loc.gov/METS/"><structMap><div>{divs}</div></structMap></mets>')


def main():
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        by_pandoc(Path(name))
        djvu(Path(name))
    pdf()
    paged_markup()
    by_reading_machines()
    plain()


if __name__ == "__main__":
    main()
