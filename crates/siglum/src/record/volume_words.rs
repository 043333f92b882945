//! Words that number the parts of a work: volume words, ordinals, words of editions, months.
//!
//! Recipe: the study of the catalogue check, with the words of further languages. All are in the form of
//! [`super::tokens`]: lower case, without marks, Latin letters in ASCII, other scripts in their own.
//! Holds: no word is of two kinds but one that numbers parts and is an ordinal of none.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word says about numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberWord {
    /// A part is numbered beside it: volume, Teil, 巻.
    Part,
    /// It is a number: second, zwei, 三.
    Ordinal(u32),
    /// An edition is numbered before it.
    Edition,
    /// A month, 1 to 12.
    Month(u32),
    /// It only stands beside numbers.
    Companion,
}

/// What a word says about numbers, if it says anything.
pub(super) fn number_word(word: &str) -> Option<NumberWord> {
    static TABLE: LazyLock<HashMap<&str, NumberWord>> = LazyLock::new(table);
    TABLE.get(word).copied()
}

/// Whether a word's absence on one side says nothing by itself, since the numbers are compared on their own.
pub fn is_number_like(word: &str) -> bool {
    word.starts_with(super::tokens::WHOLE) || number_word(word).is_some()
}

/// Long volume words, which are still known with one typing error if digits follow.
pub(super) const LONG_PARTS: [&str; 8] =
    ["volume", "number", "series", "partie", "numero", "teil", "band", "часть"];

/// Volume words that count in years too, as periodicals do. Others may end a title before its year: The Jungle Book 1894.
pub(super) const COUNTING_PARTS: [&str; 17] = [
    "vol",
    "vols",
    "volume",
    "volumes",
    "band",
    "bd",
    "jahrgang",
    "no",
    "nr",
    "number",
    "issue",
    "heft",
    "hefte",
    "tome",
    "том",
    "выпуск",
    "номер",
];

/// Volume words that several numbers may follow.
pub(super) const PLURAL_PARTS: [&str; 24] = [
    "vols",
    "volumes",
    "volumi",
    "tomes",
    "tomos",
    "bde",
    "bande",
    "baende",
    "teile",
    "theile",
    "parts",
    "partes",
    "parties",
    "books",
    "livres",
    "libros",
    "boeken",
    "delen",
    "dele",
    "osat",
    "bocker",
    "тома",
    "части",
    "книги",
];

const PARTS: &str = "vol vols volume volumes volumen volum volumi v tome tomes tom tomo tomos tomus t band bd bde bande baende bind \
    teil teile theil theile tl th part parts pt parte partes partie parties pars book books bk livre livres libro libros libri liber buch boek \
    boeken bog deel delen dl del dele osa osat bok bocker kirja number no nr num numero issue heft hefte serie series seria reeks sarja folge vihko \
    niteet nide kotet resz dil svazek cast kniha czesc ksiega zeszyt fascicle fascicule fasc lieferung abteilung abt halfte halfband jahrgang \
    том тома часть части книга книги выпуск вып серия номер тетрадь τομοσ τομ μεροσ βιβλιο τευχοσ \
    כרכ חלק ספר חוברת גליונ מחברת 其 話 巻 冊 編 篇 部 集 回 章 第 号 輯";

const ORDINALS: &[(u32, &str)] = &[
    (
        1,
        "first one premier premiere erster erste erstes ersten primero primera primer primo prima primeiro primeira eerste \
        forsta forste ensimmainen primus первая первое первои первыи πρωτοσ πρωτη πρωτο ראשונ ראשונה א 一 壱 上",
    ),
    (
        2,
        "second two deuxieme seconde zweiter zweite zweites zweiten zwei segundo segunda secondo seconda tweede andra anden \
        toinen secundus secunda druga drugi второи вторая второе вторыи δευτεροσ δευτερη δευτερο שני שנייה שניה ב 二 弐 中",
    ),
    (
        3,
        "third three troisieme dritter dritte drittes dritten drei tercero tercera tercer terzo terza terceiro terceira derde tredje kolmas \
        tertius tertia trzeci третии третья третье τριτοσ τριτη τριτο שלישי שלישית ג 三 参 下",
    ),
    (
        4,
        "fourth four quatrieme vierter vierte viertes vierten vier cuarto cuarta quarto quarta vierde fjarde fjerde neljas quartus \
         четвертыи четвертая τεταρτοσ רביעי רביעית ד 四",
    ),
    (
        5,
        "fifth five cinquieme funfter funfte funftes funf quinto quinta vijfde femte viides quintus пятыи пятая πεμπτοσ חמישי חמישית ה 五",
    ),
    (
        6,
        "sixth six sixieme sechster sechste sechstes sechs sexto sexta sesto sesta zesde sjatte sjette kuudes sextus шестои шестая εκτοσ שישי ששי שישית ו 六",
    ),
    (
        7,
        "seventh seven septieme siebenter siebente siebter sieben septimo settimo zevende sjunde syvende seitsemas septimus седьмои седьмая εβδομοσ שביעי שביעית ז 七",
    ),
    (
        8,
        "eighth eight huitieme achter achte acht octavo ottavo achtste attonde kahdeksas octavus восьмои восьмая ογδοοσ שמיני שמינית ח 八",
    ),
    (
        9,
        "ninth nine neuvieme neunter neunte neun noveno nono negende nionde yhdeksas nonus девятыи девятая ενατοσ תשיעי תשיעית ט 九",
    ),
    (
        10,
        "tenth ten dixieme zehnter zehnte zehn decimo tiende tionde kymmenes decimus десятыи десятая δεκατοσ עשירי עשירית 十",
    ),
    (11, "eleventh eleven onzieme elfter elfte elf undecimo elfde yhdestoista undecimus одиннадцатыи"),
    (
        12,
        "twelfth twelve douzieme zwolfter zwolfte zwolf duodecimo twaalfde kahdestoista duodecimus двенадцатыи",
    ),
    (13, "thirteenth thirteen treizieme dreizehnter dreizehnte"),
    (14, "fourteenth fourteen quatorzieme vierzehnter vierzehnte"),
    (15, "fifteenth fifteen quinzieme funfzehnter funfzehnte"),
    (16, "sixteenth sixteen seizieme sechzehnter"),
    (17, "seventeenth seventeen siebzehnter"),
    (18, "eighteenth eighteen achtzehnter"),
    (19, "nineteenth nineteen neunzehnter"),
    (20, "twentieth twenty vingtieme zwanzigster"),
];

const EDITIONS: &str = "ed edn edition editions auflage aufl ausgabe edicion edizione edicao uitgave druk izdanie издание изд painos \
    upplaga upplagan utgave udgave oplag vydani wydanie kiadas εκδοση מהדורה 版";

const MONTHS: [&str; 12] = [
    "january jan janvier januar januari enero gennaio январь января",
    "february feb fevrier februar februari febrero febbraio февраль февраля",
    "march mar mars marz maart marzo март марта",
    "april apr avril abril aprile апрель апреля",
    "may mai mei mayo maggio мая маи",
    "june jun juin juni junio giugno июнь июня",
    "july jul juillet juli julio luglio июль июля",
    "august aug aout augustus agosto август августа",
    "september sep sept septembre septiembre settembre сентябрь сентября",
    "october oct octobre oktober octubre ottobre октябрь октября",
    "november nov novembre noviembre ноябрь ноября",
    "december dec decembre dezember diciembre dicembre декабрь декабря",
];

const COMPANIONS: &str = "i v x complete st nd rd of";

fn table() -> HashMap<&'static str, NumberWord> {
    let mut table = HashMap::new();
    let mut put = |words: &'static str, kind: NumberWord| {
        for word in words.split_whitespace() {
            table.entry(word).or_insert(kind);
        }
    };
    put(PARTS, NumberWord::Part);
    for &(number, words) in ORDINALS {
        put(words, NumberWord::Ordinal(number));
    }
    put(EDITIONS, NumberWord::Edition);
    for (month, words) in (1..).zip(MONTHS) {
        put(words, NumberWord::Month(month));
    }
    put(COMPANIONS, NumberWord::Companion);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tokens::tokens;

    #[test]
    fn every_word_is_in_the_form_of_the_words_of_titles() {
        for &word in table().keys() {
            let read: Vec<String> = tokens(word).into_iter().map(|token| token.text).collect();
            assert_eq!(read, [word], "{word}");
        }
    }

    #[test]
    fn words_of_several_languages_are_known() {
        assert_eq!(number_word("kuudes"), Some(NumberWord::Ordinal(6)));
        assert_eq!(number_word("תשיעי"), Some(NumberWord::Ordinal(9)));
        assert_eq!(number_word("часть"), Some(NumberWord::Part));
        assert_eq!(number_word("auflage"), Some(NumberWord::Edition));
        assert_eq!(number_word("japan"), None);
    }
}
