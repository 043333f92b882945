//! The page as a whole.

use super::escape::Html;
use super::sides::Sided;
use super::style::{STYLE, STYLE_HASH};
use super::{Named, bars, beside, lists, plot, verdict};
use crate::align::Match;
use crate::relate::Relation;

/// What the page says of its maker, by which a page of ours is known from a foreign file.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"siglum compare\">";

/// Two books beside each other as one page of HTML.
pub fn compare_page(a: &Named<'_>, b: &Named<'_>, found: &Match, relation: &Relation) -> String {
    let (a, b) = (Sided::new("A", a, &found.a), Sided::new("B", b, &found.b));
    let mut html = Html::default();
    head(&mut html, &a, &b);
    html.markup("<body><header><h1>").element("bdi", &[], a.name).markup(" <span class=\"and\">and</span> ");
    html.element("bdi", &[], b.name).markup("</h1>").markup(NAVIGATION).markup("</header><main>");
    verdict::write(&mut html, &a, &b, found, relation);
    plot::write(&mut html, &a, &b, found);
    bars::write(&mut html, &a, &b, found);
    lists::runs(&mut html, &a, &b, found);
    lists::alone(&mut html, &a, &b);
    beside::write(&mut html, &a, &b, found);
    html.markup("</main><footer><p>Made by <code>siglum compare</code>. Letters are counted without spaces, digits, marks and accents.</p></footer></body></html>\n");
    html.into_string()
}

const NAVIGATION: &str = concat!(
    "<nav aria-label=\"On this page\"><a href=\"#verdict\">Verdict</a> <a href=\"#map\">Map</a> <a href=\"#coverage\">Coverage</a> ",
    "<a href=\"#runs\">Runs</a> <a href=\"#alone\">Only one has</a> <a href=\"#text\">Text</a></nav>",
);

fn head(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>) {
    let policy = format!("default-src 'none'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'");
    html.markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">").markup(GENERATOR);
    html.open("meta", &[("http-equiv", &"Content-Security-Policy"), ("content", &policy)]);
    html.markup("<meta name=\"referrer\" content=\"no-referrer\">");
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.markup("<meta name=\"color-scheme\" content=\"light dark\">");
    html.element("title", &[], format_args!("{} and {} · siglum compare", a.name, b.name));
    html.markup("<style>").markup(STYLE).markup("</style></head>");
}
