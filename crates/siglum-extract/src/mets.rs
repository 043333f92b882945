//! METS: which files make a page, and what is printed on it.
//!
//! Format: Library of Congress, METS schema; HathiTrust and many libraries lay one beside their page files. A page is
//! a `div` of type `page`; its `ORDERLABEL` is the number printed on it. `LABEL` is none: HathiTrust keeps there what
//! kind of page it is.

use crate::draft::truncated;
use crate::failure::Failure;
use crate::input::last_name;
use crate::limits::{MAX_LABEL_BYTES, MAX_PAGES};
use crate::xml::{Piece, Tag, Xml};
use std::collections::BTreeMap;

/// The most files of all pages that are known: those of each in a few formats.
const MAX_FILES: usize = 4 * MAX_PAGES;
/// The longest name of a file, as file systems have it.
const MAX_NAME_BYTES: usize = 255;

/// A page as METS tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MetsPage {
    /// Its position, from 1.
    pub(crate) order: u64,
    /// What is printed on it as its number.
    pub(crate) label: Option<String>,
    /// The files that hold it, without their folders.
    pub(crate) files: Vec<String>,
}

/// The pages, in the order of the file. What is damaged ends the list.
pub(crate) fn pages(xml: &str) -> Vec<MetsPage> {
    let mut found = MetsFiles::default();
    // Labels are an addition: without them the pages are still read.
    drop(found.gather(&mut Xml::new(xml)));
    let names = found.names;
    for (page, ids) in found.pages.iter_mut().zip(&found.ids) {
        page.files = ids.iter().filter_map(|id| names.get(id).cloned()).collect();
    }
    found.pages
}

#[derive(Default)]
struct MetsFiles {
    /// Names of files by their identifiers.
    names: BTreeMap<String, String>,
    pages: Vec<MetsPage>,
    /// Identifiers of the files of each page.
    ids: Vec<Vec<String>>,
    n_ids: usize,
}

impl MetsFiles {
    fn gather(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        let (mut file, mut is_in_page) = (None, false);
        while let Some(piece) = xml.next()? {
            let tag = match piece {
                Piece::Open(tag) => tag,
                Piece::Close(name) => {
                    is_in_page &= name.local() != "div";
                    continue;
                }
                Piece::Text(_) => continue,
            };
            match tag.local() {
                "file" => file = tag.attribute("ID"),
                "FLocat" => {
                    let name = tag.attribute("href").map(|href| last_name(&href).to_owned());
                    let name = name.filter(|name| name.len() <= MAX_NAME_BYTES);
                    self.names.extend(file.take().zip(name));
                }
                "div" if is_page(&tag) && self.pages.len() < MAX_PAGES => {
                    self.add(&tag);
                    is_in_page = true;
                }
                "fptr" | "area" if is_in_page && self.n_ids < MAX_FILES => {
                    self.n_ids += 1;
                    let ids = self.ids.last_mut();
                    ids.into_iter().for_each(|ids| ids.extend(tag.attribute("FILEID")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&mut self, tag: &Tag<'_>) {
        let order = tag.attribute("ORDER").and_then(|order| order.trim().parse().ok());
        let order = order.unwrap_or(self.pages.len() as u64 + 1);
        let label = tag.attribute("ORDERLABEL").and_then(|label| printed(&label));
        self.pages.push(MetsPage { order, label, files: Vec::new() });
        self.ids.push(Vec::new());
    }
}

fn is_page(tag: &Tag<'_>) -> bool {
    tag.attribute("TYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("page"))
}

/// A label, unless it says that there is none.
fn printed(label: &str) -> Option<String> {
    let label = truncated(label.trim(), MAX_LABEL_BYTES);
    let is_none = label == "uncounted" || !label.contains(char::is_alphanumeric);
    (!is_none).then(|| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const METS: &str = r#"<METS:mets><METS:fileSec><METS:fileGrp USE="ocr"><METS:file ID="T1"><METS:FLocat xlink:href="ocr/1.txt"/>
        </METS:file><METS:file ID="T2"><METS:FLocat xlink:href="2.txt"/></METS:file></METS:fileGrp></METS:fileSec>
        <METS:structMap TYPE="physical"><METS:div TYPE="volume"><METS:div TYPE="page" ORDER="1" LABEL="FRONT_COVER">
        <METS:fptr FILEID="T1"/></METS:div><METS:div ORDER="2" TYPE="PAGE" ORDERLABEL="xii"><METS:fptr FILEID="I2"/>
        <METS:fptr FILEID="T2"/></METS:div><METS:div TYPE="page" ORDERLABEL=" - "/></METS:div></METS:structMap>
        <METS:structMap TYPE="logical"><METS:div TYPE="chapter"><METS:fptr FILEID="T1"/></METS:div></METS:structMap></METS:mets>"#;

    #[test]
    fn pages_have_their_labels_and_files() {
        let page = |order, label: Option<&str>, files: &[&str]| MetsPage {
            order,
            label: label.map(str::to_owned),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        };
        assert_eq!(
            pages(METS),
            [page(1, None, &["1.txt"]), page(2, Some("xii"), &["2.txt"]), page(3, None, &[])]
        );
    }

    #[test]
    fn a_long_name_is_no_file() {
        let long = METS.replace("2.txt", &"2".repeat(MAX_NAME_BYTES + 1));
        assert!(pages(&long)[1].files.is_empty());
    }

    #[test]
    fn a_cut_file_gives_what_came_before() {
        assert_eq!(pages(&METS[..METS.len() - 20]), pages(METS));
        assert_eq!(pages(&METS[..METS.find("TYPE=\"PAGE").unwrap()]).len(), 1);
    }
}
