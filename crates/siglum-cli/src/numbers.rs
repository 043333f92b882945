//! Numbers for people.

use std::time::Duration;

/// Digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let starts_group = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let signs = digits.chars().enumerate();
    signs.flat_map(|(at, digit)| starts_group(at).then_some(',').into_iter().chain([digit])).collect()
}

/// So many of something: `1 group`, `1,204 groups`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// `0.4s`, `37s`, `2m 11s`, `3h 05m`.
pub(crate) fn time(duration: Duration) -> String {
    match duration.as_secs() {
        0..10 => format!("{:.1}s", duration.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        seconds => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// `812 bytes`, `3.4 MB`.
pub(crate) fn size(n_bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if n_bytes < 1000 {
        return counted(n_bytes, "byte", "bytes");
    }
    let mut size = n_bytes as f64 / 1000.0;
    let mut unit = 0;
    while size >= 999.95 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_threes() {
        assert_eq!([7, 999, 1000, 1_234_567].map(grouped), ["7", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "book", "books"), "1 book");
        assert_eq!(counted(1200, "book", "books"), "1,200 books");
        assert_eq!(counted(0, "book", "books"), "0 books");
    }

    #[test]
    fn times_are_as_exact_as_anyone_wants() {
        let check = |millis: u64, expected: &str| assert_eq!(time(Duration::from_millis(millis)), expected);
        check(420, "0.4s");
        check(37_900, "37s");
        check(131_000, "2m 11s");
        check(11_100_000, "3h 05m");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(
            [812, 3_400_000, 999_999, u64::MAX].map(size),
            ["812 bytes", "3.4 MB", "1.0 MB", "18446744.1 TB"]
        );
    }
}
