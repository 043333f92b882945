//! The code pages of RTF: by the number of the page, or by the character set of a font.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, IBM866, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258, X_MAC_CYRILLIC,
};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CodePage {
    /// As the Encoding Standard has it.
    Web(&'static Encoding),
    /// A code page of DOS, by its number.
    Dos(u16),
}

impl CodePage {
    /// Western Windows: what RTF means where it says nothing.
    pub(super) const ANSI: CodePage = CodePage::Web(WINDOWS_1252);
    /// Western Macintosh.
    pub(super) const MAC: CodePage = CodePage::Web(MACINTOSH);

    /// A code page by the number Windows gave it.
    pub(super) fn numbered(number: i32) -> Option<CodePage> {
        let page = match number {
            866 => IBM866,
            874 => WINDOWS_874,
            932 | 10001 => SHIFT_JIS,
            936 | 10008 => GBK,
            // Johab, 1361, is not known to the Encoding Standard.
            949 | 10003 => EUC_KR,
            950 | 10002 => BIG5,
            1250 | 10029 => WINDOWS_1250,
            1251 => WINDOWS_1251,
            1252 => WINDOWS_1252,
            1253 => WINDOWS_1253,
            1254 => WINDOWS_1254,
            1255 => WINDOWS_1255,
            1256 => WINDOWS_1256,
            1257 => WINDOWS_1257,
            1258 => WINDOWS_1258,
            10000 => MACINTOSH,
            10007 => X_MAC_CYRILLIC,
            65001 => UTF_8,
            _ => return dos(u16::try_from(number).ok()?),
        };
        Some(CodePage::Web(page))
    }

    /// The code page of a font's character set; `None` where the document's holds.
    pub(super) fn of_charset(charset: i32) -> Option<CodePage> {
        let number = match charset {
            0 | 2 => 1252,
            77 => 10000,
            78 => 10001,
            79 => 10003,
            80 => 10008,
            81 => 10002,
            83 => 1255,
            84 => 1256,
            85 => 1253,
            86 => 1254,
            87 => 874,
            88 => 10029,
            89 => 10007,
            128 => 932,
            129 | 130 => 949,
            134 => 936,
            136 => 950,
            161 => 1253,
            162 => 1254,
            163 => 1258,
            177 => 1255,
            178..=180 => 1256,
            186 => 1257,
            204 => 1251,
            222 => 874,
            238 => 1250,
            254 => 437,
            255 => 850,
            _ => return None,
        };
        CodePage::numbered(number)
    }

    /// Adds the characters of some bytes.
    pub(super) fn decode_to(self, bytes: &[u8], to: &mut String) {
        match self {
            CodePage::Web(encoding) => to.push_str(&encoding.decode_without_bom_handling(bytes).0),
            CodePage::Dos(number) => {
                let Some(table) = DECODING_TABLE_CP_MAP.get(&number) else { return };
                to.push_str(&table.decode_string_lossy(bytes));
            }
        }
    }
}

fn dos(number: u16) -> Option<CodePage> {
    DECODING_TABLE_CP_MAP.contains_key(&number).then_some(CodePage::Dos(number))
}
