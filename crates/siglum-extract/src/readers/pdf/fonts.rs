//! The fonts of a document: what its character codes mean and how wide they are.
//!
//! hayro-font reads the font; here are the gaps it leaves. A CID font that is embedded without a `ToUnicode` map is
//! read through the character collection it was made from, and `/ToUnicode /Identity-H` means that codes are Unicode.
//! Where a file says nothing, the number in a glyph's name or the map in an embedded font may.
//! Every code of a font is looked up once.

use super::chars::{UNMAPPED, numbered, text_of};
use super::sfnt::chars_of_glyphs;
use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_font::{
    CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, GlyphId, StandardFont,
};
use hayro_syntax::object::{Array, Dict, Name, ObjRef, Object, Stream, String as PdfString};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Names of an encoding that are looked at; it has 256 codes.
const MAX_DIFFERENCES: usize = 1024;

/// How wide the glyphs of a font that cannot be loaded are taken to be.
const LOST_ADVANCE: f32 = 500.0;
/// Codes a table of widths may cover, those covered twice counted twice: there are 65,536.
const MAX_WIDTHS: u64 = 4_000_000;

/// What the texts of glyphs of more than one character may add up to.
const MAX_STRING_BYTES: usize = 64 << 20;

/// The fonts of a document, each loaded once.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    by_ref: BTreeMap<(u32, i32), usize>,
    by_place: BTreeMap<usize, usize>,
    fonts: Vec<TextFont<'a>>,
    collections: Vec<(CidFamily, Option<Rc<CMap>>)>,
    strings: Vec<Box<str>>,
    n_string_bytes: usize,
}

/// What is known of one code of a font.
#[derive(Debug, Clone, Copy)]
pub(super) struct Code {
    /// How far the pen moves, in thousandths of the font's size.
    pub(super) advance: f32,
    /// Its text, or the beginning of it.
    pub(super) c: char,
    /// Its whole text, where it is more than one character: see [`Fonts::string`].
    pub(super) string: u32,
}

/// A font, and what was looked up in it.
pub(super) struct TextFont<'a> {
    font: Option<Font<'a>>,
    width: CodeWidth,
    is_horizontal: bool,
    em: f32,
    unicode_is_code: bool,
    cids: Option<Cids>,
    numbers: Option<Box<[u8; 256]>>,
    /// The map of a composite font that cannot be loaded otherwise.
    lost: Option<CMap>,
    is_embedded: bool,
    glyph_chars: OnceCell<BTreeMap<u32, char>>,
    pages: Vec<Option<Box<[Option<Code>; 256]>>>,
}

/// How many bytes a code has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeWidth {
    One,
    Two,
    ByMap,
}

/// The way from a code to Unicode through a character collection.
struct Cids {
    encoding: CMap,
    unicode: Rc<CMap>,
}

impl<'a> Fonts<'a> {
    pub(super) fn new() -> Fonts<'a> {
        Fonts {
            cache: FontCache::new(),
            font_resolver: Arc::new(|query| {
                Some(match query {
                    FontQuery::Standard(font) => font.get_font_data(),
                    FontQuery::Fallback(query) => query.pick_standard_font().get_font_data(),
                })
            }),
            cmap_resolver: Arc::new(load_embedded),
            by_ref: BTreeMap::new(),
            by_place: BTreeMap::new(),
            fonts: Vec::new(),
            collections: Vec::new(),
            strings: Vec::new(),
            n_string_bytes: 0,
        }
    }

    /// The font of a name in a page's or form's resources.
    pub(super) fn find(&mut self, fonts: &Dict<'a>, name: &[u8]) -> Option<usize> {
        let key = fonts.get_ref(name).map(|ObjRef { obj_number, gen_number }| (obj_number, gen_number));
        if let Some(known) = key.and_then(|key| self.by_ref.get(&key)) {
            return Some(*known);
        }
        let at = self.find_dict(&fonts.get::<Dict<'a>>(name)?);
        if let Some(key) = key {
            self.by_ref.insert(key, at);
        }
        Some(at)
    }

    /// A font that has no name.
    pub(super) fn find_dict(&mut self, dict: &Dict<'a>) -> usize {
        // The bytes of a dictionary stay where they are as long as the document is open.
        let key = dict.data().as_ptr() as usize;
        if let Some(known) = self.by_place.get(&key) {
            return *known;
        }
        let font = self.load(dict);
        self.fonts.push(font);
        self.by_place.insert(key, self.fonts.len() - 1);
        self.fonts.len() - 1
    }

    /// Whether its lines run across the page rather than down.
    pub(super) fn is_horizontal(&self, font: usize) -> bool {
        self.fonts[font].is_horizontal
    }

    /// How much larger or smaller than its nominal size the font is: not 1 for Type 3 fonts only.
    pub(super) fn em(&self, font: usize) -> f32 {
        self.fonts[font].em
    }

    /// The next code of a shown string, and how many bytes it takes.
    pub(super) fn next_code(&self, font: usize, bytes: &[u8], at: usize) -> (u32, usize) {
        let font = &self.fonts[font];
        match (font.width, &font.font) {
            (CodeWidth::Two, _) if at + 1 < bytes.len() => {
                (u32::from(bytes[at]) << 8 | u32::from(bytes[at + 1]), 2)
            }
            (CodeWidth::ByMap, Some(mapped)) => {
                let (code, n) = mapped.read_code(bytes, at);
                (code, n.max(1))
            }
            _ => (u32::from(bytes[at]), 1),
        }
    }

    /// What is known of a code.
    pub(super) fn code(&mut self, font: usize, code: u32) -> Code {
        let (page, slot) = ((code >> 8) as usize, (code & 0xFF) as usize);
        if let Some(Some(codes)) = self.fonts[font].pages.get(page)
            && let Some(known) = codes[slot]
        {
            return known;
        }
        let found = self.look_up(font, code);
        if page <= 0xFF {
            let pages = &mut self.fonts[font].pages;
            if pages.len() <= page {
                pages.resize_with(page + 1, || None);
            }
            pages[page].get_or_insert_with(|| Box::new([None; 256]))[slot] = Some(found);
        }
        found
    }

    /// The whole text of a code of more than one character.
    pub(super) fn string(&self, string: u32) -> Option<&str> {
        self.strings.get((string as usize).checked_sub(1)?).map(AsRef::as_ref)
    }

    /// Keeps a text of more than one character; its number is 0 where there is no more room.
    pub(super) fn keep(&mut self, text: &str) -> u32 {
        self.n_string_bytes += text.len() + size_of::<Box<str>>();
        if self.n_string_bytes > MAX_STRING_BYTES {
            return 0;
        }
        self.strings.push(text.into());
        self.strings.len() as u32
    }

    fn look_up(&mut self, font: usize, code: u32) -> Code {
        let font = &self.fonts[font];
        let (advance, said) = match &font.font {
            Some(known) => {
                let advance = known.code_advance(code);
                let advance = if font.is_horizontal { advance.x } else { advance.y } as f32;
                (advance, font.unicode(known, code))
            }
            None => (LOST_ADVANCE, font.lost_unicode(code)),
        };
        let advance = if advance.is_finite() { advance } else { 0.0 };
        let Some(text) = said.and_then(|said| text_of(&said)) else {
            return Code { advance, c: UNMAPPED, string: 0 };
        };
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (None, _) => Code { advance, c: '\0', string: 0 },
            (Some(c), None) => Code { advance, c, string: 0 },
            (Some(c), Some(_)) => Code { advance, c, string: self.keep(&text) },
        }
    }

    fn load(&mut self, dict: &Dict<'a>) -> TextFont<'a> {
        let subtype = dict.get::<Name<'_>>(b"Subtype");
        let is_composite = subtype.as_deref() == Some(b"Type0");
        let loaded = Some(dict)
            .filter(|dict| is_bounded(dict))
            .and_then(|dict| self.cache.font(dict, &self.font_resolver, &self.cmap_resolver));
        let font = match loaded {
            None if !is_composite => self.cache.standard_font(StandardFont::TimesRoman, &self.font_resolver),
            loaded => loaded,
        };
        let em = if subtype.as_deref() == Some(b"Type3") { type3_em(dict) } else { 1.0 };
        let to_unicode = dict.get::<Name<'_>>(b"ToUnicode");
        TextFont {
            lost: if font.is_none() { to_unicode_map(dict) } else { None },
            width: if font.is_none() && is_composite {
                CodeWidth::Two
            } else if is_composite {
                code_width(dict)
            } else {
                CodeWidth::One
            },
            is_horizontal: font.as_ref().is_none_or(Font::is_horizontal),
            unicode_is_code: to_unicode.is_some_and(|name| name.starts_with(b"Identity")),
            cids: if is_composite { self.cids(dict) } else { None },
            numbers: if is_composite { None } else { numbers(dict) },
            is_embedded: is_embedded(dict),
            glyph_chars: OnceCell::new(),
            pages: Vec::new(),
            font,
            em,
        }
    }

    /// How to read a composite font through its character collection.
    fn cids(&mut self, dict: &Dict<'a>) -> Option<Cids> {
        let encoding = match dict.get::<Object<'_>>(b"Encoding")? {
            Object::Name(name) => named_cmap(CMapName::from_bytes(&name))?,
            Object::Stream(stream) => CMap::parse(&stream.decoded_data().ok()?, load_embedded)?,
            _ => return None,
        };
        let of_encoding =
            encoding.metadata().character_collection.clone().map(|collection| collection.family);
        let family = of_encoding
            .filter(|family| *family != CidFamily::AdobeIdentity)
            .or_else(|| descendant_family(dict))?;
        Some(Cids { encoding, unicode: self.collection(family)? })
    }

    /// The map from a character collection to Unicode.
    fn collection(&mut self, family: CidFamily) -> Option<Rc<CMap>> {
        if let Some((_, map)) = self.collections.iter().find(|(known, _)| *known == family) {
            return map.clone();
        }
        let name = family.ucs2_cmap()?;
        let map = load_embedded(name).and_then(|data| CMap::parse(data, load_embedded)).map(Rc::new);
        self.collections.push((family, map.clone()));
        map
    }
}

impl<'a> TextFont<'a> {
    /// What a code stands for.
    fn unicode(&self, font: &Font<'a>, code: u32) -> Option<String> {
        if self.unicode_is_code {
            return char::from_u32(code).map(String::from);
        }
        let said = match font.glyph(GlyphId::NOTDEF, code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        said.filter(|said| *said != BfString::Char('\0'))
            .or_else(|| self.by_collection(code))
            .or_else(|| self.by_number(code))
            .or_else(|| self.by_program(font, code))
            .map(text)
    }

    /// What the embedded font itself says of the glyph that a code draws.
    fn by_program(&self, font: &Font<'a>, code: u32) -> Option<BfString> {
        if !self.is_embedded {
            return None;
        }
        let glyph = font.map_code(code);
        let chars = self.glyph_chars.get_or_init(|| match font.glyph(glyph, code) {
            FontGlyph::Outline(glyph) => {
                glyph.font_data().map(|program| chars_of_glyphs((*program.data).as_ref())).unwrap_or_default()
            }
            FontGlyph::Type3(_) => BTreeMap::new(),
        });
        chars.get(&glyph.to_u32()).copied().map(BfString::Char)
    }

    fn by_number(&self, code: u32) -> Option<BfString> {
        let number = *self.numbers.as_ref()?.get(code as usize)?;
        numbered(number).map(BfString::Char)
    }

    /// What a code of a font that cannot be loaded stands for.
    fn lost_unicode(&self, code: u32) -> Option<String> {
        if self.unicode_is_code {
            return char::from_u32(code).map(String::from);
        }
        let mapped = self.lost.as_ref().and_then(|map| map.lookup_bf_string(code));
        mapped.or_else(|| self.by_collection(code)).map(text)
    }

    fn by_collection(&self, code: u32) -> Option<BfString> {
        let cids = self.cids.as_ref()?;
        let cid = (1..=4).find_map(|n_bytes| cids.encoding.lookup_cid_code(code, n_bytes))?;
        cids.unicode.lookup_bf_string(cid)
    }
}

/// Whether a font's program is in the file.
fn is_embedded(dict: &Dict<'_>) -> bool {
    let descendants = dict.get::<Array<'_>>(b"DescendantFonts");
    let descendant = descendants.and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let descriptor =
        descendant.as_ref().unwrap_or(dict).get::<Dict<'_>>(b"FontDescriptor").unwrap_or_default();
    descriptor.contains_key(b"FontFile2") || descriptor.contains_key(b"FontFile3")
}

/// Whether a font's tables of widths are as large as they may be: hayro-font fills in every code they claim.
fn is_bounded(dict: &Dict<'_>) -> bool {
    let first = dict.get::<i64>(b"FirstChar").unwrap_or(0);
    let descendants = dict.get::<Array<'_>>(b"DescendantFonts");
    let descendant = descendants.and_then(|fonts| fonts.iter::<Dict<'_>>().next()).unwrap_or_default();
    let is_table_bounded = |key: &[u8], n_values: usize| {
        descendant.get::<Array<'_>>(key).is_none_or(|table| n_widths(&table, n_values) <= MAX_WIDTHS)
    };
    (0..=255).contains(&first) && is_table_bounded(b"W", 1) && is_table_bounded(b"W2", 3)
}

/// How many codes a table of widths covers: `c [w ...]` or `first last w`, with `n` values in place of one `w` in `W2`.
fn n_widths(table: &Array<'_>, n_values: usize) -> u64 {
    let mut n_widths = 0_u64;
    let mut numbers: Vec<i64> = Vec::new();
    for object in table.iter::<Object<'_>>() {
        let Object::Number(number) = object else {
            numbers.clear();
            continue;
        };
        numbers.push(number.as_i64());
        if numbers.len() == 2 + n_values {
            n_widths = n_widths.saturating_add(numbers[1].saturating_sub(numbers[0]).max(1) as u64);
            numbers.clear();
        }
    }
    n_widths
}

/// The numbers of glyphs that are named by number, as in the bitmap fonts TeX makes; 0 for others.
fn numbers(dict: &Dict<'_>) -> Option<Box<[u8; 256]>> {
    let differences = dict.get::<Dict<'_>>(b"Encoding")?.get::<Array<'_>>(b"Differences")?;
    let mut numbers = Box::new([0; 256]);
    let mut code = 0_usize;
    for object in differences.iter::<Object<'_>>().take(MAX_DIFFERENCES) {
        match object {
            Object::Number(first) => code = usize::try_from(first.as_i64()).unwrap_or(usize::MAX),
            Object::Name(name) => {
                if let (Some(slot), Some(number)) = (numbers.get_mut(code), number_of(&name)) {
                    *slot = number;
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    Some(numbers)
}

/// `a65` is 65: one letter and a decimal number.
fn number_of(name: &[u8]) -> Option<u8> {
    let [letter, digits @ ..] = name else { return None };
    if !letter.is_ascii_alphabetic() || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn text(said: BfString) -> String {
    match said {
        BfString::Char(c) => c.to_string(),
        BfString::String(text) => text,
    }
}

fn named_cmap(name: CMapName<'_>) -> Option<CMap> {
    match name {
        CMapName::IdentityH => Some(CMap::identity_h()),
        CMapName::IdentityV => Some(CMap::identity_v()),
        name => CMap::parse(load_embedded(name)?, load_embedded),
    }
}

fn to_unicode_map(dict: &Dict<'_>) -> Option<CMap> {
    let stream = dict.get::<Stream<'_>>(b"ToUnicode")?;
    CMap::parse(&super::content::decoded(&stream), load_embedded)
}

fn descendant_family(dict: &Dict<'_>) -> Option<CidFamily> {
    let descendant = dict.get::<Array<'_>>(b"DescendantFonts")?.iter::<Dict<'_>>().next()?;
    let info = descendant.get::<Dict<'_>>(b"CIDSystemInfo")?;
    let (registry, ordering) =
        (info.get::<PdfString<'_>>(b"Registry")?, info.get::<PdfString<'_>>(b"Ordering")?);
    Some(CidFamily::from_registry_ordering(&registry, &ordering))
}

fn code_width(dict: &Dict<'_>) -> CodeWidth {
    match dict.get::<Name<'_>>(b"Encoding") {
        Some(name) if matches!(&*name, b"Identity-H" | b"Identity-V") => CodeWidth::Two,
        _ => CodeWidth::ByMap,
    }
}

/// The em of a Type 3 font, whose size says nothing: twice the mean width of its glyphs.
fn type3_em(dict: &Dict<'_>) -> f32 {
    let matrix = dict.get::<[f32; 6]>(b"FontMatrix").unwrap_or([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]);
    let widths =
        dict.get::<Array<'_>>(b"Widths").map(|widths| widths.iter::<f32>().take(256).collect::<Vec<_>>());
    let widths: Vec<f32> = widths.unwrap_or_default().into_iter().filter(|width| *width > 0.0).collect();
    let mean = widths.iter().sum::<f32>() / widths.len().max(1) as f32;
    let em = 2.0 * mean * matrix[0].abs();
    if em.is_finite() && em > 0.0 { em } else { 1.0 }
}
