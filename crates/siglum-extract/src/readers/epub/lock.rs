//! Whether a book is locked. Fonts may be obfuscated; chapters may not.

use super::files::Files;
use crate::failure::{Failure, Reason};
use crate::input::extension;
use crate::readers::reference::percent_decoded;
use crate::xml::{Piece, Xml};

/// Algorithms that only obfuscate fonts: IDPF's and Adobe's.
const FONT_ALGORITHMS: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
/// Files by which rights are managed: Adobe's, Readium's, Apple's.
const RIGHTS: [&str; 3] = ["META-INF/rights.xml", "META-INF/license.lcpl", "META-INF/sinf.xml"];

/// Refuses a book whose chapters are encrypted. Rights may be managed for a book that is not: it is read.
pub(super) fn check(files: &mut Files<'_>) -> Result<(), Failure> {
    let is_encrypted = match files.read_xml("META-INF/encryption.xml")? {
        Some(text) => encrypts_text(&text),
        // Whether anything is encrypted cannot be told.
        None => files.has("META-INF/encryption.xml") && RIGHTS.iter().any(|name| files.has(name)),
    };
    if is_encrypted {
        return Err(Failure::new(Reason::Drm, "locked to a device or an account (DRM)"));
    }
    Ok(())
}

fn encrypts_text(encryption: &str) -> bool {
    let mut xml = Xml::new(encryption);
    let mut algorithm = None;
    while let Ok(Some(piece)) = xml.next() {
        let Piece::Open(tag) = piece else { continue };
        match tag.local() {
            "EncryptedData" => algorithm = None,
            // The key of the key has an algorithm too; the first is the data's.
            "EncryptionMethod" => algorithm = algorithm.or(tag.attribute("Algorithm")),
            "CipherReference" => {
                let is_obfuscation = algorithm.as_deref().is_some_and(|name| FONT_ALGORITHMS.contains(&name));
                let uri = percent_decoded(&tag.attribute("URI").unwrap_or_default());
                let is_font = matches!(extension(&uri).as_str(), "ttf" | "otf" | "woff" | "woff2" | "ttc");
                if !is_obfuscation && !is_font {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encryption(algorithm: &str, uri: &str) -> String {
        format!(
            "<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm='{algorithm}'/><enc:CipherData>
            <enc:CipherReference URI='{uri}'/></enc:CipherData></enc:EncryptedData></encryption>"
        )
    }

    #[test]
    fn fonts_may_be_obfuscated_and_chapters_not_encrypted() {
        let aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
        assert!(!encrypts_text(&encryption(FONT_ALGORITHMS[0], "fonts/a.otf")));
        assert!(!encrypts_text(&encryption(FONT_ALGORITHMS[1], "fonts/a.dat")));
        assert!(encrypts_text(&encryption(aes, "text/a.xhtml")));
        assert!(!encrypts_text(&encryption(aes, "fonts/a.ttf")));
        let mixed = encryption(FONT_ALGORITHMS[0], "a.otf") + &encryption(aes, "a.xhtml");
        assert!(encrypts_text(&mixed));
    }
}
