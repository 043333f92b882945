//! How nine scripts are written: the sounds words are made of, affixes and punctuation.
//!
//! The lists hold frequent letters, syllables and affixes of real languages in their rough order of frequency; each
//! language draws its own syllables from them. Hangul syllables are composed as in the Unicode Standard, §3.12.

use std::collections::BTreeSet;

use super::Script;
use crate::rng::{Rng, Weighted, zipf};

/// What sounds are for. Japanese writes function words in hiragana, stems in kanji and our names in katakana.
#[derive(Clone, Copy)]
pub(super) enum Use {
    FunctionWords,
    Stems,
    Names,
}

/// The syllables (or Han characters) of a language, from the commonest to the rarest.
#[derive(Clone, Debug)]
pub(super) struct Sounds {
    syllables: Vec<String>,
    weights: Weighted,
}

impl Sounds {
    pub(super) fn new(script: Script, used_for: Use, seed: u64) -> Sounds {
        let writing = Writing::of(script);
        let mut rng = Rng::named(seed, "sounds");
        let mut syllables: Vec<String> = match (script, used_for) {
            (Script::Kana, Use::FunctionWords) => pairs(HIRAGANA),
            (Script::Kana, Use::Names) => HIRAGANA.chars().map(|c| katakana(c).to_string()).collect(),
            (Script::Han | Script::Kana, _) => han_characters(&mut rng),
            (Script::Hangul, _) => (0..700).map(|_| hangul_syllable(&mut rng)).collect(),
            _ => (0..400).map(|_| writing.syllable(&mut rng)).collect(),
        };
        // A syllable drawn again is a common one: it keeps its first rank.
        let mut seen = BTreeSet::new();
        syllables.retain(|syllable| seen.insert(syllable.clone()));
        let weights = Weighted::new((0..syllables.len()).map(|rank| zipf(rank, 20)));
        Sounds { syllables, weights }
    }

    pub(super) fn word(&self, n_syllables: usize, rng: &mut Rng) -> String {
        (0..n_syllables).map(|_| self.syllables[self.weights.pick(rng)].as_str()).collect()
    }
}

/// How a script is written. Lists are separated by spaces, the likeliest first; `_` stands for nothing.
#[derive(Debug)]
pub(super) struct Writing {
    onsets: &'static str,
    nuclei: &'static str,
    codas: &'static str,
    /// The least and the greatest number of syllables in a stem.
    pub(super) stem: (usize, usize),
    /// How many stems take one, and which.
    pub(super) prefixes: (f64, &'static str),
    /// As for prefixes; a particle that hangs on the last sound is *after a consonant*/*after a vowel*.
    pub(super) endings: (f64, &'static str),
    /// Of all words, how many are function words.
    pub(super) function_share: f64,
    /// Comma, full stop, question mark, exclamation mark, and the quotation marks.
    pub(super) marks: [&'static str; 6],
}

impl Writing {
    pub(super) fn of(script: Script) -> &'static Writing {
        match script {
            Script::Latin => &LATIN,
            Script::Greek => &GREEK,
            Script::Cyrillic => &CYRILLIC,
            Script::Arabic => &ARABIC,
            Script::Hebrew => &HEBREW,
            Script::Devanagari => &DEVANAGARI,
            Script::Han => &HAN,
            Script::Kana => &KANA,
            Script::Hangul => &HANGUL,
        }
    }

    fn syllable(&self, rng: &mut Rng) -> String {
        [self.onsets, self.nuclei, self.codas].map(|list| skewed(list, rng)).concat()
    }
}

static LATIN: Writing = Writing {
    onsets: "t n s r d l m _ c p h v b f g st w tr pr k th qu ch br gr pl sh j",
    nuclei: "e a i o u ea ou ai ie é y ö",
    codas: "_ _ _ _ _ n r s l t m d nd st ng",
    stem: (1, 3),
    prefixes: (0.04, "re in con de un"),
    endings: (0.28, "s ed e ing er es ly al ion"),
    function_share: 0.46,
    marks: [",", ".", "?", "!", "“", "”"],
};

static GREEK: Writing = Writing {
    onsets: "τ ν σ π κ μ ρ λ γ δ _ θ φ χ β στ πρ τρ ξ ζ ψ κρ",
    nuclei: "α ο ι ε η υ ω ου αι ει οι ά ό έ ή",
    codas: "_ _ _ _ ν ρ λ σ μ",
    prefixes: (0.05, "ἐπι κατα συν περι ἀνα"),
    endings: (0.6, "ος ου α ης ον ων ας ει οι ους εται οντες"),
    function_share: 0.38,
    marks: [",", ".", ";", "!", "«", "»"],
    ..LATIN
};

static CYRILLIC: Writing = Writing {
    onsets: "н т с в р л к м д п _ г б з ч ж ш х ст пр тр кр вс сл гр",
    nuclei: "о е а и у я ы ю ё э",
    codas: "_ _ _ _ н т л р с й м ст",
    prefixes: (0.08, "по за на при вы"),
    endings: (0.55, "а о и ы у ой ть ла ого ый ая ли ет ов ами ем"),
    function_share: 0.36,
    marks: [",", ".", "?", "!", "«", "»"],
    ..LATIN
};

static ARABIC: Writing = Writing {
    onsets: "ل م ن ي و ر ه ب ت ك ف ع د ق س ح ا ج ش ص خ ط ض ز ث ذ غ ظ",
    nuclei: "_ _ _ ا ي و",
    codas: "_",
    stem: (2, 4),
    prefixes: (0.35, "ال و ب ل ف وال"),
    endings: (0.3, "ة ه ها ات ين ي نا هم ون"),
    function_share: 0.28,
    marks: ["،", ".", "؟", "!", "«", "»"],
};

static HEBREW: Writing = Writing {
    onsets: "ה י ל א ר מ ב ש נ ת ח ד ע כ ק פ ו ג צ ט ס ז",
    nuclei: "_ _ _ ו י",
    prefixes: (0.35, "ה ו ב ל מ ש כ וה"),
    endings: (0.3, "ים ה ות י ו ת ך נו"),
    marks: [",", ".", "?", "!", "״", "״"],
    ..ARABIC
};

static DEVANAGARI: Writing = Writing {
    onsets: "क र न स म ह त प य ल व द ज ब ग भ च ट थ श ध ड ख घ प्र स्त त्र क्ष ष छ स्व ज्ञ",
    nuclei: "_ _ ा ि ी े ो ु ू ै ौ",
    codas: "_ _ _ _ ं",
    prefixes: (0.06, "अ वि प्र उप सम"),
    endings: (0.3, "ता ना ने यों ते का की में वाला"),
    function_share: 0.4,
    marks: [",", "।", "?", "!", "“", "”"],
    ..LATIN
};

static HAN: Writing = Writing {
    prefixes: (0.0, "_"),
    endings: (0.0, "_"),
    function_share: 0.3,
    marks: ["，", "。", "？", "！", "「", "」"],
    ..LATIN
};

static KANA: Writing = Writing {
    endings: (0.9, "の は を に が と で も た て して った する いる から ない れた ました という まで"),
    function_share: 0.2,
    marks: ["、", "。", "？", "！", "「", "」"],
    ..HAN
};

static HANGUL: Writing = Writing {
    prefixes: (0.0, "_"),
    endings: (
        0.85,
        "을/를 이/가 은/는 에 의 하고 도 했다 하는 에서 으로/로 과/와 한다 이다/다 만 들이 까지 하여",
    ),
    function_share: 0.2,
    ..LATIN
};

/// Characters frequent in Chinese and Japanese; rarer ones come from the whole block.
const COMMON_HAN: &str = "一人大中上日月年生子國三出本分十時行不見二自小事心下地方長前來後水山手五日天名文言間高道同\
    金門女少東西南北家古今入立平正外力花書風物知目口明四六七八九百千萬海石安夜早春秋夏冬先白青赤黒馬車火木土川田村町\
    我他有在是了的這個們為和與之以而其於也者所何如此彼無非可能得去過起坐走食飲酒米父母兄弟友王公主世話說聞問答思想意志\
    愛死命神鬼光色音聲歌朝夕空雲雨雪星原野林森草竹鳥魚犬牛羊虫身頭首面耳足骨血病老若男夫妻親客店城市京都里路舟橋家屋";

/// From the commonest to the rarest, roughly.
const HIRAGANA: &str =
    "いのうとたんしかてるになはをがらこれもでりくすさそあつよきっまだえみめおせけやどわほばへろじ";

fn han_characters(rng: &mut Rng) -> Vec<String> {
    let rare =
        |rng: &mut Rng| char::from_u32(0x4E00 + rng.below(0x51A0) as u32).expect("the block has no gaps");
    let mut common: Vec<char> = COMMON_HAN.chars().collect();
    rng.shuffle(&mut common);
    common.into_iter().chain((0..1_800).map(|_| rare(rng))).map(String::from).collect()
}

/// A precomposed syllable of frequent sounds, numbered as in the Unicode Standard, §3.12.
fn hangul_syllable(rng: &mut Rng) -> String {
    const LEADS: [u32; 16] = [11, 0, 9, 12, 3, 18, 2, 6, 7, 5, 14, 17, 16, 15, 1, 4];
    const VOWELS: [u32; 14] = [0, 20, 18, 8, 4, 13, 6, 1, 5, 9, 17, 12, 2, 11];
    const TAILS: [u32; 10] = [0, 0, 0, 4, 8, 21, 1, 16, 17, 19];
    let frequent = |sounds: &[u32], rng: &mut Rng| sounds[skewed_index(sounds.len(), rng)];
    let (lead, vowel, tail) = (frequent(&LEADS, rng), frequent(&VOWELS, rng), frequent(&TAILS, rng));
    char::from_u32(0xAC00 + (lead * 21 + vowel) * 28 + tail).expect("a precomposed syllable").to_string()
}

fn pairs(text: &str) -> Vec<String> {
    text.chars().zip(text.chars().skip(1)).map(|(a, b)| String::from_iter([a, b])).collect()
}

fn katakana(hiragana: char) -> char {
    char::from_u32(hiragana as u32 + 0x60).expect("the two blocks run in parallel")
}

/// Of a particle with two forms, the one that fits the stem's last sound.
pub(super) fn ending_after<'e>(stem: &str, ending: &'e str) -> &'e str {
    let Some((after_consonant, after_vowel)) = ending.split_once('/') else { return ending };
    let last = stem.chars().next_back().map_or(0, |c| c as u32);
    if (0xAC00..=0xD7A3).contains(&last) && !(last - 0xAC00).is_multiple_of(28) {
        after_consonant
    } else {
        after_vowel
    }
}

/// Greek sigma and five Hebrew letters look otherwise at the end of a word.
pub(super) fn with_final_form(mut word: String) -> String {
    let Some(last) = word.chars().next_back() else { return word };
    let final_form = match last {
        'σ' => 'ς',
        'כ' => 'ך',
        'מ' => 'ם',
        'נ' => 'ן',
        'פ' => 'ף',
        'צ' => 'ץ',
        _ => return word,
    };
    word.pop();
    word.push(final_form);
    word
}

/// One item of a list, the first ones much more often.
pub(super) fn skewed<'a>(list: &'a str, rng: &mut Rng) -> &'a str {
    let item =
        list.split(' ').nth(skewed_index(list.split(' ').count(), rng)).expect("the index is in the list");
    if item == "_" { "" } else { item }
}

pub(super) fn skewed_index(len: usize, rng: &mut Rng) -> usize {
    let end = 1 + rng.below(len);
    rng.below(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn korean_particles_follow_the_last_sound() {
        assert_eq!(ending_after("책", "은/는"), "은");
        assert_eq!(ending_after("나무", "은/는"), "는");
        assert_eq!(ending_after("나무", "에"), "에");
    }

    #[test]
    fn a_word_ends_in_the_final_letter() {
        assert_eq!(with_final_form("λογοσ".into()), "λογος");
        assert_eq!(with_final_form("שלומ".into()), "שלום");
        assert_eq!(with_final_form("word".into()), "word");
    }
}
