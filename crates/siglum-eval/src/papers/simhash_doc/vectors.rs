//! The vectors that docs/schemes.md publishes, made anew.

use crate::report::Report;
use crate::table::{Table, row};
use anyhow::{Context, Result};
use siglum::{Book, Features, Scheme};

const SCHEMES: &str = include_str!("../../../../../docs/schemes.md");
/// The texts of the published vectors.
const TEXTS: [&str; 4] = ["light", "lamp", "sea", "light lamp sea"];

pub(super) fn report(page: &mut Report) -> Result<()> {
    page.section("Vectors for other programs");
    page.paragraph(
        "A second implementation can begin with these, of [schemes](../schemes.md#simhash-doc), and go on with \
         `testdata/golden/simhash-doc.toml`.",
    );
    let (mut rows, mut n_published) = (Vec::new(), 0);
    for text in TEXTS {
        let value = value(text)?;
        let is_published = is_published(SCHEMES, text, &value);
        n_published += usize::from(is_published);
        rows.push(row![text, format!("`{value}`"), if is_published { "yes" } else { "no" }]);
    }
    page.table(Table::new(["text", "simhash-doc", "as published"]).with_rows(rows));
    page.claim(
        format!("{n_published} of {} vectors published in docs/schemes.md are those printed", TEXTS.len()),
        n_published == TEXTS.len(),
    );
    Ok(())
}

fn value(text: &str) -> Result<String> {
    let book = Book::from_text(text)?;
    let sketch =
        Scheme::parse("simhash-doc")?.sketch(&Features::new(&book)).ok().context("a text without tokens")?;
    Ok(sketch.to_string().trim_start_matches("simhash-doc:").to_owned())
}

/// A line of the page begins with the text and has the value behind its bits.
fn is_published(page: &str, text: &str, value: &str) -> bool {
    page.lines().any(|line| {
        let bits_and_value = line.strip_prefix(text).filter(|rest| rest.starts_with("  "));
        bits_and_value.is_some_and(|rest| rest.split_whitespace().any(|word| word == value))
    })
}
