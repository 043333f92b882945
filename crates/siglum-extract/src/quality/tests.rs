use super::*;
use proptest::prelude::*;

const CLEAN: [(&str, &str); 14] = [
    (
        "en",
        "The old man walked down to the river on the 1st of May and sat there for a while, looking at the water; \
            he didn't say a word, and the boys who'd followed him went home in the evening without an answer.",
    ),
    (
        "de",
        "Der alte Mann ging zum Fluss hinunter und saß dort eine Weile; er sah auf das Wasser und schwieg, und die \
            Kinder, die ihm gefolgt waren, kehrten am Abend ohne eine Antwort nach Hause zurück.",
    ),
    (
        "fr",
        "Le vieil homme descendit jusqu'à la rivière et s'assit au bord de l'eau sans rien dire ; les enfants qui \
            l'avaient suivi rentrèrent chez eux le soir sans avoir obtenu de réponse.",
    ),
    (
        "pl",
        "Stary człowiek zszedł nad rzekę i długo siedział na brzegu, patrząc w ciemną wodę; dzieci, które szły za \
            nim, wróciły wieczorem do domu bez odpowiedzi.",
    ),
    (
        "hu",
        "Az öregember lement a patakhoz, és sokáig ült a parton, nézte a sötét vizet; a gyerekek, akik utána mentek, \
            este válasz nélkül tértek haza.",
    ),
    (
        "ru",
        "Старик спустился к реке и долго сидел на берегу, глядя на тёмную воду; дети, которые шли за ним, вечером \
            вернулись домой без ответа.",
    ),
    (
        "ru",
        "Старикъ спустился къ рѣкѣ и долго сидѣлъ на берегу, глядя на темную воду; дѣти вечеромъ вернулись домой \
            безъ отвѣта.",
    ),
    (
        "el",
        "Ο γέρος κατέβηκε στο ποτάμι και κάθισε για ώρα στην όχθη κοιτάζοντας το σκοτεινό νερό· τα παιδιά γύρισαν \
            το βράδυ στο σπίτι χωρίς απάντηση.",
    ),
    (
        "nl",
        "De oude man liep naar de rivier en bleef daar lang zitten, kijkend naar het donkere water; de kinderen die \
            hem gevolgd waren gingen 's avonds zonder antwoord naar huis.",
    ),
    (
        "he",
        "הזקן ירד אל הנהר וישב שם זמן רב על שפת המים, מביט אל תוך החושך; הילדים שהלכו אחריו חזרו בערב הביתה בלי תשובה.",
    ),
    (
        "ar",
        "نزل الرجل العجوز إلى النهر وجلس هناك وقتا طويلا ينظر إلى الماء المظلم، ورجع الأولاد الذين تبعوه في المساء بلا جواب.",
    ),
    (
        "hi",
        "बूढ़ा आदमी नदी के किनारे गया और वहाँ देर तक बैठा रहा, पानी को देखता रहा। बच्चे जो उसके पीछे आए थे, शाम को घर लौट गए।",
    ),
    (
        "ja",
        "老人は川まで歩いて行き、しばらくそこに座って水を眺めていた。後をついて来た子供たちは、夕方になると答えを\
            もらえないまま家へ帰った。それから何年も経って、村には橋が架けられた。",
    ),
    (
        "zh",
        "老人走到河边，在那里坐了很久，看着流水，想起了从前的日子。跟着他来的孩子们到了傍晚，没有得到回答，就各自回家\
            去了。后来过了许多年，村里修起了一座桥，谁也不记得他了。河水还是一样地流。",
    ),
];

/// One letter in so many becomes what a reading machine makes of it.
fn damaged(text: &str, every: usize) -> String {
    let wrong = ['1', 'j', '^', 'q', 'X', ' ', '|', 'z', ';', 'v', '0'];
    let wrong_at = |at: usize| (at % every == every - 1).then(|| wrong[at / every % wrong.len()]);
    text.chars().enumerate().map(|(at, c)| wrong_at(at).filter(|_| c != ' ').unwrap_or(c)).collect()
}

#[test]
fn clean_text_of_any_script_is_near_one() {
    for (language, text) in CLEAN {
        let score = score(text, Some(language)).unwrap();
        assert!(score > 0.93, "{language} {score}");
    }
}

#[test]
fn a_language_need_not_be_known() {
    for (language, text) in CLEAN {
        let score = score(text, None).unwrap();
        assert!(score > 0.93, "{language} {score}");
    }
}

#[test]
fn the_score_falls_with_damage() {
    for (language, text) in &CLEAN[..9] {
        let text = format!("{text} ").repeat(5);
        let scores = [1000, 40, 15, 7].map(|every| score(&damaged(&text, every), Some(language)).unwrap());
        assert!(scores.is_sorted_by(|more, less| more > less), "{language} {scores:?}");
        assert!(scores[3] < 0.75, "{language} {scores:?}");
    }
}

#[test]
fn unmapped_characters_cost_in_any_script() {
    for (language, text) in CLEAN {
        let broken: String =
            text.chars().enumerate().map(|(n, c)| if n % 5 == 0 { '\u{fffd}' } else { c }).collect();
        assert!(score(&broken, Some(language)).unwrap() < 0.6, "{language}");
    }
}

#[test]
fn letters_that_became_question_marks_cost_in_any_script() {
    for (language, text) in CLEAN {
        let base = score(text, Some(language)).unwrap();
        let lost = |c: char| if c.is_alphabetic() && !c.is_ascii() { '?' } else { c };
        let broken: String = text.chars().map(lost).collect();
        let n_lost = broken.matches('?').count() - text.matches('?').count();
        if n_lost * 50 > text.chars().count() {
            let score = score(&broken, Some(language)).unwrap();
            assert!(score < base - 0.02, "{language}: {score} is not below {base}");
        }
    }
}

#[test]
fn escapes_and_letters_in_the_wrong_encoding_cost() {
    let clean = "the words of this text are as clean as words can be and there are many ";
    let base = score(&clean.repeat(4), Some("en")).unwrap();
    for odd in ["\\u05d9", "&eacute;", "cafÃ©", "c?ar"] {
        let with = format!("{clean} {odd} ").repeat(4);
        assert!(score(&with, Some("en")).unwrap() < base, "{odd}");
    }
}

#[test]
fn what_is_mixed_in_a_word_costs() {
    let clean = "the words of this text are as clean as words can be and there are many ";
    let base = score(&clean.repeat(4), Some("en")).unwrap();
    for odd in ["w1th", "tHe", "wоrd", "THe", "re^d", "Zürсhеr"] {
        let with = format!("{clean} {odd} ").repeat(4);
        assert!(score(&with, Some("en")).unwrap() < base, "{odd}");
    }
    for even in ["1st", "MPs", "theory12", "i.e.", "and/or", "x-ray", "O'Brien", "(2)"] {
        let with = format!("{clean} {even} ").repeat(4);
        assert_eq!(score(&with, Some("en")), Some(base), "{even}");
    }
}

#[test]
fn letters_spaced_apart_cost() {
    let spaced: String = CLEAN[0].1.chars().flat_map(|c| [c, ' ']).collect();
    assert!(score(&spaced, Some("en")).unwrap() < 0.8);
}

#[test]
fn a_short_text_is_not_judged() {
    assert_eq!(score("Chapter I", Some("en")), None);
    assert_eq!(text_score(["", "Chapter I"].into_iter(), None), None);
}

#[test]
fn a_book_is_judged_by_its_pages_together() {
    let (clean, bad) = (CLEAN[0].1.to_owned(), damaged(CLEAN[0].1, 6));
    let (book, pages) = page_scores([clean.as_str(), bad.as_str()].into_iter(), Some("en"));
    assert_eq!(pages, [score(&clean, Some("en")), score(&bad, Some("en"))]);
    assert!(pages[1] < book && book < pages[0]);
    let many = vec![clean.as_str(); 1000];
    assert_eq!(text_score(many.iter().copied(), Some("en")), score(&clean, Some("en")));
    assert_eq!(page_scores(many.into_iter(), Some("en")).0, score(&clean, Some("en")));
}

proptest! {
    #[test]
    fn any_text_has_a_score_from_zero_to_one(text in "\\PC{0,400}", language in "[a-z]{2}") {
        let score = score(&text, Some(&language)).unwrap_or(0.5);
        prop_assert!((0.0..=1.0).contains(&score));
    }
}
