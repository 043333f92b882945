#!/usr/bin/env python3
"""Writes testdata/records: one catalogue of four invented books in every format that is read.

    python3 scripts/make_records.py testdata/records

Standard library only. The same bytes come out every time.
"""
import csv
import io
import json
import pathlib
import sys
from xml.sax.saxutils import escape, quoteattr

BOOKS = [
    {
        "id": "r1", "title": "The Salt Ledger", "subtitle": "a history of small harbours",
        "creators": ["Marlow, Ines", "Quill, Tobias"], "date": "1898", "publisher": "Harbour Press",
        "series": "", "volume": "", "edition": "2nd ed", "language": "en", "marc_language": "eng",
        "isbn": "9780306406157", "categories": ["Harbours", "Salt & trade"],
    },
    {
        "id": "r2", "title": "Über die Brücken", "subtitle": "", "creators": ["Lindqvist, Åsa"], "date": "1911",
        "publisher": "Nordlicht", "series": "Wege", "volume": "2", "edition": "", "language": "de",
        "marc_language": "ger", "isbn": "", "categories": ["Brücken"],
    },
    {
        "id": "r3", "title": "Сад, \"река\" и мост", "subtitle": "повесть", "creators": ["Полынина, Вера"],
        "date": "1907", "publisher": "Ива", "series": "", "volume": "", "edition": "", "language": "ru",
        "marc_language": "rus", "isbn": "", "categories": [],
    },
    {
        "id": "r4", "title": "猫と灯台", "subtitle": "", "creators": ["灯野, 一郎"], "date": "1930", "publisher": "北窓",
        "series": "", "volume": "", "edition": "", "language": "ja", "marc_language": "jpn", "isbn": "",
        "categories": ["物語"],
    },
]
LIST = "; "


def full_title(book, joint=" : "):
    return book["title"] + (joint + book["subtitle"] if book["subtitle"] else "")


def table(separator, names):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(names)
    for book in BOOKS:
        writer.writerow([
            book["id"], book["title"], book["subtitle"], LIST.join(book["creators"]), book["date"], book["publisher"],
            book["series"], book["volume"], book["edition"], book["language"], book["isbn"],
            LIST.join(book["categories"]),
        ])
    return out.getvalue()


def json_lines():
    lines = []
    for book in BOOKS:
        record = {key: value for key, value in book.items() if value and key not in ("marc_language", "subtitle")}
        record["title"] = full_title(book)
        record["isbn"] = [book["isbn"]] if book["isbn"] else []
        lines.append(json.dumps(record, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def marc_fields(book):
    """Tag, indicators and subfields, punctuated as cataloguers do."""
    yield "001", None, book["id"]
    yield "008", None, "261117s" + book["date"] + "    xx " + " " * 17 + book["marc_language"] + " d"
    if book["isbn"]:
        yield "020", "  ", [("a", book["isbn"] + " (pbk.)")]
    yield "100", "1 ", [("a", book["creators"][0] + ","), ("e", "author.")]
    title = [("a", book["title"] + (" :" if book["subtitle"] else " /"))]
    if book["subtitle"]:
        title.append(("b", book["subtitle"] + " /"))
    yield "245", "10", title + [("c", "by " + book["creators"][0] + ".")]
    if book["edition"]:
        yield "250", "  ", [("a", book["edition"] + ".")]
    yield "260", "  ", [("a", "Somewhere :"), ("b", book["publisher"] + ","), ("c", "[" + book["date"] + "].")]
    if book["series"]:
        yield "490", "1 ", [("a", book["series"] + " ;"), ("v", book["volume"])]
    for category in book["categories"]:
        yield "650", " 0", [("a", category + ".")]
    for creator in book["creators"][1:]:
        yield "700", "1 ", [("a", creator + ".")]


def marc(books, encode, coding):
    out = b""
    for book in books:
        directory, data = b"", b""
        for tag, indicators, value in marc_fields(book):
            text = value if indicators is None else indicators + "".join("\x1f" + code + text for code, text in value)
            field = encode(text) + b"\x1e"
            directory += f"{tag}{len(field):04}{len(data):05}".encode()
            data += field
        base = 24 + len(directory) + 1
        leader = f"{base + len(data) + 1:05}nam {coding}22{base:05} a 4500".replace("nam ", "nam ")
        out += leader.encode() + directory + b"\x1e" + data + b"\x1d"
    return out


def marc8(text):
    """Latin of these books only."""
    marks = {"Ü": b"\xe8U", "ü": b"\xe8u", "Å": b"\xeaA"}
    return b"".join(marks.get(c, c.encode("ascii", "strict") if c not in marks else b"") for c in text)


def marc_xml():
    records = []
    for book in BOOKS:
        fields = []
        for tag, indicators, value in marc_fields(book):
            if indicators is None:
                fields.append(f'    <controlfield tag="{tag}">{escape(value)}</controlfield>')
                continue
            inside = "".join(f'<subfield code="{code}">{escape(text)}</subfield>' for code, text in value)
            fields.append(f'    <datafield tag="{tag}" ind1="{indicators[0]}" ind2="{indicators[1]}">{inside}</datafield>')
        leader = "    <leader>00000nam a2200000 a 4500</leader>"
        records.append("\n".join(["  <record>", leader, *fields, "  </record>"]))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- <record> in a comment is none -->\n'
    return head + '<collection xmlns="http://www.loc.gov/MARC21/slim">\n' + "\n".join(records) + "\n</collection>\n"


def bibtex():
    latex = {"Ü": '{\\"U}', "ü": '{\\"u}', "Å": "{\\AA}", "&": "\\&"}
    tex = lambda text: "".join(latex.get(c, c) for c in text)
    entries = ["What stands outside of entries is a comment, even me@example.org.\n", '@string{hp = "Harbour Press"}\n']
    for book in BOOKS:
        fields = [("author", tex(" and ".join(book["creators"]))), ("title", "{" + tex(full_title(book)) + "}")]
        fields += [("year", book["date"])]
        fields += [(name, tex(book[name])) for name in ("series", "volume", "edition", "language", "isbn") if book[name]]
        if book["categories"]:
            fields.append(("keywords", tex(", ".join(book["categories"]))))
        lines = [f"  {name} = {{{value}}}," for name, value in fields]
        publisher = "hp" if book["publisher"] == "Harbour Press" else "{" + tex(book["publisher"]) + "}"
        entries.append("\n".join([f"@book{{{book['id']},", *lines, f"  publisher = {publisher}", "}\n"]))
    return "\n".join(entries)


def ris():
    lines = []
    for book in BOOKS:
        lines += ["TY  - BOOK", "ID  - " + book["id"], "TI  - " + full_title(book)]
        lines += ["AU  - " + creator for creator in book["creators"]]
        pairs = [("PY", "date"), ("PB", "publisher"), ("T3", "series"), ("VL", "volume"), ("ET", "edition"), ("LA", "language"), ("SN", "isbn")]
        lines += [f"{tag}  - {book[name]}" for tag, name in pairs if book[name]]
        lines += ["KW  - " + category for category in book["categories"]]
        lines += ["ER  - ", ""]
    return "\r\n".join(lines)


def dublin_core(book):
    element = lambda name, text: f"      <dc:{name}>{escape(text)}</dc:{name}>"
    lines = [element("identifier", book["id"])]
    if book["isbn"]:
        lines.append(element("identifier", "urn:isbn:" + book["isbn"]))
    lines += [element("title", full_title(book))] + [element("creator", creator) for creator in book["creators"]]
    lines += [element("date", book["date"]), element("publisher", book["publisher"]), element("language", book["language"])]
    return lines + [element("subject", category) for category in book["categories"]]


def oai_dc():
    records = []
    for book in BOOKS:
        head = f"  <record>\n    <header><identifier>oai:example.org:{book['id']}</identifier></header>\n    <metadata><oai_dc:dc>"
        records.append("\n".join([head, *dublin_core(book), "    </oai_dc:dc></metadata>\n  </record>"]))
    spaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    return f'<?xml version="1.0"?>\n<ListRecords {spaces}>\n' + "\n".join(records) + "\n</ListRecords>\n"


def opf():
    packages = []
    for book in BOOKS:
        lines = dublin_core(book)
        if book["series"]:
            lines.append(f'      <meta name="calibre:series" content={quoteattr(book["series"])}/>')
            lines.append(f'      <meta name="calibre:series_index" content="{book["volume"]}.0"/>')
        spaces = 'xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        packages.append("\n".join([f'<package {spaces} version="2.0">\n  <metadata>', *lines, "  </metadata>\n</package>"]))
    return "\n".join(packages) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    english = ["id", "title", "subtitle", "author", "year", "publisher", "series", "volume", "edition", "language", "isbn", "subjects"]
    german = ["Nr.", "Titel", "Untertitel", "Autor", "Jahr", "Verlag", "Reihe", "Band", "Auflage", "Sprache", "ISBN", "Schlagwörter"]
    files = {
        "catalogue.csv": table(",", english).encode(),
        "catalogue-semicolon-utf16.csv": table(";", german).encode("utf-16"),
        "catalogue.tsv": table("\t", english).encode(),
        "catalogue.jsonl": json_lines().encode(),
        "catalogue.json": json.dumps([json.loads(line) for line in json_lines().splitlines()], ensure_ascii=False, indent=1).encode(),
        "catalogue.mrc": marc(BOOKS, str.encode, "a"),
        "catalogue-marc8.mrc": marc(BOOKS[:2], marc8, " "),
        "catalogue.marcxml": marc_xml().encode(),
        "catalogue.bib": bibtex().encode(),
        "catalogue.ris": ris().encode(),
        "catalogue.opf": opf().encode(),
        "catalogue.dc.xml": oai_dc().encode(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)


main()
