use super::*;
use crate::draft::Draft;
use crate::input::Options;
use proptest::prelude::*;

/// Puts bytes at a place of a record.
fn put(record: &mut Vec<u8>, at: usize, value: &[u8]) {
    if record.len() < at + value.len() {
        record.resize(at + value.len(), 0);
    }
    record[at..at + value.len()].copy_from_slice(value);
}

fn palm(kind: &[u8; 8], records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"A_Book".to_vec();
    put(&mut bytes, 60, kind);
    put(&mut bytes, 76, &(records.len() as u16).to_be_bytes());
    let mut start = 78 + 8 * records.len();
    for record in records {
        bytes.extend((start as u32).to_be_bytes());
        bytes.extend([0; 4]);
        start += record.len();
    }
    bytes.extend(records.concat());
    bytes
}

/// A first record, with fields of four bytes at their places and EXTH records.
fn first(packing: u16, n_text_records: u16, fields: &[(usize, u32)], exth: &[(u32, &[u8])]) -> Vec<u8> {
    let mut record = Vec::new();
    put(&mut record, 0, &packing.to_be_bytes());
    put(&mut record, 8, &n_text_records.to_be_bytes());
    put(&mut record, 16, b"MOBI");
    let unset = (108..=252).step_by(4).filter(|at| ![116, 128, 240].contains(at)).map(|at| (at, u32::MAX));
    let own = [(20, 264), (28, 65001), (36, 6), (128, 0x40), (276, 0)];
    for (at, value) in unset.chain(own).chain(fields.iter().copied()) {
        put(&mut record, at, &value.to_be_bytes());
    }
    record.extend(b"EXTH\0\0\0\0");
    record.extend((exth.len() as u32).to_be_bytes());
    for (kind, value) in exth {
        record.extend(kind.to_be_bytes());
        record.extend((value.len() as u32 + 8).to_be_bytes());
        record.extend(*value);
    }
    record
}

/// PalmDOC by the plainest search.
fn palmdoc_packed(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let matching =
            |from: usize| (0..10).take_while(|i| text.get(at + i) == Some(&text[from + i])).count();
        let copy = (at.saturating_sub(2047)..at).map(|from| (matching(from), at - from)).max();
        match (copy, text[at]) {
            (Some((n @ 3.., distance)), _) => {
                packed.extend((0x8000 | (distance << 3) as u16 | (n - 3) as u16).to_be_bytes());
                at += n;
            }
            (_, b' ') if text.get(at + 1).is_some_and(|next| (0x40..0x80).contains(next)) => {
                packed.push(text[at + 1] | 0x80);
                at += 2;
            }
            (_, byte @ (0 | 9..=0x7f)) => {
                packed.push(byte);
                at += 1;
            }
            (_, byte) => {
                packed.extend([1, byte]);
                at += 1;
            }
        }
    }
    packed
}

fn draft(bytes: &[u8]) -> Result<Draft, Failure> {
    let mut draft = Draft::default();
    read(&Input::new("a.mobi", bytes, &Options::default()), &mut Out::new(&mut draft))?;
    Ok(draft)
}

const TEXT: &str =
    "<html><body><p>It was the best of times, it was the wörst of times, it was the age</p></body></html>";

#[test]
fn palmdoc_records_follow_each_other() {
    let (one, two) = TEXT.as_bytes().split_at(50);
    let records = [first(2, 2, &[], &[]), palmdoc_packed(one), palmdoc_packed(two)];
    assert!(records[2].len() < two.len());
    assert_eq!(html(&palm(b"BOOKMOBI", &records)).unwrap(), TEXT);
}

#[test]
fn what_lies_behind_the_text_of_a_record_is_cut_off() {
    // A character lies across the records: its rest is repeated behind the first, and an index entry behind that.
    let (one, two) = TEXT.as_bytes().split_at(TEXT.find('ö').unwrap() + 1);
    let one = [one, &two[..1], b"\x01", b"index\x86"].concat();
    let two = [two, b"\x00", b"\x81"].concat();
    let records = [first(1, 2, &[(240, 3)], &[]), one, two];
    assert_eq!(html(&palm(b"BOOKMOBI", &records)).unwrap(), TEXT);
}

#[test]
fn windows_1252_is_decoded() {
    let records = [first(1, 1, &[(28, 1252)], &[]), b"caf\xe9 \x93x\x94".to_vec()];
    assert_eq!(html(&palm(b"BOOKMOBI", &records)).unwrap(), "café “x”");
}

/// All codes have eight bits, but for those of the first byte zero, which have nine.
fn huff() -> Vec<u8> {
    let mut huff = b"HUFF\0\0\0\x18".to_vec();
    put(&mut huff, 8, &24u32.to_be_bytes());
    put(&mut huff, 12, &(24 + 1024u32).to_be_bytes());
    for byte in 0..256 {
        let code: u32 = if byte == 0 { 8 } else { 255 << 8 | 0x80 | 8 };
        put(&mut huff, 24 + 4 * byte, &code.to_be_bytes());
    }
    put(&mut huff, 24 + 1024 + 8 * 7, &1u32.to_be_bytes());
    put(&mut huff, 24 + 1024 + 8 * 8 + 4, &1u32.to_be_bytes());
    put(&mut huff, 24 + 1024 + 8 * 32 - 1, &[0]);
    huff
}

fn cdic(entries: &[(&[u8], bool)]) -> Vec<u8> {
    let mut cdic = b"CDIC\0\0\0\x10".to_vec();
    put(&mut cdic, 8, &(entries.len() as u32).to_be_bytes());
    put(&mut cdic, 12, &8u32.to_be_bytes());
    let mut bytes = Vec::new();
    for (entry, is_plain) in entries {
        cdic.extend(((2 * entries.len() + bytes.len()) as u16).to_be_bytes());
        bytes.extend((entry.len() as u16 | if *is_plain { 0x8000 } else { 0 }).to_be_bytes());
        bytes.extend(*entry);
    }
    [cdic, bytes].concat()
}

fn huffman_book(entries: &[(&[u8], bool)], text: &[u8]) -> Vec<u8> {
    let head = first(0x4448, 1, &[(112, 2), (116, 2)], &[]);
    palm(b"BOOKMOBI", &[head, text.to_vec(), huff(), cdic(entries)])
}

#[test]
fn huffman_entries_may_be_packed_themselves() {
    let entries: &[(&[u8], bool)] = &[(b"the ", true), (&[255, 253], false), (b"end", true)];
    // Codes count down from the largest; then one of nine bits, 0 0000 0000, and seven bits that are no code.
    let book = huffman_book(entries, &[254, 255, 254, 0, 0]);
    assert_eq!(html(&book).unwrap(), "the endthe the endthe end");
}

#[test]
fn huffman_entries_that_name_themselves_end() {
    let text = b"abc".as_slice();
    let book = huffman_book(&[(text, true), (&[254], false), (&[253; 200], false)], &[255, 254, 255]);
    let draft = draft(&book).unwrap();
    assert_eq!(html(&book).unwrap(), "abc");
    assert_eq!(draft.warnings, ["1 of 1 text records are missing or damaged"]);
}

#[test]
fn metadata_is_in_the_exth_block() {
    let exth: &[(u32, &[u8])] = &[
        (100, b"Emily Bront\xc3\xab"),
        (100, b"Another"),
        (101, b"Newby"),
        (104, b"9780141439556"),
        (106, b"1847"),
        (112, b"calibre:1"),
        (112, b"urn:isbn:0141439556"),
        (503, b"Wuthering Heights"),
        (524, b"en"),
    ];
    let metadata = draft(&palm(b"BOOKMOBI", &[first(1, 1, &[], exth), b"x".to_vec()])).unwrap().metadata;
    assert_eq!(metadata.title.as_deref(), Some("Wuthering Heights"));
    assert_eq!(metadata.creators, ["Emily Brontë", "Another"]);
    assert_eq!(metadata.publisher.as_deref(), Some("Newby"));
    assert_eq!(metadata.isbn, ["9780141439556", "urn:isbn:0141439556"]);
    assert_eq!((metadata.date.as_deref(), metadata.language.as_deref()), (Some("1847"), Some("en")));
}

#[test]
fn a_book_that_calibre_made_is_a_conversion() {
    let made = |exth: &[(u32, &[u8])], version: u32, text: &[u8]| {
        draft(&palm(b"BOOKMOBI", &[first(1, 1, &[(36, version)], exth), text.to_vec()])).unwrap().origin
    };
    let named = made(&[(108, b"calibre (6.13.0) [https://calibre-ebook.com]")], 6, b"x");
    assert_eq!((named.made_by.as_deref(), named.is_conversion), (Some("calibre (6.13.0)"), true));
    // The source named a producer of its own, which calibre keeps.
    let kept: &[(u32, &[u8])] = &[(108, b"Alex Cabal"), (112, b"calibre:966c94ef")];
    assert!(made(kept, 6, b"x").is_conversion);
    assert!(made(&[(112, b"calibre:966c94ef"), (207, &[0; 4])], 8, b"x").is_conversion);
    assert!(made(&[], 8, b"<p class=\"calibre1\">x</p>").is_conversion);
    // A book of Amazon's programs that calibre only manages.
    let managed: &[(u32, &[u8])] =
        &[(108, b"Alex Cabal"), (112, b"calibre:966c94ef"), (535, b"1019-d6e4792")];
    assert!(!made(managed, 6, b"x").is_conversion);
    assert_eq!(made(&[(108, b"A. Person")], 6, b"x").made_by, None);
}

#[test]
fn without_exth_the_header_has_title_and_language() {
    let mut head = first(1, 1, &[(128, 0), (84, 300), (88, 4), (92, 0x407)], &[]);
    put(&mut head, 300, b"Faust"[..4].as_ref());
    let metadata = draft(&palm(b"BOOKMOBI", &[head, b"x".to_vec()])).unwrap().metadata;
    assert_eq!((metadata.title.as_deref(), metadata.language.as_deref()), (Some("Faus"), Some("de")));
}

#[test]
fn locked_books_and_print_replicas_are_refused() {
    let mut head = first(1, 1, &[], &[]);
    put(&mut head, 12, &2u16.to_be_bytes());
    let failure = draft(&palm(b"BOOKMOBI", &[head, b"x".to_vec()])).unwrap_err();
    assert_eq!(
        (failure.reason, failure.message.as_str()),
        (Reason::Drm, "locked to a Kindle device or account")
    );
    let replica = [first(1, 1, &[], &[]), b"%MOP\0\0\0\0%PDF-1.4".to_vec()];
    assert_eq!(draft(&palm(b"BOOKMOBI", &replica)).unwrap_err().reason, Reason::Unsupported);
    assert_eq!(draft(&palm(b"DataPlkr", &replica)).unwrap_err().reason, Reason::Unsupported);
}

#[test]
fn of_a_joint_file_the_new_book_is_read() {
    let old = first(1, 1, &[], &[(121, &3u32.to_be_bytes())]);
    let new = first(1, 1, &[(36, 8)], &[]);
    let records = [old, b"old".to_vec(), b"BOUNDARY".to_vec(), new, b"new".to_vec()];
    assert_eq!(html(&palm(b"BOOKMOBI", &records)).unwrap(), "new");
    let broken = [records[0].clone(), b"old".to_vec(), b"BOUNDARY".to_vec(), b"MOBI".to_vec()];
    assert_eq!(html(&palm(b"BOOKMOBI", &broken)).unwrap(), "old");
}

/// The two records of an index: how entries are written, and the entries.
fn index(tags: &[[u8; 4]], entries: &[Vec<u8>]) -> [Vec<u8>; 2] {
    let mut head = b"INDX\0\0\0\xc0".to_vec();
    put(&mut head, 24, &1u32.to_be_bytes());
    put(&mut head, 192, b"TAGX");
    put(&mut head, 196, &(12 + 4 * tags.len() as u32).to_be_bytes());
    put(&mut head, 200, &1u32.to_be_bytes());
    head.extend(tags.concat());
    let mut data = b"INDX\0\0\0\xc0".to_vec();
    let mut places = b"IDXT".to_vec();
    put(&mut data, 191, &[0]);
    for entry in entries {
        places.extend((data.len() as u16).to_be_bytes());
        data.extend(entry);
    }
    let places_at = data.len() as u32;
    put(&mut data, 20, &places_at.to_be_bytes());
    put(&mut data, 24, &(entries.len() as u32).to_be_bytes());
    [head, [data, places].concat()]
}

fn number(number: usize) -> [u8; 2] {
    [(number >> 7) as u8, (number & 0x7f) as u8 | 0x80]
}

fn skeleton(n_fragments: usize, start: usize, n_bytes: usize) -> Vec<u8> {
    [b"\x04SKEL\x05".as_slice(), &number(n_fragments), &number(start), &number(n_bytes)].concat()
}

fn fragment(insert_at: usize, n_bytes: usize) -> Vec<u8> {
    let name = format!("{insert_at:010}");
    let numbers = [number(0), number(0), number(0), number(0), number(n_bytes)].concat();
    [b"\x0a", name.as_bytes(), b"\x0f", &numbers].concat()
}

fn kf8_book(text: &str, n_text: u32, skeletons: &[Vec<u8>], fragments: &[Vec<u8>]) -> Vec<u8> {
    let [skeleton_head, skeletons] = index(&[[1, 1, 3, 0], [6, 2, 12, 0], [0, 0, 0, 1]], skeletons);
    let tags = [[2, 1, 1, 0], [3, 1, 2, 0], [4, 1, 4, 0], [6, 2, 8, 0], [0, 0, 0, 1]];
    let [fragment_head, fragments] = index(&tags, fragments);
    let fdst = [b"FDST\0\0\0\x0c\0\0\0\x01\0\0\0\0", n_text.to_be_bytes().as_slice()].concat();
    let head = first(1, 1, &[(36, 8), (192, 6), (248, 4), (252, 2)], &[]);
    let records = [head, text.as_bytes().to_vec(), skeleton_head, skeletons, fragment_head, fragments, fdst];
    palm(b"BOOKMOBI", &records)
}

#[test]
fn fragments_are_put_into_their_skeletons() {
    // Two files: the second fragment of the first belongs behind the first one, its third into the second.
    let text = "<a></a>one two !<b></b>three.css";
    let skeletons = [skeleton(3, 0, 7), skeleton(1, 16, 7)];
    let fragments = [fragment(3, 4), fragment(7, 4), fragment(10, 1), fragment(16 + 3, 5)];
    let book = kf8_book(text, 28, &skeletons, &fragments);
    assert_eq!(html(&book).unwrap(), "<a>one two! </a><b>three</b>");
}

#[test]
fn where_the_tables_are_damaged_the_text_is_read_as_it_lies() {
    let text = "<a></a>one two ";
    let check = |skeletons: &[Vec<u8>], fragments: &[Vec<u8>]| {
        assert_eq!(html(&kf8_book(text, 15, skeletons, fragments)).unwrap(), text);
    };
    check(&[skeleton(2, 1, 7)], &[fragment(3, 4), fragment(7, 4)]);
    check(&[skeleton(3, 0, 7)], &[fragment(3, 4), fragment(7, 4)]);
    check(&[skeleton(2, 0, 7)], &[fragment(3, 4), fragment(700, 4)]);
    check(&[skeleton(2, 0, 7)], &[fragment(3, 4), fragment(7, 400)]);
}

#[test]
fn a_cut_file_keeps_what_is_there() {
    let records = [first(1, 2, &[], &[]), b"one ".to_vec(), b"two".to_vec()];
    let bytes = palm(b"BOOKMOBI", &records);
    let draft = draft(&bytes[..bytes.len() - 3]).unwrap();
    assert_eq!(html(&bytes[..bytes.len() - 3]).unwrap(), "one ");
    assert_eq!(draft.warnings, ["1 of 2 text records are missing or damaged"]);
}

fn palmdoc_book(text: &[u8]) -> Draft {
    let mut head = first(2, 1, &[], &[]);
    head.truncate(16);
    draft(&palm(b"TEXtREAd", &[head, palmdoc_packed(text)])).unwrap()
}

#[test]
fn plain_palmdoc_is_text() {
    let paragraph = "word ".repeat(60);
    let flowing = palmdoc_book(format!("{paragraph}\n{paragraph}").as_bytes());
    assert_eq!((flowing.lines, flowing.text.len()), (Lines::Flowing, 601));
    assert_eq!(flowing.metadata.title.as_deref(), Some("A Book"));
    assert!(flowing.origin.is_conversion, "nobody writes in PalmDOC");
    let printed = palmdoc_book("a short line\n".repeat(9).as_bytes());
    assert_eq!(printed.lines, Lines::Printed);
}

#[test]
fn the_head_of_old_html_is_metadata() {
    let draft =
        palmdoc_book(b"<HTML><HEAD><dc:Title>Emma</dc:Title><dc:Creator>Austen</dc:Creator></HEAD><p>It</p>");
    assert_eq!(draft.metadata.title.as_deref(), Some("Emma"));
    assert_eq!(draft.metadata.creators, ["Austen"]);
    assert!(!draft.text.contains("Austen"));
}

proptest! {
    #[test]
    fn packing_and_unpacking_gives_the_text(text in "[a-e é ]{0,300}") {
        let mut unpacked = Vec::new();
        prop_assert_eq!(pack::palmdoc(&palmdoc_packed(text.as_bytes()), &mut unpacked), Ok(()));
        prop_assert_eq!(unpacked, text.as_bytes());
    }

    #[test]
    fn damaged_files_never_panic(cut in 0usize..2000, changes in prop::collection::vec((0usize..2000, any::<u8>()), 0..8)) {
        let kf8 = kf8_book("<a></a>one two ", 15, &[skeleton(2, 0, 7)], &[fragment(3, 4), fragment(7, 4)]);
        let huffman = huffman_book(&[(b"the ", true), (&[255, 253], false), (b"end", true)], &[254, 255, 254]);
        for mut bytes in [kf8, huffman, palm(b"BOOKMOBI", &[first(2, 1, &[], &[]), palmdoc_packed(TEXT.as_bytes())])] {
            for (at, byte) in &changes {
                let at = at % bytes.len();
                bytes[at] = *byte;
            }
            let cut = bytes.len() - cut % bytes.len() / 4;
            let _ = (html(&bytes[..cut]), draft(&bytes[..cut]));
        }
    }

    #[test]
    fn any_bytes_are_unpacked_within_bounds(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let mut unpacked = Vec::new();
        let _ = pack::palmdoc(&bytes, &mut unpacked);
        prop_assert!(unpacked.len() <= 5 * bytes.len() + 10);
        prop_assert!(pack::without_trailers(&bytes, 0xffff).len() <= bytes.len());
        let _ = (draft(&bytes), draft(&palm(b"BOOKMOBI", &[bytes.clone(), bytes.clone()])));
    }
}
