//! ISBNs that a spreadsheet has changed: it takes them for numbers, and writes 9.78014E+12 or leaves out leading zeros.
//!
//! Holds: a repaired ISBN has a correct check digit; digits that are lost are never guessed.

use isbn::Isbn;

/// What can be done about an ISBN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Repair {
    /// Nothing looks changed.
    NotNeeded,
    /// This is what it was.
    Done(String),
    /// It cannot be known what it was, and why.
    Impossible(&'static str),
}

/// A number of ten digits may lose so many zeros: publishers' numbers begin with 0-00 and 0-007.
const FEWEST_DIGITS: usize = 6;
const OF_TEN: usize = 10;

/// What an ISBN was before a spreadsheet changed it.
pub(super) fn repaired(isbn: &str) -> Repair {
    let isbn = isbn.trim();
    if let Some((digits, n_digits)) = scientific(isbn) {
        return match digits.len() {
            n if n < n_digits => Repair::Impossible("a spreadsheet rounded it, and its last digits are lost"),
            _ if is_valid(&digits) => Repair::Done(digits),
            _ => of_ten(&digits),
        };
    }
    // What programs for tables write of a number: 9780141439587.0.
    let whole = isbn.strip_suffix(".0").unwrap_or(isbn);
    let digits = whole.strip_suffix(['X', 'x']).unwrap_or(whole);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || is_valid(&whole.to_ascii_uppercase()) {
        return Repair::NotNeeded;
    }
    match whole.len() {
        13 if whole.starts_with("97") && whole.ends_with("0000000") => {
            Repair::Impossible("a spreadsheet rounded it, and its last digits are lost")
        }
        n if (FEWEST_DIGITS..OF_TEN).contains(&n) => of_ten(&whole.to_ascii_uppercase()),
        _ => Repair::NotNeeded,
    }
}

/// The digits of `9.78014E+12`, and how many the number has.
fn scientific(text: &str) -> Option<(String, usize)> {
    let (mantissa, exponent) = text.split_once(['E', 'e'])?;
    let exponent: usize = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let (first, rest) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, ""));
    let digits = format!("{first}{rest}");
    let is_number = first.len() == 1 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (FEWEST_DIGITS..13).contains(&exponent)).then_some((digits, exponent + 1))
}

/// An ISBN of ten digits that lost its leading zeros.
fn of_ten(digits: &str) -> Repair {
    let whole = format!("{digits:0>OF_TEN$}");
    if is_valid(&whole) {
        Repair::Done(whole)
    } else {
        Repair::Impossible("it has too few digits, and none that fit with zeros before them")
    }
}

fn is_valid(isbn: &str) -> bool {
    matches!(isbn.len(), 10 | 13) && isbn.parse::<Isbn>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(isbn: &str, expected: &str) {
        let found = match repaired(isbn) {
            Repair::NotNeeded => "as it is".to_owned(),
            Repair::Done(whole) => whole,
            Repair::Impossible(why) => why.to_owned(),
        };
        assert_eq!(found, expected, "{isbn}");
    }

    #[test]
    fn lost_zeros_are_put_back() {
        check("141439580", "0141439580");
        check("7136838", "0007136838");
        check("7136834", "it has too few digits, and none that fit with zeros before them");
        check("141439580.0", "0141439580");
        check("123456789", "0123456789");
    }

    #[test]
    fn a_rounded_number_is_refused() {
        check("9.78E+12", "a spreadsheet rounded it, and its last digits are lost");
        check("9,78014E+12", "a spreadsheet rounded it, and its last digits are lost");
        check("9780000000000", "a spreadsheet rounded it, and its last digits are lost");
        check("9780000000000.0", "a spreadsheet rounded it, and its last digits are lost");
        check("9.780141439587E+12", "9780141439587");
        check("1.41439580E+8", "0141439580");
    }

    #[test]
    fn other_isbns_are_left_as_they_are() {
        for isbn in [
            "9780141439587",
            "0-14-143958-0",
            "0141439580 (pbk.)",
            "080442957X",
            "urn:isbn:0141439580",
            "",
            "E",
            "12",
        ] {
            check(isbn, "as it is");
        }
        check("9780141439588", "as it is");
    }
}
