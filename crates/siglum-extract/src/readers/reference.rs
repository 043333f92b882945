//! References of pages to each other, as HTML and EPUB write them.

use crate::input::path_from;

/// A reference from a file: the path it points to, and the fragment there.
pub(crate) fn resolve(from: &str, reference: &str) -> (String, Option<String>) {
    let (path, fragment) = match reference.trim().split_once('#') {
        Some((path, fragment)) => (path, Some(percent_decoded(fragment))),
        None => (reference.trim(), None),
    };
    let path = percent_decoded(path.split('?').next().unwrap_or(path));
    if path.is_empty() {
        return (from.to_owned(), fragment);
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    (path_from(folder, &path), fragment)
}

/// A path or fragment with its `%20` decoded; as it is where that gives no text.
pub(crate) fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        match code.filter(|_| bytes[at] == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_from_the_file_they_are_in() {
        let check = |from: &str, reference: &str, path: &str, fragment: Option<&str>| {
            assert_eq!(
                resolve(from, reference),
                (path.to_owned(), fragment.map(str::to_owned)),
                "{reference}"
            );
        };
        check("OEBPS/content.opf", "text/a%20b.xhtml#p%C3%A9", "OEBPS/text/a b.xhtml", Some("pé"));
        check("OEBPS/nav/nav.xhtml", "../text/./a.xhtml", "OEBPS/text/a.xhtml", None);
        check("content.opf", "../../a.xhtml", "a.xhtml", None);
        check("OEBPS/a.xhtml", "#x", "OEBPS/a.xhtml", Some("x"));
        check("OEBPS/a.xhtml", "/b.xhtml?x=1", "b.xhtml", None);
        check("a.opf", "100%.xhtml", "100%.xhtml", None);
    }
}
