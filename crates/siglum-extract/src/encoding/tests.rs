use super::*;
use encoding_rs::{
    BIG5, EUC_JP, GB18030, IBM866, ISO_8859_2, ISO_8859_5, ISO_8859_7, KOI8_U, MACINTOSH, SHIFT_JIS,
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1255, WINDOWS_1256, X_MAC_CYRILLIC,
};
use oem_cp::code_table::ENCODING_TABLE_CP_MAP;
use proptest::prelude::*;

const RUSSIAN: &str = "Поезд подошёл к станции поздно вечером, когда на платформе никого уже не было. Старик вышел \
                       первым, снял шляпу, вдохнул запах сирени и взялся за чемодан, глядя на мокрые рельсы. Дождь прекратился, и стояла тишина. ";
const GREEK: &str = "Το πρωί ο ψαράς κατέβηκε στη θάλασσα κι έλυσε τη βάρκα του. Άλλοι κοιμόνταν ακόμη. Ο αέρας ήταν \
                     ελαφρύς και η μέρα φαινόταν καλή για ταξίδι. ";
const HUNGARIAN: &str = "Az öreg erdész hajnalban indult el a faluból, hogy megnézze, mennyi hó esett az éjjel. Az erdő \
                         csendes volt, csak a rigók szóltak a bükkök között. Nem sietett, mert tudta, hogy az idő jó, \
                         és a hűvös levegő jót tesz neki. Egy őz állt a tisztáson, és nem futott el előle. ";
const FRENCH: &str = "L'été dernier, nous avons loué une maison près de la rivière. Les soirées étaient fraîches, et \
                      mon père répétait qu'il fallait fermer les fenêtres à la nuit tombée. ";
const JAPANESE: &str = "山の上の小さな村に、一人の老人が住んでいた。毎朝、老人は井戸の水をくみ、庭の花に\
                        かけるのだった。村の子供たちはそれを見て笑った。\n";
const CHINESE: &str = "从前，山脚下有一座小村庄，村里住着一位老木匠。他每天早晨都要到河边去挑水，然后坐在门口\
                       修理邻居们送来的旧家具。\n";
const HEBREW: &str =
    "בבוקר יצא הנגר הזקן אל השוק וקנה שני לחמים וכד של שמן. אחר כך חזר לביתו וישב לעבוד עד הערב. ";
const ARABIC: &str =
    "في الصباح خرج النجار العجوز إلى السوق واشترى الخبز والزيت ثم عاد إلى بيته وجلس يعمل حتى المساء. ";

fn check(bytes: &[u8], encoding: &str, text: &str) {
    let decoded = decode(bytes, None, None).unwrap();
    assert_eq!((decoded.encoding.as_str(), decoded.n_bad), (encoding, 0));
    assert_eq!(decoded.text, text);
}

fn check_web(encoding: &'static Encoding, text: &str) {
    let (bytes, _, is_lossy) = encoding.encode(text);
    assert!(!is_lossy);
    check(&bytes, encoding.name(), text);
}

use encoding_rs::Encoding;

fn dos(page: u16, text: &str) -> Vec<u8> {
    oem_cp::encode_string_checked(text, ENCODING_TABLE_CP_MAP.get(&page).unwrap()).unwrap()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn utf32(text: &str, bytes: fn(u32) -> [u8; 4]) -> Vec<u8> {
    text.chars().flat_map(|c| bytes(c.into())).collect()
}

#[test]
fn encodings_of_the_web_are_told_by_their_bytes() {
    check_web(WINDOWS_1252, FRENCH);
    check_web(WINDOWS_1251, RUSSIAN);
    check_web(KOI8_U, RUSSIAN);
    check_web(ISO_8859_5, RUSSIAN);
    check_web(IBM866, RUSSIAN);
    check_web(WINDOWS_1253, GREEK);
    check_web(WINDOWS_1255, HEBREW);
    check_web(WINDOWS_1256, ARABIC);
    check_web(SHIFT_JIS, JAPANESE);
    check_web(EUC_JP, JAPANESE);
    check_web(encoding_rs::ISO_2022_JP, JAPANESE);
    check(&GB18030.encode(CHINESE).0, "GBK", CHINESE);
    check_web(BIG5, "從前，山腳下有一座小村莊，村裡住著一位老木匠。他每天早晨都要到河邊去挑水。");
}

#[test]
fn cyrillic_of_the_macintosh_and_of_dos_is_told() {
    check_web(X_MAC_CYRILLIC, RUSSIAN);
    check(&dos(855, RUSSIAN), "cp855", RUSSIAN);
}

#[test]
fn latin_of_the_macintosh_and_of_dos_is_told_by_words() {
    check_web(MACINTOSH, &FRENCH.replace('\'', "’"));
    check(&dos(850, FRENCH), "cp850", FRENCH);
    check_web(MACINTOSH, "I don’t know, I can’t say, he doesn’t care, we won’t go, it isn’t far.");
}

#[test]
fn hungarian_keeps_its_long_umlauts() {
    check_web(ISO_8859_2, HUNGARIAN);
    check_web(WINDOWS_1250, &HUNGARIAN.replace("Nem sietett", "„Nem sietett”"));
}

#[test]
fn a_pound_is_not_a_polish_letter() {
    check_web(WINDOWS_1252, "It cost her £50, and the carriage another £12, which she thought too much.");
}

#[test]
fn greek_apostrophes_are_not_capitals() {
    check_web(ISO_8859_7, &GREEK.replace("κι έλυσε", "κ’ έλυσε τ’ άσπρα σ’ όλους"));
}

#[test]
fn old_korean_encodings_are_told() {
    let text = "할머니는 아침마다 마당을 쓸고 나무에 물을 주었다. 아이들은 그 옆에서 놀았다. 漢字 ㄱ.";
    let shifted = [b"\x1b$)C\n".as_slice(), b"\x0e\x47\x51\x31\x5b\x0f abc\n"].concat();
    check(&shifted, "ISO-2022-KR", "\n한글 abc\n");
    let mut johab = Vec::new();
    for c in text.chars() {
        match c {
            '漢' => johab.extend([0xf7, 0xd3]),
            '字' => johab.extend([0xf1, 0xae]),
            'ㄱ' => johab.extend([0x88, 0x41]),
            '가'..='힣' => johab.extend(spelt(u32::from(c) - 0xac00)),
            _ => johab.push(c as u8),
        }
    }
    check(&johab, "Johab", text);
}

/// A syllable in Johab, by the bits of its letters.
fn spelt(n: u32) -> [u8; 2] {
    const VOWELS: [u32; 21] = [3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, 26, 27, 28, 29];
    let (initial, vowel, last) = (n / 588 + 2, VOWELS[(n / 28 % 21) as usize], n % 28 + 1);
    let last = if last > 17 { last + 1 } else { last };
    ((1 << 15 | initial << 10 | vowel << 5 | last) as u16).to_be_bytes()
}

#[test]
fn wide_encodings_need_no_mark() {
    for text in [FRENCH, RUSSIAN, CHINESE, JAPANESE, HEBREW] {
        let text = format!("{text}\n{text}\n{text}\n");
        check(&utf16(&text, u16::to_le_bytes), "UTF-16LE", &text);
        check(&utf16(&text, u16::to_be_bytes), "UTF-16BE", &text);
        check(&utf32(&text, u32::to_le_bytes), "UTF-32LE", &text);
        check(&utf32(&text, u32::to_be_bytes), "UTF-32BE", &text);
    }
}

#[test]
fn a_mark_decides_and_is_not_text() {
    check(b"\xef\xbb\xbfabc", "UTF-8", "abc");
    check(b"\xff\xfea\0\xe9\0", "UTF-16LE", "aé");
    check(b"\xfe\xff\0a\0\xe9", "UTF-16BE", "aé");
    check(b"\xff\xfe\0\0a\0\0\0", "UTF-32LE", "a");
}

#[test]
fn a_few_zeros_do_not_make_text_wide() {
    let text = format!("{FRENCH}\0\0{FRENCH}\0x");
    check(text.as_bytes(), "UTF-8", &text);
    check_web(WINDOWS_1252, &text);
}

#[test]
fn colours_of_a_terminal_are_no_encoding() {
    let text = "\x1b[1mChapter\x1b[0m one, in which $ and ( mean nothing";
    check(text.as_bytes(), "UTF-8", text);
}

#[test]
fn damaged_utf8_stays_utf8() {
    let mut bytes = RUSSIAN.as_bytes().to_vec();
    bytes[40] = 0xff;
    let decoded = decode(&bytes, None, Some("windows-1251")).unwrap();
    assert_eq!(decoded.encoding, "UTF-8");
    assert!(decoded.n_bad >= 1 && decoded.text.contains("Старик вышел"));
    let cut = decode(&RUSSIAN.as_bytes()[..98], None, None).unwrap();
    assert_eq!((cut.encoding.as_str(), cut.n_bad), ("UTF-8", 1));
}

#[test]
fn a_declaration_is_believed_unless_the_bytes_deny_it() {
    let text = "déjà vu";
    let bytes = encoding_rs::MACINTOSH.encode(text).0.into_owned();
    assert_eq!(decode(&bytes, None, Some("macintosh")).unwrap().text, text);
    assert_eq!(decode(text.as_bytes(), None, Some("windows-1252")).unwrap().text, text);
    assert_eq!(decode(&WINDOWS_1252.encode(FRENCH).0, None, Some("utf-8")).unwrap().text, FRENCH);
    assert_eq!(decode(&WINDOWS_1251.encode(RUSSIAN).0, None, Some("euc-jp")).unwrap().text, RUSSIAN);
    let xml = b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>";
    assert!(decode_xml(xml).unwrap().ends_with("<a>é</a>"));
}

#[test]
fn a_forced_name_decides_even_against_the_bytes() {
    let forced = |bytes: &[u8], name| decode(bytes, Some(name), None).unwrap();
    assert_eq!(forced(b"\x82", "cp437").text, "é");
    assert_eq!(forced(b"\x82", "IBM850").text, "é");
    assert_eq!(forced(b"\x86", "dos-852").text, "ć");
    assert_eq!(forced(b"\x8e", "Mac-Roman").text, "é");
    assert_eq!(forced("é".as_bytes(), "latin_1").text, "Ã©");
    assert_eq!(forced(b"a\0", "utf-16").text, "a");
    assert_eq!(forced(b"\xfe\xff\0a", "UTF-16").text, "a");
    assert_eq!(forced(b"\0\0\0a", "utf-32be").text, "a");
    assert_eq!(forced(b"\xef\xbb\xbfa", "utf-8").text, "a");
    assert_eq!(forced(b"\xff\xff a", "shift_jis").n_bad, 2);
    let failure = decode(b"a", Some("klingon"), None).unwrap_err();
    assert!(failure.message.starts_with("no encoding is called 'klingon'; known are, among others, utf-8, "));
}

proptest! {
    #[test]
    fn utf8_is_never_mistaken(text in "[\\PC\n]{0,300}") {
        prop_assert_eq!(decode(text.as_bytes(), None, None).unwrap().text, text.trim_start_matches('\u{feff}'));
    }

    #[test]
    fn any_bytes_decode(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for name in [None, Some("johab"), Some("iso-2022-kr"), Some("utf-32"), Some("cp857"), Some("big5")] {
            let decoded = decode(&bytes, name, None).unwrap();
            prop_assert!(decoded.text.matches(char::REPLACEMENT_CHARACTER).count() >= decoded.n_bad.min(1));
        }
    }
}
