//! `siglum distance`: how alike two sketches are, without the books.

use crate::args::DistanceArgs;
use crate::output::{Exit, Output};
use anyhow::{Context, Result};
use siglum::report::DistanceReport;
use siglum::{Comparison, Sketch};
use std::io::read_to_string;
use std::path::Path;

pub(crate) fn run(args: &DistanceArgs, output: &mut Output) -> Result<Exit> {
    let [a, b] = [parse(&args.a)?, parse(&args.b)?];
    let comparison = a.compare_with_prior(&b, args.prior)?;
    if args.json {
        output.json(&DistanceReport::new(a.scheme(), comparison))?;
    } else {
        output.line(&in_words(comparison))?;
    }
    Ok(Exit::Found)
}

/// Sketches of long books are longer than an argument may be, so they can come from a file.
fn parse(argument: &str) -> Result<Sketch> {
    let text = match argument.strip_prefix('@') {
        Some(file) => {
            read_to_string(siglum_extract::open_regular(Path::new(file)).context(file.to_owned())?)?
        }
        None if argument == "-" => read_to_string(std::io::stdin().lock())?,
        None => argument.to_owned(),
    };
    let text = text.trim();
    text.parse::<Sketch>().with_context(|| format!("'{}'", shortened(text)))
}

/// Enough of a long sketch to know it by.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(70) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn in_words(comparison: Comparison) -> String {
    match comparison {
        Comparison::Hamming { distance, n_bits } => format!("distance {distance} of {n_bits}"),
        Comparison::Signature { distance, n_bits, printed, jaccard } => {
            format!("distance {distance} of {n_bits}   as printed {printed:.3}   Jaccard {jaccard:.3}")
        }
        Comparison::Resemblance(share) => format!("resemblance {share:.4}"),
        Comparison::Siglum(sigla) => format!(
            "distance {} of {}   length ratio {:.2}   probability of the same text {}",
            sigla.distance,
            sigla.n_bits,
            sigla.length_ratio,
            probability(sigla.probability)
        ),
    }
}

/// Neither certainty is ever claimed.
fn probability(probability: f64) -> String {
    match probability {
        p if p < 0.0001 => "under 0.0001".into(),
        p if p > 0.9999 => "over 0.9999".into(),
        p => format!("{p:.4}"),
    }
}
