//! What preprint servers stamp on the first page: which version it is, and when it was posted.
//!
//! arXiv prints `arXiv:2101.00001v2 [cs.CL] 5 Jan 2021` at the side of the first page (since 2007; before, `math.GT/0309136`);
//! bioRxiv and medRxiv print `this version posted May 5, 2020` at its foot.

use crate::draft::truncated;
use crate::identifiers::DOI_BYTES;
use siglum::cluster::age;

/// Letters behind a stamp in which its date stands.
const DATE_CHARS: usize = 40;

/// What a stamp says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The DOI that arXiv gives its papers, with the version.
    pub(crate) doi: Option<String>,
    /// When the version was posted, as `2021-01-05`.
    pub(crate) date: Option<String>,
}

/// The stamp on the first page of a text.
pub(crate) fn find_stamp(text: &str) -> Stamp {
    let page = truncated(text, DOI_BYTES);
    if let Some((id, rest)) = arxiv(page) {
        return Stamp { doi: Some(format!("10.48550/arxiv.{}", id.to_lowercase())), date: date_in(rest) };
    }
    let posted = page.split_once("this version posted").and_then(|(_, rest)| date_in(rest));
    Stamp { doi: None, date: posted }
}

/// The number of an arXiv paper with its version, and what follows. A number without one is cited, or was typed.
fn arxiv(page: &str) -> Option<(&str, &str)> {
    page.match_indices("arXiv:").find_map(|(at, prefix)| {
        let rest = &page[at + prefix.len()..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (id, version) = rest[..end].rsplit_once('v')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = id.rsplit('/').next().unwrap_or(id);
        let is_id = match number.split_once('.') {
            Some((month, number)) => {
                month.len() == 4 && is_number(month) && (4..=5).contains(&number.len()) && is_number(number)
            }
            None => number.len() == 7 && is_number(number) && id.contains('/'),
        };
        (is_id && is_number(version)).then(|| (&rest[..end], &rest[end..]))
    })
}

fn date_in(text: &str) -> Option<String> {
    // The subject in brackets comes before the date.
    let text = text.trim_start();
    let text = if text.starts_with('[') { text.split_once(']').map_or(text, |(_, rest)| rest) } else { text };
    let near = text.char_indices().nth(DATE_CHARS).map_or(text, |(end, _)| &text[..end]);
    let line = near.trim_start().lines().next()?;
    // "May 5, 2020. The copyright holder": what follows the year is not of the date.
    let year = line.char_indices().find(|(at, _)| {
        line.get(*at..at + 4).is_some_and(|four| four.bytes().all(|byte| byte.is_ascii_digit()))
    })?;
    match age::date(&line[..year.0 + 4])? {
        (year, month, day) if month > 0 && day > 0 => Some(format!("{year:04}-{month:02}-{day:02}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, doi: Option<&str>, date: Option<&str>) {
        let stamp = Stamp { doi: doi.map(str::to_owned), date: date.map(str::to_owned) };
        assert_eq!(find_stamp(text), stamp, "{text}");
    }

    #[test]
    fn stamps_say_version_and_date() {
        check(
            "arXiv:2101.00001v2 [cs.CL] 5 Jan 2021\nA Title\n",
            Some("10.48550/arxiv.2101.00001v2"),
            Some("2021-01-05"),
        );
        check(
            "x arXiv:math.GT/0309136v1  8 Sep 2003",
            Some("10.48550/arxiv.math.gt/0309136v1"),
            Some("2003-09-08"),
        );
        check(
            "bioRxiv preprint doi: https://doi.org/10.1101/2020.05.01.1; this version posted May 5, 2020. The copyright holder",
            None,
            Some("2020-05-05"),
        );
    }

    #[test]
    fn what_is_cited_is_no_stamp() {
        check("as shown in arXiv:2101.00001 and elsewhere", None, None);
        check("arXiv:v2", None, None);
        check("arXiv:2101.00001vx", None, None);
        check("", None, None);
        check("this version posted soon", None, None);
    }
}
