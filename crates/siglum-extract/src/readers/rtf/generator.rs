//! Which program wrote an RTF file: what its `generator` group says, or how its font table looks.

use crate::origin;
use memchr::memmem;
use siglum::Origin;

/// How far into a file the group may begin.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// The longest name that is read.
const MAX_NAME_BYTES: usize = 200;
const GENERATOR: &[u8] = b"{\\*\\generator ";
/// calibre names itself nowhere; it begins every file with this font table, which lists one font twice.
const CALIBRE_FONTS: &[u8] =
    b"{\\f0\\froman\\fprq2\\fcharset128 Times New Roman;}{\\f1\\froman\\fprq2\\fcharset128 Times New Roman;}";

pub(super) fn origin(bytes: &[u8]) -> Origin {
    let head = &bytes[..bytes.len().min(MAX_HEAD_BYTES)];
    if memmem::find(head, CALIBRE_FONTS).is_some() {
        return origin::made_by("calibre");
    }
    let Some(at) = memmem::find(head, GENERATOR) else { return Origin::default() };
    let rest = &head[at + GENERATOR.len()..];
    let name =
        rest.iter().take(MAX_NAME_BYTES).take_while(|byte| !matches!(byte, b';' | b'{' | b'}' | b'\\'));
    origin::made_by(&String::from_utf8_lossy(&name.copied().collect::<Vec<u8>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_program_or_looks_like_one_of_calibre() {
        let of = |rtf: &[u8]| origin(rtf).made_by;
        assert_eq!(of(b"{\\rtf1{\\*\\generator Riched20 10.0;}x}").as_deref(), Some("Riched20 10.0"));
        let calibre = [b"{\\rtf1\\ansi{\\fonttbl".as_slice(), CALIBRE_FONTS, b"}x}"].concat();
        assert!(origin(&calibre).is_conversion);
        assert_eq!(of(b"{\\rtf1 x}"), None);
        assert_eq!(of(b"{\\rtf1{\\*\\generator "), None);
    }
}
