//! How much of a text is damaged: letters that were lost on the way from another format or encoding.
//!
//! One module per kind of damage, each of which looks only at the few places where its first byte stands, so that clean
//! text costs little more than a search for that byte. Where a mark may be meant ("Why??", `null?`), the doubtful ones
//! are not counted: a copy is compared with others of the same text, which have the same doubtful ones.
//! Holds: the text is never changed, and no text takes more than a few passes.

mod escapes;
mod mojibake;
mod question_marks;
mod unreadable;

use memchr::{memchr_iter, memchr3_iter};
use siglum::Damage;

/// The damage in a text of so many characters.
pub(crate) fn of_text(text: &str, n_chars: usize) -> Damage {
    let found = of_page(text);
    let mojibake = found.mojibake + if text.is_ascii() { 0 } else { mojibake::n_others(text) };
    Damage { n_chars: n_chars as u64, mojibake, ..found }
}

/// The damage in a short text, without what is searched for as a whole: that costs more than the rest of a page.
pub(crate) fn of_page(text: &str) -> Damage {
    let mut damage = Damage::default();
    let mut question_mark_end = 0;
    for at in memchr3_iter(b'?', b'\\', b'&', text.as_bytes()) {
        if text.as_bytes()[at] != b'?' {
            damage.escapes += u64::from(escapes::is_escape(&text[at..]));
        } else if at >= question_mark_end {
            let run = question_marks::run(text, at);
            question_mark_end = run.end;
            damage.question_marks += run.n_damaged;
        }
    }
    if text.is_ascii() {
        return damage;
    }
    damage.unreadable = memchr3_iter(0xee, 0xef, 0xf3, text.as_bytes())
        .map(|at| u64::from(unreadable::is_unreadable(&text.as_bytes()[at..])))
        .sum();
    for at in memchr_iter(0xc2, text.as_bytes()) {
        // What stands behind a clean letter is clean too, and an ASCII one nearly always.
        let is_after_ascii = at == 0 || text.as_bytes()[at - 1].is_ascii();
        match if is_after_ascii { None } else { mojibake::letter_before(text, at) } {
            Some(n) => damage.mojibake += n,
            None => damage.unreadable += u64::from(unreadable::is_unreadable(&text.as_bytes()[at..])),
        }
    }
    damage
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Damage {
        of_text(text, text.chars().count())
    }

    #[test]
    fn what_a_person_calls_damage_is_counted_by_its_kind() {
        let damage = of("caf?s and \\u05d9 and caf\u{fffd} and cafÃ©");
        let found = (damage.question_marks, damage.escapes, damage.unreadable, damage.mojibake);
        assert_eq!(found, (1, 1, 1, 1));
        assert_eq!(damage.n_chars, 35);
    }

    #[test]
    fn clean_text_of_any_script_is_not_damaged() {
        for text in [
            "Why? Really?! “No,” he said — “why?” C'est-à-dire qu'il a été là»… Où ? Quoi ?? Hein ?",
            "daß er »aß«, Spaß“, heiß… CAFÉ’S, ÇA ÉTÉ; naïve, créée, Übermaß–",
            "Старикъ спустился къ рѣкѣ? Да! Что?.. Рим, Россия.",
            "Ο γέρος κατέβηκε στο ποτάμι; Ναι.",
            "老人は川まで歩いて行き、何？本当?そうか。",
            "הזקן ירד אל הנהר? כן.",
            "نزل الرجل العجوز إلى النهر؟ نعم",
            "¿Qué? ¡Ñandú! AÑO «ESPAÑA» À L’ÎLE, NAÏF, 20 °C, 3×4",
            "http://example.org/find?query=emma&page=2 AT&T; R&D a\\b C:\\users",
        ] {
            assert_eq!(of(text).n_damaged(), 0, "{text}: {}", of(text));
        }
    }

    #[test]
    fn letters_that_became_question_marks_are_damage() {
        assert_eq!(of("??????????????????????").question_marks, 22);
        assert_eq!(of("?? ????, ???? (Genji) ?? ???").question_marks, 15);
        assert_eq!(of("z?ote ?ó?ko cz?owiek").question_marks, 4);
    }

    #[test]
    fn each_escape_stands_for_one_letter() {
        let escapes = "\\U05D9\\U05D5 \\u05d9 \\xe9 caf\\'e9 \\a151 &eacute; &#233; &#xE9; &amp;";
        assert_eq!(of(escapes).escapes, 10);
    }

    #[test]
    fn unmapped_and_private_characters_are_damage() {
        assert_eq!(of("a\u{fffd}b \u{e000}\u{f8ff} \u{f0001} \u{85}é、，。").unreadable, 5);
    }

    #[test]
    fn letters_in_the_wrong_encoding_are_damage() {
        let french = of("Ã©tÃ© donâ€™t â€œhiâ€\u{9d} Â»");
        assert_eq!((french.mojibake, french.unreadable), (6, 0), "French and English");
        assert_eq!(of("Î•Î»Î»Î¬Î´Î±").mojibake, 5, "Greek");
        assert_eq!(of("ïîýòîìó Ïðèâåò").mojibake, 13, "Russian in windows-1252");
        assert_eq!(of("РџСЂРёРІРµС‚, РєР°Рє РґРµР»Р°?").mojibake, 4, "Russian in windows-1251: its е and а");
        assert_eq!(of("æ—¥æœ¬").mojibake, 2, "Japanese");
    }

    proptest! {
        #[test]
        fn no_text_has_more_damage_than_bytes(text in "[?\\\\&u0-9a-f;#ÃÂâ€™©Рѕ\u{fffd}é ]{0,60}|\\PC{0,80}") {
            prop_assert!(of(&text).n_damaged() <= text.len() as u64);
        }
    }
}
