//! ISO 24138 codes, by the `iscc-lib` crate: for exchange with others, and as the peer we measure against.

use super::scheme::Scheme;
pub use super::scheme::Unit;
use crate::book::Metadata;
use crate::error::{NoSketch, Result};
use crate::text::Features;
use iscc_lib::codec::{self, MainType};
use iscc_lib::{DataHasher, InstanceHasher};

/// Bits of a single code: the most the standard has. The composite takes the first 64 of each.
const BITS: u32 = 256;

/// The code of a book.
pub fn code(unit: Unit, features: &Features<'_>) -> Result<String, NoSketch> {
    match unit {
        Unit::Meta => meta(&features.book().metadata),
        Unit::Text => text(features.book().text()),
        Unit::Data => Ok(data_and_instance(features)?.0),
        Unit::Instance => Ok(data_and_instance(features)?.1),
        Unit::Composite => composite(features),
    }
}

fn meta(metadata: &Metadata) -> Result<String, NoSketch> {
    let title = metadata.title.as_deref().ok_or(NoSketch::NoMetadata)?;
    let creators = metadata.creators.join("; ");
    let description = (!creators.is_empty()).then_some(creators.as_str());
    // The only failure is a name that is empty once cleaned.
    iscc_lib::gen_meta_code_v0(title, description, None, BITS)
        .map(|code| code.iscc)
        .map_err(|_| NoSketch::NoMetadata)
}

fn text(text: &str) -> Result<String, NoSketch> {
    match iscc_lib::gen_text_code_v0(text, BITS) {
        Ok(code) if code.characters > 0 => Ok(code.iscc),
        _ => Err(NoSketch::TooShort),
    }
}

fn data_and_instance(features: &Features<'_>) -> Result<(String, String), NoSketch> {
    let bytes = features.bytes().ok_or(NoSketch::NoBytes)?;
    let (mut data, mut instance) = (DataHasher::new(), InstanceHasher::new());
    for block in bytes.chunks(1 << 20) {
        data.update(block);
        instance.update(block);
    }
    let data = data.finalize(BITS).map_err(|_| NoSketch::NoBytes)?;
    let instance = instance.finalize(BITS).map_err(|_| NoSketch::NoBytes)?;
    Ok((data.iscc, instance.iscc))
}

fn composite(features: &Features<'_>) -> Result<String, NoSketch> {
    let (data, instance) = data_and_instance(features)?;
    let optional = [code(Unit::Meta, features), code(Unit::Text, features)];
    let units: Vec<String> = optional.into_iter().flatten().chain([data, instance]).collect();
    let units: Vec<&str> = units.iter().map(String::as_str).collect();
    iscc_lib::gen_iscc_code_v0(&units, false).map(|code| code.iscc).map_err(|_| NoSketch::TooShort)
}

/// In how many bits two codes differ, and of how many: of composites, the text codes within.
pub(crate) fn distance(unit: Unit, left: &str, right: &str) -> Result<(u32, u32)> {
    let (left, right) = (digest(unit, left)?, digest(unit, right)?);
    let n_bytes = left.len().min(right.len());
    let differ = left.iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum();
    Ok((differ, n_bytes as u32 * 8))
}

/// Checks a code and gives it back as the standard writes it. The library reads spaces, hyphens and doubled prefixes
/// as well; here a code has one form, so that equal codes are equal strings.
pub(crate) fn parse(unit: Unit, code: &str) -> Result<String> {
    let upper = code.to_ascii_uppercase();
    let bare = upper.strip_prefix("ISCC:").unwrap_or(&upper);
    if !bare.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'2'..=b'7')) {
        return Err(Scheme::Iscc(unit).bad("a character that no ISCC has"));
    }
    match unit {
        // A composite need not hold a text code; only comparing two asks for it.
        Unit::Composite => drop(units_of(bare)?),
        _ => drop(digest(unit, bare)?),
    }
    Ok(format!("ISCC:{bare}"))
}

/// The units of a composite.
fn units_of(composite: &str) -> Result<Vec<String>> {
    let bad = |problem: &str| Scheme::Iscc(Unit::Composite).bad(problem);
    match decode(composite) {
        Some((MainType::Iscc, _)) => iscc_lib::iscc_decompose(composite).map_err(|_| bad("not an ISCC")),
        Some(_) => Err(bad("a single ISCC unit")),
        None => Err(bad("not an ISCC")),
    }
}

fn digest(unit: Unit, code: &str) -> Result<Vec<u8>> {
    let bad = |problem: &str| Scheme::Iscc(unit).bad(problem);
    let (wanted, missing) = match unit {
        Unit::Meta => (MainType::Meta, "an ISCC of another kind"),
        Unit::Text => (MainType::Content, "an ISCC of another kind"),
        Unit::Data => (MainType::Data, "an ISCC of another kind"),
        Unit::Instance => (MainType::Instance, "an ISCC of another kind"),
        Unit::Composite => (MainType::Content, "it holds no text code"),
    };
    let units = match unit {
        Unit::Composite => units_of(code)?,
        _ => vec![code.to_owned()],
    };
    for code in units {
        let (main_type, digest) = decode(&code).ok_or_else(|| bad("not an ISCC"))?;
        if main_type == wanted {
            return Ok(digest);
        }
    }
    Err(bad(missing))
}

/// Main type and digest of exactly one code. The library's own `iscc_decode` also takes sequences of units, and panics
/// on some (0.7.0; testdata/regressions has one).
fn decode(code: &str) -> Option<(MainType, Vec<u8>)> {
    let bare = code.strip_prefix("ISCC:").unwrap_or(code);
    let raw = codec::decode_base32(bare).ok()?;
    let (main_type, sub_type, _, length, digest) = codec::decode_header(&raw).ok()?;
    let n_bytes = codec::decode_length(main_type, length, sub_type) as usize / 8;
    (digest.len() == n_bytes && codec::encode_base32(&raw) == bare).then_some((main_type, digest))
}

const UNITS: [Unit; 5] = [Unit::Composite, Unit::Meta, Unit::Text, Unit::Data, Unit::Instance];

/// Whether a string is an ISCC of any kind, without its prefix.
pub(crate) fn is_iscc(bare: &str) -> bool {
    !bare.starts_with("ISCC:") && UNITS.iter().any(|unit| parse(*unit, bare).is_ok())
}

/// Reads an ISCC of whichever kind it says it is.
pub(crate) fn parse_any(code: &str) -> Result<(Unit, String)> {
    let found = UNITS.iter().find_map(|&unit| Some((unit, parse(unit, code).ok()?)));
    found.ok_or_else(|| Scheme::Iscc(Unit::Composite).bad("not an ISCC"))
}
