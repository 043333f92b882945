//! Metadata of the Open Packaging Format, as EPUB 2 and 3 and calibre's sidecars have it.
//!
//! Source: EPUB 3.3 §5.5, OPF 2.0.1 §2.2; calibre writes its series as `<meta name="calibre:series">`.
//! We differ: one title is kept, the main one; of contributors only authors, editors and translators.

use crate::origin;
use crate::xml::{Piece, Tag, Xml};
use siglum::{Metadata, Origin};

/// The most elements of metadata that are looked at.
const MAX_ITEMS: usize = 4000;
/// Roles of contributors that are creators of the text, by MARC relators.
const CREATING_ROLES: [&str; 3] = ["aut", "edt", "trl"];
/// What calibre writes for a date it does not know.
const NO_DATE: &str = "0101-01-01";

/// What a package file says, as a catalogue has it.
#[derive(Debug, Default)]
pub(crate) struct Package {
    pub(crate) id: Option<String>,
    pub(crate) metadata: Metadata,
    pub(crate) subtitle: Option<String>,
    pub(crate) subjects: Vec<String>,
}

/// Reads a package file as a record; what is damaged is read as far as it goes.
pub(crate) fn package(opf: &str) -> Package {
    let items = items(opf);
    let metadata = metadata_of(&items);
    let known = [&metadata.isbn, &metadata.doi, &metadata.oclc, &metadata.lccn];
    let is_number =
        |item: &&Item| known.iter().any(|list| list.iter().any(|known| known == item.text.trim()));
    let id = all(&items, "identifier").find(|item| !is_number(item)).map(|item| item.text.clone());
    let subtitle = all(&items, "title").find(|item| refined(&items, item, "title-type") == Some("subtitle"));
    let subtitle =
        subtitle.map(|item| item.text.clone()).filter(|subtitle| metadata.title.as_ref() != Some(subtitle));
    let subjects = all(&items, "subject").map(|item| item.text.clone()).collect();
    Package { id, subtitle, subjects, metadata }
}

/// Reads the metadata of a package file; what is damaged is read as far as it goes.
pub(crate) fn metadata(opf: &str) -> Metadata {
    metadata_of(&items(opf))
}

/// Which program made the book the package file is of: its producer (`bkp`), or what it calls its generator.
///
/// Only for a package inside a book: calibre names itself in every `metadata.opf` it puts beside one.
pub(crate) fn origin(opf: &str) -> Origin {
    let items = items(opf);
    let is_producer =
        |item: &&Item| item.role.as_deref().or(refined(&items, item, "role")).map(str::trim) == Some("bkp");
    let is_named = |item: &&Item, name: &str| item.name.eq_ignore_ascii_case(name);
    let producers = items.iter().filter(|item| is_named(item, "contributor")).filter(is_producer);
    let generators = items.iter().filter(|item| is_named(item, "generator"));
    origin::made_by_any(producers.chain(generators).map(|item| item.text.trim()))
}

fn metadata_of(items: &[Item]) -> Metadata {
    let mut metadata = Metadata {
        title: title(items),
        creators: creators(items),
        date: date(items),
        language: first(items, "language"),
        publisher: first(items, "publisher"),
        ..Metadata::default()
    };
    (metadata.series, metadata.volume) = series(items);
    for item in items.iter().filter(|item| item.name == "identifier") {
        let kind = refined(items, item, "identifier-type").or(item.scheme.as_deref());
        identifier(&item.text, kind.unwrap_or_default(), &mut metadata);
    }
    metadata
}

/// Puts an identifier where it belongs, by what it is said to be or says itself. Others are dropped.
pub(crate) fn identifier(text: &str, kind: &str, metadata: &mut Metadata) {
    let (text, kind) = (text.trim(), kind.to_ascii_lowercase());
    let said = text.to_ascii_lowercase();
    let is = |name: &str| {
        kind.contains(name) || said.starts_with(&format!("{name}:")) || said.contains(&format!("urn:{name}:"))
    };
    let list = if is("isbn") || matches!(kind.as_str(), "02" | "15") || said.contains("isbn") || is_isbn(text)
    {
        &mut metadata.isbn
    } else if is("doi") || kind == "06" || said.starts_with("10.") || said.contains("doi.org/10.") {
        &mut metadata.doi
    } else if is("oclc") || said.starts_with("(ocolc)") || said.contains("worldcat.org/oclc/") {
        &mut metadata.oclc
    } else if is("lccn") || said.contains("lccn.loc.gov/") {
        &mut metadata.lccn
    } else {
        return;
    };
    if !text.is_empty() {
        list.push(text.to_owned());
    }
}

/// Thirteen digits as ISBNs have them.
fn is_isbn(text: &str) -> bool {
    let digits: String = text.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    let is_bookland = digits.starts_with("978") || digits.starts_with("979");
    is_bookland && digits.len() == 13 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// One element of metadata: Dublin Core, or a `meta` whose property or name is its name.
#[derive(Debug, Default)]
struct Item {
    name: String,
    id: Option<String>,
    refines: Option<String>,
    role: Option<String>,
    scheme: Option<String>,
    event: Option<String>,
    text: String,
}

fn items(opf: &str) -> Vec<Item> {
    let mut xml = Xml::new(opf);
    let mut items = Vec::new();
    let mut item: Option<Item> = None;
    let mut in_metadata = false;
    while let Ok(Some(piece)) = xml.next() {
        match piece {
            Piece::Open(tag) if tag.local() == "metadata" => in_metadata = true,
            Piece::Close(name) if name.local() == "metadata" => break,
            Piece::Open(tag) if in_metadata => item = Some(opened(&tag)),
            Piece::Text(text) => {
                if let Some(item) = &mut item {
                    item.text.push_str(&text);
                }
            }
            Piece::Close(_) => items.extend(item.take()),
            Piece::Open(_) => {}
        }
        if items.len() >= MAX_ITEMS {
            break;
        }
    }
    items
}

fn opened(tag: &Tag<'_>) -> Item {
    let property =
        (tag.local() == "meta").then(|| tag.attribute("property").or(tag.attribute("name"))).flatten();
    Item {
        name: property.unwrap_or_else(|| tag.local().to_owned()),
        id: tag.attribute("id"),
        refines: tag.attribute("refines").map(|id| id.trim_start_matches('#').to_owned()),
        role: tag.attribute("role"),
        scheme: tag.attribute("scheme"),
        event: tag.attribute("event"),
        text: tag.attribute("content").unwrap_or_default(),
    }
}

/// What a property says about an item.
fn refined<'i>(items: &'i [Item], item: &Item, property: &str) -> Option<&'i str> {
    let id = item.id.as_ref()?;
    let refining = items.iter().find(|other| other.name == property && other.refines.as_ref() == Some(id))?;
    Some(refining.text.trim())
}

fn all<'i>(items: &'i [Item], name: &'i str) -> impl Iterator<Item = &'i Item> {
    items.iter().filter(move |item| item.name == name && !item.text.trim().is_empty())
}

fn first(items: &[Item], name: &str) -> Option<String> {
    all(items, name).next().map(|item| item.text.clone())
}

fn title(items: &[Item]) -> Option<String> {
    let main = all(items, "title").find(|item| refined(items, item, "title-type") == Some("main"));
    let untyped = || all(items, "title").find(|item| refined(items, item, "title-type").is_none());
    let title = main.or_else(untyped).or_else(|| all(items, "title").next());
    title.map(|item| item.text.clone())
}

fn creators(items: &[Item]) -> Vec<String> {
    let place =
        |item: &&Item| refined(items, item, "display-seq").and_then(|n| n.parse().ok()).unwrap_or(u32::MAX);
    let role = |item: &Item| refined(items, item, "role").map(str::to_owned).or_else(|| item.role.clone());
    let mut creators: Vec<&Item> = all(items, "creator").collect();
    creators.sort_by_cached_key(place);
    let mut others: Vec<&Item> = all(items, "contributor")
        .filter(|item| role(item).is_some_and(|role| CREATING_ROLES.contains(&role.as_str())))
        .collect();
    others.sort_by_cached_key(place);
    creators.iter().chain(&others).map(|item| item.text.clone()).collect()
}

/// When it was published; never when the file was made or changed.
fn date(items: &[Item]) -> Option<String> {
    let known = |item: &&Item| !item.text.trim().starts_with(NO_DATE);
    let event = |item: &Item| item.event.as_deref().unwrap_or_default().to_ascii_lowercase();
    let published = all(items, "date").filter(known).find(|item| event(item).contains("publication"));
    let plain = || all(items, "date").filter(known).find(|item| event(item).is_empty());
    let issued = || all(items, "dcterms:issued").find(|item| item.refines.is_none());
    published.or_else(plain).or_else(issued).map(|item| item.text.clone())
}

fn series(items: &[Item]) -> (Option<String>, Option<String>) {
    let kind = |item: &Item| refined(items, item, "collection-type").map(str::to_owned);
    let of_kind = |wanted: Option<&str>| {
        all(items, "belongs-to-collection")
            .find(|item| item.refines.is_none() && kind(item).as_deref() == wanted)
    };
    if let Some(item) = of_kind(Some("series")).or_else(|| of_kind(None)) {
        return (Some(item.text.clone()), refined(items, item, "group-position").map(str::to_owned));
    }
    let series = first(items, "calibre:series");
    let index = first(items, "calibre:series_index").filter(|_| series.is_some());
    let index = index.map(|index| index.trim().strip_suffix(".0").unwrap_or(&index).to_owned());
    (series, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(inside: &str) -> Metadata {
        metadata(&format!("<package><metadata xmlns:dc='x'>{inside}</metadata><manifest/></package>"))
    }

    #[test]
    fn the_main_title_is_the_title() {
        let titles = "<dc:title id='a'>An &amp; Essay</dc:title><dc:title id='b'>Emma</dc:title>
            <meta refines='#a' property='title-type'>subtitle</meta>
            <meta refines='#b' property='title-type'>main</meta>";
        assert_eq!(read(titles).title.as_deref(), Some("Emma"));
        assert_eq!(read(&titles.replace("main", "short")).title.as_deref(), Some("An & Essay"));
    }

    #[test]
    fn creators_come_in_display_order_with_those_who_edit_and_translate() {
        let creators = "<dc:creator id='a'>Second</dc:creator><dc:creator id='b'>First</dc:creator>
            <meta refines='#a' property='display-seq'>2</meta><meta refines='#b' property='display-seq'>1</meta>
            <dc:contributor xmlns:opf='y' opf:role='bkp'>calibre</dc:contributor>
            <dc:contributor opf:role='trl'>Third</dc:contributor>
            <dc:contributor id='c'>Fourth</dc:contributor><meta refines='#c' property='role'>edt</meta>";
        assert_eq!(read(creators).creators, ["First", "Second", "Third", "Fourth"]);
    }

    #[test]
    fn the_date_is_of_publication() {
        let dates = "<dc:date opf:event='modification'>2020</dc:date><dc:date>1900</dc:date>
            <dc:date opf:event='original-publication'>1816</dc:date>";
        assert_eq!(read(dates).date.as_deref(), Some("1816"));
        assert_eq!(read("<dc:date opf:event='creation'>2020</dc:date>").date, None);
        assert_eq!(read("<dc:date>0101-01-01T00:00:00+00:00</dc:date>").date, None);
    }

    #[test]
    fn a_series_is_a_collection_or_what_calibre_says() {
        let epub = "<meta property='belongs-to-collection' id='s'>A Set</meta>
            <meta refines='#s' property='collection-type'>set</meta>
            <meta property='belongs-to-collection' id='c'>Novels</meta>
            <meta refines='#c' property='collection-type'>series</meta>
            <meta refines='#c' property='group-position'>3</meta>";
        let read_epub = read(epub);
        assert_eq!((read_epub.series.as_deref(), read_epub.volume.as_deref()), (Some("Novels"), Some("3")));
        let calibre = "<meta name='calibre:series' content='Novels'/>
            <meta name='calibre:series_index' content='2.0'/>";
        let calibre = read(calibre);
        assert_eq!((calibre.series.as_deref(), calibre.volume.as_deref()), (Some("Novels"), Some("2")));
    }

    #[test]
    fn identifiers_go_where_they_belong() {
        let ids = "<dc:identifier opf:scheme='ISBN'>0-306-40615-2</dc:identifier>
            <dc:identifier>urn:isbn:9780306406157</dc:identifier>
            <dc:identifier>978-0-306-40615-7</dc:identifier>
            <dc:identifier>urn:uuid:9780306406157</dc:identifier>
            <dc:identifier>https://doi.org/10.1000/182</dc:identifier>
            <dc:identifier id='o'>123</dc:identifier><meta refines='#o' property='identifier-type'>OCLC</meta>
            <dc:identifier id='x'>10.1000/3</dc:identifier>
            <meta refines='#x' property='identifier-type' scheme='onix:codelist5'>06</meta>
            <dc:identifier opf:scheme='LCCN'>n 78890351</dc:identifier>";
        let read = read(ids);
        assert_eq!(read.isbn, ["0-306-40615-2", "urn:isbn:9780306406157", "978-0-306-40615-7"]);
        assert_eq!(read.doi, ["https://doi.org/10.1000/182", "10.1000/3"]);
        assert_eq!(read.oclc, ["123"]);
        assert_eq!(read.lccn, ["n 78890351"]);
    }

    #[test]
    fn the_producer_of_a_book_is_its_origin() {
        let of =
            |inside: &str| origin(&format!("<package><metadata xmlns:dc='x'>{inside}</metadata></package>"));
        let calibre =
            |origin: Origin| origin.is_conversion && origin.made_by.as_deref() == Some("calibre (6.13.0)");
        let name = "calibre (6.13.0) [http://calibre-ebook.com]";
        assert!(calibre(of(&format!("<dc:contributor opf:role='bkp'>{name}</dc:contributor>"))));
        assert!(calibre(of(&format!("<dc:Contributor role='bkp'>{name}</dc:Contributor>"))), "OEB 1");
        let refined = format!(
            "<dc:contributor id='c'>{name}</dc:contributor><meta refines='#c' property='role'>bkp</meta>"
        );
        assert!(calibre(of(&refined)), "EPUB 3");
        assert_eq!(of("<dc:contributor opf:role='trl'>calibre</dc:contributor>"), Origin::default());
        assert_eq!(of("<meta name='generator' content='Sigil'/>").made_by.as_deref(), Some("Sigil"));
    }

    #[test]
    fn a_cut_file_is_read_as_far_as_it_goes() {
        let cut = "<package><metadata><dc:title>Emma</dc:title><dc:creator";
        assert_eq!(metadata(cut).title.as_deref(), Some("Emma"));
    }
}
