//! Files made to hurt whoever opens them, built here byte by byte.
//!
//! Each is small on disk or becomes large by a trick known from the wild: overlapping members, long runs of zeros,
//! structures that refer to themselves, nesting without end. A reader survives all of them within its limits.

use flate2::{Compress, Compression, FlushCompress};

/// A hostile file.
pub struct Bomb {
    /// What it is, as a file name.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// All of them. `large` adds those of hundreds of megabytes.
pub fn all(large: bool) -> Vec<Bomb> {
    let mut bombs = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>| bombs.push(Bomb { name: name.to_owned(), bytes });
    archives(&mut add);
    pdfs(&mut add);
    markup(&mut add);
    others(&mut add);
    if large {
        add("gigabyte-line.txt", b"no end in sight ".repeat(80 << 20 >> 2));
        add("many-ligatures.txt", "\u{fdfa}".repeat(60 << 20).into_bytes());
        add("cut-words.txt", b"exam-\n".repeat(20 << 20));
    }
    bombs
}

type Add<'a> = dyn FnMut(&str, Vec<u8>) + 'a;

fn archives(add: &mut Add<'_>) {
    let big = zeros(2 << 30);
    add("deflate-bomb.epub", epub(&[("a.xhtml", Member::packed(&big, 2 << 30))]));
    add("lying-size.epub", epub(&[("a.xhtml", Member::packed(&big, 1000))]));
    add("same-chapter-often.epub", epub_repeating(100_000, &b"<p>again and again</p>".repeat(40_000)));
    add("overlap.zip", overlapping_zip(5_000));
    add(
        "nested.zip",
        (0..12).fold(b"innermost".to_vec(), |inner, i| zip(&[(format!("{i}.zip"), Member::stored(&inner))])),
    );
    let pages: Vec<(String, Member)> =
        (0..90_000).map(|i| (format!("{i:08}.txt"), Member::stored(b"page"))).collect();
    add("many-pages.zip", zip(&pages));
    add(
        "deflate-bomb.docx",
        zip(&[
            ("[Content_Types].xml".into(), Member::stored(b"<Types/>")),
            ("word/document.xml".into(), Member::packed(&big, 2 << 30)),
        ]),
    );
    add("bomb.txt.gz", gzip_of_deflate(&big));
    let mut packed = gzip_of_deflate(&zeros(100 << 20));
    for _ in 0..8 {
        packed = gzip(&packed);
    }
    add("nested.txt.gz", packed);
    add("bomb.txt.zst", zstd_run(2 << 30));
}

fn pdfs(add: &mut Add<'_>) {
    let zlib = [&[0x78, 0x9c][..], &zeros(2 << 30)].concat();
    let content = |dict: &str, data: &[u8]| {
        [format!("<< {dict} /Length {} >>\nstream\n", data.len()).as_bytes(), data, b"\nendstream"].concat()
    };
    add("flate-bomb.pdf", pdf(&[content("/Filter /FlateDecode", &zlib)]));
    add("xref-loop.pdf", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 3 /Root 1 0 R /Prev 57 >>\nstartxref\n57\n%%EOF".to_vec());
    let form = |next: usize| {
        content(
            &format!(
                "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A {next} 0 R >> >>"
            ),
            b"/A Do /A Do /A Do /A Do",
        )
    };
    let forms: Vec<Vec<u8>> = (0..40).map(|i| form(if i < 39 { 6 + i } else { 44 })).collect();
    add(
        "exponential-forms.pdf",
        pdf(&[vec![content("/Resources << /XObject << /A 5 0 R >> >>", b"/A Do")], forms].concat()),
    );
    add(
        "deep-arrays.pdf",
        pdf(&[["[".repeat(1_000_000).as_bytes(), "]".repeat(1_000_000).as_bytes()].concat()]),
    );
    add(
        "page-tree-loop.pdf",
        pdf_of(&[
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [2 0 R 2 0 R 3 0 R] /Count 1000000000 >>",
            "<< /Type /Page /Parent 2 0 R >>",
        ]),
    );
    add("many-operators.pdf", pdf(&[content("", &b"BT (a) Tj ET q Q ".repeat(4_000_000))]));
}

fn markup(add: &mut Add<'_>) {
    let entities: String =
        (1..12).map(|i| format!("<!ENTITY l{i} '{}'>", format!("&l{};", i - 1).repeat(10))).collect();
    let laughs = |root: &str| {
        format!(
            "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY l0 'lol'>{entities}]><{root}><body>&l11;</body></{root}>"
        )
    };
    add("billion-laughs.fb2", laughs("FictionBook").into_bytes());
    add("billion-laughs.html", laughs("html").into_bytes());
    add("nested-divs.html", format!("<html><body>{}x", "<div>".repeat(300_000)).into_bytes());
    add("nested-sections.fb2", format!("<FictionBook><body>{}x", "<section>".repeat(1_000_000)).into_bytes());
    add("nested.alto.xml", format!("<alto><Layout>{}x", "<ComposedBlock>".repeat(1_000_000)).into_bytes());
    add("nested.tei.xml", format!("<TEI><text>{}x", "<div>".repeat(1_000_000)).into_bytes());
    let attributes: String = (0..200_000).map(|i| format!(" a{i}='x'")).collect();
    add("attributes.html", format!("<html><body{attributes}><p>text</p>").into_bytes());
    add(
        "attributes.fb2",
        format!("<FictionBook><body{attributes}><p>text</p></body></FictionBook>").into_bytes(),
    );
    add(
        "formatting.html",
        format!("<html><body>{}{}", "<font>".repeat(20_000), "<p>x".repeat(20_000)).into_bytes(),
    );
    add("open-comment.html", format!("<html><body><p>text</p><!--{}", "-".repeat(5_000_000)).into_bytes());
    add("open-tag.html", format!("<html><body><p>text</p><a {}", "b='".repeat(2_000_000)).into_bytes());
    add("ampersands.html", format!("<html><body><p>{}", "&".repeat(5_000_000)).into_bytes());
}

fn others(add: &mut Add<'_>) {
    add("groups.rtf", format!("{{\\rtf1 {}x", "{".repeat(3_000_000)).into_bytes());
    add("bin.rtf", b"{\\rtf1 \\bin999999999999 x}".to_vec());
    add("records.mobi", mobi_header(65_535));
    add("page-breaks.txt", "\u{c}".repeat(3_000_000).into_bytes());
    add("lists.md", "> ".repeat(200_000).into_bytes());
    add("brackets.md", "[".repeat(500_000).into_bytes());
    add("include-loop.djvu", djvu_including_itself());
}

/// A raw deflate stream of zeros: one packed megabyte, again and again.
fn zeros(n_bytes: usize) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let block = vec![0u8; 1 << 20];
    // The second block is packed knowing the first, so it can follow itself for ever.
    let first = deflated(&mut compress, &block, FlushCompress::Full);
    let mut stream = first.repeat(n_bytes >> 20);
    stream.extend(deflated(&mut compress, &[], FlushCompress::Finish));
    stream
}

fn deflated(compress: &mut Compress, bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut packed = Vec::with_capacity(bytes.len() / 2 + 1024);
    compress.compress_vec(bytes, &mut packed, flush).expect("memory to memory");
    packed
}

fn gzip_of_deflate(deflate: &[u8]) -> Vec<u8> {
    [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255][..], deflate, &[0; 8]].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory to memory")
}

/// A zstd frame of one byte, again and again, in blocks of 128 KiB.
fn zstd_run(n_bytes: usize) -> Vec<u8> {
    // Magic, no checksum or size, a window of 128 KiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    let n_blocks = n_bytes >> 17;
    for i in 0..n_blocks {
        let header = (1u32 << 17) << 3 | 1 << 1 | u32::from(i + 1 == n_blocks);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.push(b'a');
    }
    frame
}

/// A member of an archive: its bytes as packed, how, and what it says of its size.
struct Member {
    data: Vec<u8>,
    method: u16,
    size: u32,
    crc: u32,
}

impl Member {
    fn stored(bytes: &[u8]) -> Member {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        Member { data: bytes.to_vec(), method: 0, size: bytes.len() as u32, crc: crc.sum() }
    }

    fn packed(deflate: &[u8], size: u64) -> Member {
        Member { data: deflate.to_vec(), method: 8, size: size.min(u64::from(u32::MAX)) as u32, crc: 0 }
    }
}

fn header(signature: &[u8], member: &Member, name: &str) -> Vec<u8> {
    let mut bytes = signature.to_vec();
    [0, member.method, 0, 0].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    [member.crc, member.data.len() as u32, member.size].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(0u16.to_le_bytes());
    bytes
}

fn zip(members: &[(String, Member)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, member) in members {
        directory_entry(&mut directory, name, member, bytes.len() as u32);
        bytes.extend(header(b"PK\x03\x04\x14\x00", member, name));
        bytes.extend(name.as_bytes());
        bytes.extend(&member.data);
    }
    with_directory(bytes, &directory, members.len())
}

fn directory_entry(directory: &mut Vec<u8>, name: &str, member: &Member, at: u32) {
    directory.extend(header(b"PK\x01\x02\x14\x00\x14\x00", member, name));
    directory.extend([0; 10]);
    directory.extend(at.to_le_bytes());
    directory.extend(name.as_bytes());
}

fn with_directory(mut bytes: Vec<u8>, directory: &[u8], n_members: usize) -> Vec<u8> {
    let at = bytes.len() as u32;
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
    [n_members.min(65_535) as u16; 2].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    [directory.len() as u32, at].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    bytes.extend([0, 0]);
    bytes
}

/// Many members that are all the same bytes of the archive.
fn overlapping_zip(n: usize) -> Vec<u8> {
    let member = Member::packed(&zeros(16 << 20), 16 << 20);
    let (mut bytes, mut directory) = (header(b"PK\x03\x04\x14\x00", &member, "0.txt"), Vec::new());
    bytes.extend(b"0.txt");
    bytes.extend(&member.data);
    (0..n).for_each(|i| directory_entry(&mut directory, &format!("{}.txt", i % 10), &member, 0));
    with_directory(bytes, &directory, n)
}

const CONTAINER: &[u8] = b"<container><rootfiles><rootfile full-path='a.opf'/></rootfiles></container>";

fn epub(chapters: &[(&str, Member)]) -> Vec<u8> {
    let items: String = chapters
        .iter()
        .enumerate()
        .map(|(i, (name, _))| format!("<item id='i{i}' href='{name}' media-type='application/xhtml+xml'/>"))
        .collect();
    let spine: String = (0..chapters.len()).map(|i| format!("<itemref idref='i{i}'/>")).collect();
    epub_of(&items, &spine, chapters)
}

fn epub_repeating(n: usize, chapter: &[u8]) -> Vec<u8> {
    let item = "<item id='i' href='a.xhtml' media-type='application/xhtml+xml'/>";
    epub_of(item, &"<itemref idref='i'/>".repeat(n), &[("a.xhtml", Member::stored(chapter))])
}

fn epub_of(items: &str, spine: &str, chapters: &[(&str, Member)]) -> Vec<u8> {
    let opf = format!("<package><metadata/><manifest>{items}</manifest><spine>{spine}</spine></package>");
    let mut members = vec![
        ("mimetype".to_owned(), Member::stored(b"application/epub+zip")),
        ("META-INF/container.xml".to_owned(), Member::stored(CONTAINER)),
        ("a.opf".to_owned(), Member::stored(opf.as_bytes())),
    ];
    members
        .extend(chapters.iter().map(|(name, m)| ((*name).to_owned(), Member { data: m.data.clone(), ..*m })));
    zip(&members)
}

/// One page whose content is the first object given, number 4; the others follow.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut all: Vec<Vec<u8>> = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >> >>"].iter().map(|object| object.as_bytes().to_vec()).collect();
    all.extend_from_slice(objects);
    pdf_bytes(&all)
}

fn pdf_of(objects: &[&str]) -> Vec<u8> {
    pdf_bytes(&objects.iter().map(|object| object.as_bytes().to_vec()).collect::<Vec<_>>())
}

fn pdf_bytes(objects: &[Vec<u8>]) -> Vec<u8> {
    let (mut bytes, mut table) = (b"%PDF-1.4\n".to_vec(), String::from("0000000000 65535 f \n"));
    for (i, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", bytes.len());
        bytes.extend(format!("{} 0 obj\n", i + 1).as_bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let at = bytes.len();
    let n = objects.len() + 1;
    bytes.extend(
        format!("xref\n0 {n}\n{table}trailer\n<< /Size {n} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n")
            .as_bytes(),
    );
    bytes
}

fn mobi_header(n_records: u16) -> Vec<u8> {
    let mut bytes = vec![b'x'; 60];
    bytes.extend(b"BOOKMOBI");
    bytes.extend([0; 8]);
    bytes.extend(n_records.to_be_bytes());
    (0..n_records).for_each(|_| bytes.extend([0, 0, 0, 78, 0, 0, 0, 0]));
    bytes.extend([0xff; 4096]);
    bytes
}

fn djvu_including_itself() -> Vec<u8> {
    let chunk = |id: &[u8], data: &[u8]| [id, &(data.len() as u32).to_be_bytes(), data].concat();
    let page =
        [b"DJVU".to_vec(), chunk(b"INFO", &[0, 9, 0, 9, 24, 0, 44, 1, 22, 1]), chunk(b"INCL", b"self.djvu")]
            .concat();
    [b"AT&T".to_vec(), chunk(b"FORM", &page)].concat()
}
