//! What the Internet Archive lays beside its texts: which leaves are shown, and what is printed on them.
//!
//! `_scandata.xml` lists every leaf that was photographed. Those with `addToAccessFormats` false, such as colour cards and
//! leaves scanned twice, are no pages of the book: PDF, `_djvu.xml` and `_djvu.txt` are without them, while the index of
//! the search text counts every leaf. `_page_numbers.json` tells the number read on each leaf, by its leaf number.
//! Nothing says which of the two countings a text follows, so it is told by how many pages there are, and where the
//! number fits neither, there are no labels: a missing label is better than a wrong one.
//!
//! The search text has a paragraph a line, its printed lines joined by spaces, so that cut words read `exam- ple`
//! (archive-hocr-tools, `hocr/text.py`). Its index counts characters, though its documentation says bytes: the length of
//! the text tells which.

use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::{Failure, Reason};
use crate::input::{Companion, Input};
use crate::limits::MAX_PAGES;
use crate::readers::flow::fields;
use crate::unpack::{GZIP, gunzip};
use crate::xml::{Piece, Xml};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The largest table that is read: parsed, it takes many times its size.
const MAX_TABLE_BYTES: usize = 16 << 20;

/// A leaf as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// What is printed on it as its number.
    pub(crate) label: Option<String>,
    /// Whether it is a page of the book.
    pub(crate) is_shown: bool,
}

impl Default for Leaf {
    fn default() -> Leaf {
        Leaf { label: None, is_shown: true }
    }
}

/// The leaves of a text that has this many pages; `None` where nothing beside it fits.
pub(crate) fn leaves(input: &Input<'_>, n_pages: usize) -> Option<Vec<Leaf>> {
    let (scanned, numbers) = beside(input)?;
    let every = || scanned.iter().map(|(_, leaf)| leaf.clone()).collect();
    let countings: [Vec<Leaf>; 4] = [shown(&scanned), every(), listed(&numbers), numbered(&numbers, n_pages)];
    countings.into_iter().find(|leaves| leaves.len() == n_pages && n_pages > 0)
}

/// Reads a search text by the index of pages beside it.
pub(crate) fn read_search_text(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("ia_search_text", Lines::Printed)?;
    let text = String::from_utf8_lossy(input.bytes);
    let index = find(input, "_hocr_pageindex.json").and_then(|index| page_index(index, &text));
    let Some(pages) = index else {
        return out.text(&printed(&text));
    };
    let mut leaves = leaves(input, pages.len()).into_iter().flatten();
    for (start, end) in pages {
        let leaf = leaves.next().unwrap_or_default();
        if leaf.is_shown {
            out.page(leaf.label.as_deref(), &printed(&text[start..end]))?;
        }
    }
    Ok(())
}

/// Parts paragraphs by blank lines, and ends a line after each part of a cut word, where it ended in print.
fn printed(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for paragraph in text.lines().map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        if !lines.is_empty() {
            lines.push_str("\n\n");
        }
        let mut rest = paragraph;
        while let Some((line, more)) = rest.split_once("- ") {
            let is_cut = line.ends_with(char::is_alphabetic) && more.starts_with(char::is_lowercase);
            lines.push_str(line);
            lines.push_str(if is_cut { "-\n" } else { "- " });
            rest = more;
        }
        lines.push_str(rest);
    }
    lines
}

/// Leaves by their numbers, in the order of the file.
type Leaves = Vec<(u64, Leaf)>;

fn beside(input: &Input<'_>) -> Option<(Leaves, Leaves)> {
    let (scandata, numbers) = (find(input, "_scandata.xml"), find(input, "_page_numbers.json"));
    if scandata.is_none() && numbers.is_none() {
        return None;
    }
    let numbers = numbers.and_then(page_numbers).unwrap_or_default();
    let mut scanned = scandata.and_then(|companion| leaves_scanned(companion).ok()).unwrap_or_default();
    let known: BTreeMap<u64, &Leaf> = numbers.iter().map(|(number, leaf)| (*number, leaf)).collect();
    for (number, leaf) in &mut scanned {
        if let Some(Leaf { label: Some(label), .. }) = known.get(number) {
            leaf.label = Some(label.clone());
        }
    }
    Some((scanned, numbers))
}

fn shown(scanned: &Leaves) -> Vec<Leaf> {
    scanned.iter().filter(|(_, leaf)| leaf.is_shown).map(|(_, leaf)| leaf.clone()).collect()
}

fn listed(numbers: &Leaves) -> Vec<Leaf> {
    numbers.iter().map(|(_, leaf)| leaf.clone()).collect()
}

/// As many leaves as there are pages, each with the label of its leaf number; leaves are counted from 0.
fn numbered(numbers: &Leaves, n_pages: usize) -> Vec<Leaf> {
    let last = numbers.iter().map(|(number, _)| *number).max();
    if n_pages > MAX_PAGES || last.and_then(|last| last.checked_add(1)) != Some(n_pages as u64) {
        return Vec::new();
    }
    let mut leaves = vec![Leaf::default(); n_pages];
    for (number, leaf) in numbers {
        leaves[*number as usize] = leaf.clone();
    }
    leaves
}

/// A file beside the text, packed or not.
fn find<'a>(input: &Input<'a>, ending: &str) -> Option<&'a Companion> {
    input.companion(ending).or_else(|| input.companion(&format!("{ending}.gz")))
}

/// The bytes of a table; `None` where it is damaged, or too large for any book.
fn unpacked(companion: &Companion) -> Option<Cow<'_, [u8]>> {
    let is_packed = companion.bytes.starts_with(GZIP);
    let bytes =
        if is_packed { gunzip(&companion.bytes).ok()?.whole()?.into() } else { Cow::from(&companion.bytes) };
    Some(bytes).filter(|bytes| bytes.len() <= MAX_TABLE_BYTES)
}

fn page_numbers(companion: &Companion) -> Option<Leaves> {
    let json: Value = serde_json::from_slice(&unpacked(companion)?).ok()?;
    let mut leaves = Vec::new();
    for page in json.get("pages")?.as_array()?.iter().take(MAX_PAGES) {
        leaves.push((
            page.get("leafNum")?.as_u64()?,
            Leaf { label: label(page.get("pageNumber")), is_shown: true },
        ));
    }
    Some(leaves)
}

fn label(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn leaves_scanned(companion: &Companion) -> Result<Leaves, Failure> {
    let bytes = unpacked(companion).ok_or_else(|| Failure::new(Reason::Corrupt, "damaged leaf data"))?;
    let text = decode_xml(&bytes)?;
    let mut xml = Xml::new(&text);
    let mut leaves = Vec::new();
    while let Some(piece) = xml.next()? {
        let Piece::Open(tag) = piece else { continue };
        let number = tag.attribute("leafNum").and_then(|number| number.trim().parse().ok());
        let Some(number) = number.filter(|_| tag.local() == "page" && leaves.len() < MAX_PAGES) else {
            continue;
        };
        let mut leaf = Leaf::default();
        fields(&mut xml, "page", |field| {
            if field.is("addToAccessFormats") {
                leaf.is_shown = field.text.trim() != "false";
            } else if field.is("pageNumber") {
                field.set(&mut leaf.label);
            }
        })?;
        leaf.label = leaf.label.map(|label| label.trim().to_owned());
        leaves.push((number, leaf));
    }
    Ok(leaves)
}

/// Where pages begin and end in the text, in bytes; `None` where the index is not of this text.
fn page_index(companion: &Companion, text: &str) -> Option<Vec<(usize, usize)>> {
    let rows: Vec<Vec<usize>> = serde_json::from_slice(&unpacked(companion)?).ok()?;
    let ends: Option<Vec<(usize, usize)>> =
        rows.iter().map(|row| Some((*row.first()?, *row.get(1)?))).collect();
    let mut pages = ends?;
    let is_ordered =
        pages.windows(2).all(|pair| pair[0].1 <= pair[1].0) && pages.iter().all(|page| page.0 <= page.1);
    let last = pages.last().filter(|_| is_ordered)?.1;
    if last != text.len() {
        let (mut chars, mut n_chars, mut n_bytes) = (text.chars(), 0, 0);
        for place in pages.iter_mut().flat_map(|(start, end)| [start, end]) {
            while n_chars < *place {
                n_bytes += chars.next()?.len_utf8();
                n_chars += 1;
            }
            *place = n_bytes;
        }
    }
    pages.iter().all(|&(start, end)| text.get(start..end).is_some()).then_some(pages)
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted_with, paged};

    const SCANDATA: &[u8] = br#"<book><bookData><leafCount>3</leafCount></bookData><pageData>
        <page leafNum="0"><pageType>Color Card</pageType><addToAccessFormats>false</addToAccessFormats></page>
        <page leafNum="1"><pageNumber> 7 </pageNumber><addToAccessFormats>true</addToAccessFormats></page>
        <page leafNum="2"><addToAccessFormats>true</addToAccessFormats></page></pageData></book>"#;
    const NUMBERS: &[u8] = br#"{"pages":[{"leafNum":1,"pageNumber":""},{"leafNum":2,"pageNumber":"8"}]}"#;
    const TEXT: &[u8] = "cardédeux".as_bytes();

    fn check(beside: &[(&str, &[u8])], expected: &[(&str, &str)]) {
        let draft = drafted_with(read_search_text, "x_hocr_searchtext.txt", TEXT, beside).unwrap();
        assert_eq!(paged(&draft), expected);
    }

    #[test]
    fn the_index_parts_the_text_and_leaves_not_shown_are_left_out() {
        let index: (&str, &[u8]) = ("x_hocr_pageindex.json", b"[[0,4,0,9],[4,6,9,20],[6,10,20,30]]");
        check(&[index], &[("-", "card"), ("-", "é"), ("-", "deux")]);
        check(&[index, ("x_scandata.xml", SCANDATA)], &[("7", "é"), ("-", "deux")]);
        check(
            &[index, ("x_scandata.xml", SCANDATA), ("x_page_numbers.json", NUMBERS)],
            &[("7", "é"), ("8", "deux")],
        );
        check(&[index, ("x_page_numbers.json", NUMBERS)], &[("-", "card"), ("-", "é"), ("8", "deux")]);
    }

    #[test]
    fn the_index_may_count_characters() {
        let index: (&str, &[u8]) = ("x_hocr_pageindex.json", b"[[0,4,0,9],[4,5,9,20],[5,9,20,30]]");
        check(&[index], &[("-", "card"), ("-", "é"), ("-", "deux")]);
    }

    #[test]
    fn leaf_numbers_may_be_as_high_as_they_like() {
        let index: (&str, &[u8]) = ("x_hocr_pageindex.json", b"[]");
        let numbers = br#"{"pages":[{"leafNum":18446744073709551615,"pageNumber":"1"}]}"#;
        let input = [index, ("x_page_numbers.json", numbers)];
        let draft = drafted_with(read_search_text, "x_hocr_searchtext.txt", TEXT, &input).unwrap();
        assert_eq!(draft.text.as_bytes(), TEXT);
        assert_eq!(numbered(&vec![(u64::MAX, Leaf::default())], 0), []);
    }

    #[test]
    fn cut_words_of_a_search_text_end_a_line() {
        let draft =
            drafted_with(read_search_text, "", "An exam- ple of 1- a\nNext - or\n".as_bytes(), &[]).unwrap();
        assert_eq!(draft.text, "An exam-\nple of 1- a\n\nNext - or");
    }

    #[test]
    fn an_index_of_another_text_is_not_used() {
        for index in ["[[0,4,0,9],[4,99,9,20]]", "[[4,6],[0,4]]", "[[1]]", "{}", "[[0,-1]]"] {
            let beside: (&str, &[u8]) = ("x_hocr_pageindex.json", index.as_bytes());
            let draft = drafted_with(read_search_text, "", TEXT, &[beside]).unwrap();
            assert_eq!((draft.text.as_bytes(), draft.is_paged()), (TEXT, false), "{index}");
        }
    }

    #[test]
    fn labels_are_those_of_shown_leaves() {
        let told = |beside: &[(&str, &[u8])]| {
            let companions: Vec<Companion> =
                beside.iter().map(|(n, b)| Companion { name: (*n).into(), bytes: b.to_vec() }).collect();
            let options = crate::input::Options::default();
            let input = Input { companions: &companions, ..Input::new("x_djvu.txt", b"", &options) };
            Some(leaves(&input, 2)?.into_iter().map(|leaf| leaf.label).collect::<Vec<_>>())
        };
        let (seven, eight) = (Some("7".to_owned()), Some("8".to_owned()));
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[("x_scandata.xml", SCANDATA)]), Some(vec![seven.clone(), None]));
        let both = [("x_scandata.xml", SCANDATA), ("x_page_numbers.json", NUMBERS)];
        assert_eq!(told(&both), Some(vec![seven, eight.clone()]));
        assert_eq!(told(&[("x_page_numbers.json", NUMBERS)]), Some(vec![None, eight]));
    }
}
