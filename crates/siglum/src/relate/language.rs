//! Whether two books are certainly in different languages.
//!
//! A detector that is sure of both texts can still mistake one language for its neighbour, in which half of the words are
//! the same: Danish and Norwegian, Croatian and Serbian. So only languages that nobody mistakes for each other count.

/// Languages that detectors mistake for each other, in groups.
const NEIGHBOURS: [&[&str]; 12] = [
    &["da", "nb", "nn", "no"],
    &["bs", "hr", "sr"],
    &["cs", "sk"],
    &["gl", "pt"],
    &["be", "ru", "uk"],
    &["bg", "mk"],
    &["id", "ms"],
    &["af", "nl"],
    &["hi", "mr", "ne"],
    &["ar", "fa", "ur"],
    &["he", "yi"],
    &["el", "grc"],
];

/// Whether two languages, each detected with certainty, cannot be one text. Codes are those of ISO 639-1 where there is one.
pub fn differ(a: &str, b: &str) -> bool {
    a != b && !NEIGHBOURS.iter().any(|group| group.contains(&a) && group.contains(&b))
}

#[cfg(test)]
mod tests {
    use super::differ;

    #[test]
    fn neighbours_are_not_told_apart() {
        assert!(differ("en", "de"));
        assert!(differ("ko", "zh"));
        assert!(!differ("en", "en"));
        assert!(!differ("da", "nb"));
        assert!(!differ("grc", "el"));
    }
}
