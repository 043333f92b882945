//! The list of pages a book gives: which label begins at which place of which file.
//!
//! Source: EPUB 3.3 §5.4.2.5 (`page-list`), NCX `pageList`, EPUB Canonical Fragment Identifiers 1.1.
//! We differ: a fragment identifier is followed to its last element with an `id`, and from there into its text.

use super::files::Files;
use super::package::Package;
use crate::draft::collapsed;
use crate::failure::Failure;
use crate::limits::{MAX_LABEL_BYTES, MAX_PAGES};
use crate::readers::html::{self, Marks, Point, Tokens};
use crate::readers::reference::resolve;
use crate::xml::{self, Xml};
use std::collections::HashMap;

/// A page of the list: its label and what it points to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    label: String,
    reference: String,
}

/// The marks of all files, by the names of the files in the archive.
pub(super) fn marks(files: &mut Files<'_>, package: &Package) -> Result<HashMap<String, Marks>, Failure> {
    let mut all: HashMap<String, Marks> = HashMap::new();
    for (from, read) in [(package.navigation(), in_navigation as fn(&str) -> _), (package.ncx(), in_ncx)] {
        let Some(from) = from else { continue };
        let entries = files.read_xml(from)?.map(|text| read(&text)).unwrap_or_default();
        for entry in &entries {
            if let Some((path, place)) = place(from, &entry.reference, package) {
                mark(all.entry(files.key(&path)).or_default(), place, &entry.label);
            }
        }
        if !all.is_empty() {
            break;
        }
    }
    Ok(all)
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Start,
    Element(String),
    Text { element: String, n_before: usize, offset: usize },
}

fn mark(marks: &mut Marks, place: Target, label: &str) {
    let label = label.to_owned();
    match place {
        Target::Start => drop(marks.first.get_or_insert(label)),
        Target::Element(id) => drop(marks.page_ids.entry(id).or_insert(label)),
        Target::Text { element, n_before, offset } => {
            marks.points.entry(element).or_default().push(Point { n_before, offset, label });
        }
    }
}

fn place(from: &str, reference: &str, package: &Package) -> Option<(String, Target)> {
    let (path, fragment) = resolve(from, reference);
    let Some(fragment) = fragment.filter(|fragment| !fragment.is_empty()) else {
        return Some((path, Target::Start));
    };
    match fragment.strip_prefix("epubcfi(") {
        Some(cfi) => cfi_place(cfi.trim_end_matches(')'), package),
        None => Some((path, Target::Element(fragment))),
    }
}

/// A step of a fragment identifier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Step {
    number: usize,
    id: Option<String>,
    offset: Option<usize>,
}

fn cfi_place(cfi: &str, package: &Package) -> Option<(String, Target)> {
    let (in_package, in_file) = cfi.split_once('!')?;
    let item = steps(in_package).pop()?;
    let path = package.spine_path(item.id.as_deref(), (item.number / 2).checked_sub(1)?)?;
    let steps = steps(in_file);
    let Some(at) = steps.iter().rposition(|step| step.id.is_some()) else {
        return Some((path.to_owned(), Target::Start));
    };
    let element = steps[at].id.clone()?;
    let place = match &steps[at + 1..] {
        [Step { number, offset, .. }] if number % 2 == 1 => {
            Target::Text { element, n_before: number / 2, offset: offset.unwrap_or(0) }
        }
        _ => Target::Element(element),
    };
    Some((path.to_owned(), place))
}

/// The steps of a path such as `/4/2[chapter]/1:35[text]`; of a range, those to its beginning.
fn steps(path: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut n_commas = 0;
    let mut chars = path.chars().peekable();
    while let Some(c) = chars.next() {
        let mut number = || {
            let mut number = 0usize;
            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                number = number.saturating_mul(10).saturating_add(digit as usize);
                chars.next();
            }
            number
        };
        match (c, steps.last_mut()) {
            ('/', _) => steps.push(Step { number: number(), ..Step::default() }),
            (':', Some(step)) => step.offset = Some(number()),
            ('[', last) => {
                let id: String = chars.by_ref().take_while(|&c| c != ']').collect();
                if let Some(step) = last.filter(|step| step.offset.is_none() && step.number % 2 == 0) {
                    step.id = Some(id);
                }
            }
            (',', _) => n_commas += 1,
            _ => {}
        }
        if n_commas == 2 {
            break;
        }
    }
    steps
}

/// The page list of a navigation document.
fn in_navigation(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut in_list = false;
    let mut in_link = false;
    for piece in Tokens::new(text) {
        match piece {
            html::Piece::Open(tag) if tag.name() == "nav" => {
                in_list = tag.has_word("epub:type", "page-list") || tag.has_word("role", "doc-pagelist");
            }
            html::Piece::Close(tag) if tag.name() == "nav" => in_list = false,
            html::Piece::Open(tag) if in_list && tag.name() == "a" && entries.len() < MAX_PAGES => {
                in_link = !tag.is_empty();
                let reference = tag.attribute("href").unwrap_or_default().to_owned();
                entries.push(Entry { label: String::new(), reference });
            }
            html::Piece::Close(tag) if tag.name() == "a" => in_link = false,
            html::Piece::Text(text) if in_list && in_link => {
                if let Some(entry) = entries.last_mut() {
                    entry.label.push_str(&text);
                }
            }
            _ => {}
        }
    }
    cleaned(entries)
}

/// The page list of an NCX.
fn in_ncx(text: &str) -> Vec<Entry> {
    let mut xml = Xml::new(text);
    let mut entries: Vec<Entry> = Vec::new();
    let (mut in_target, mut in_label) = (false, false);
    while let Ok(Some(piece)) = xml.next() {
        match piece {
            xml::Piece::Open(tag) => match tag.local() {
                "pageTarget" if entries.len() < MAX_PAGES => {
                    in_target = true;
                    entries.push(Entry { label: String::new(), reference: String::new() });
                }
                "text" => in_label = in_target,
                "content" if in_target => {
                    if let Some(entry) = entries.last_mut() {
                        entry.reference = tag.attribute("src").unwrap_or_default();
                    }
                }
                _ => {}
            },
            xml::Piece::Close(name) if name.local() == "pageTarget" => in_target = false,
            xml::Piece::Close(name) if name.local() == "text" => in_label = false,
            xml::Piece::Text(text) if in_label => {
                if let Some(entry) = entries.last_mut() {
                    entry.label.push_str(&text);
                }
            }
            _ => {}
        }
    }
    cleaned(entries)
}

fn cleaned(entries: Vec<Entry>) -> Vec<Entry> {
    let label = |entry: &Entry| collapsed(&entry.label, MAX_LABEL_BYTES);
    entries.into_iter().map(|entry| Entry { label: label(&entry), ..entry }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_identifier_leads_into_the_text_of_an_element() {
        let opf = "<manifest><item id='i' href='c.xhtml' media-type='application/xhtml+xml'/></manifest>
            <spine><itemref idref='none'/><itemref id='ct' idref='i'/></spine>";
        let package = Package::read("E/p.opf", opf);
        let check = |cfi: &str, place: Target| {
            assert_eq!(cfi_place(cfi, &package), Some(("E/c.xhtml".to_owned(), place)), "{cfi}");
        };
        let text = |n_before, offset| Target::Text { element: "b".into(), n_before, offset };
        check("/6/4[ct]!/4/2[a]/6[b]/1:1552[Bryan, and]", text(0, 1552));
        check("/6/4!/4/2[a]/6[b]/3:7", text(1, 7));
        check("/6/4!/4/2[a]/6[b]", Target::Element("b".into()));
        check("/6/4!/4/2[a]/6[b]/8/1:3", Target::Element("b".into()));
        check("/6/4!/4/6[b],/1:3,/1:9", text(0, 3));
        check("/6/4!/4/6/1:3", Target::Start);
        assert_eq!(cfi_place("/6/8!/4/6[b]", &package), None);
    }

    #[test]
    fn lists_of_pages_are_read_from_both_kinds_of_navigation() {
        let nav = "<nav epub:type='toc'><a href='x'>1</a></nav><nav epub:type='page-list'><h2>Pages</h2>
            <a href='a#1'> i\n</a><li><a href='a#2'><b>i</b>i</a></li></nav><a href='y'>z</a>";
        let ncx =
            "<navMap><navPoint><navLabel><text>I</text></navLabel><content src='x'/></navPoint></navMap>
            <pageList><navLabel><text>Pages</text></navLabel>
            <pageTarget><navLabel><text>i</text></navLabel><content src='a#1'/></pageTarget>
            <pageTarget><content src='a#2'/><navLabel><text>ii</text></navLabel></pageTarget></pageList>";
        let entry = |label: &str, reference: &str| Entry { label: label.into(), reference: reference.into() };
        let expected = [entry("i", "a#1"), entry("ii", "a#2")];
        assert_eq!(in_navigation(nav), expected);
        assert_eq!(in_ncx(ncx), expected);
    }
}
