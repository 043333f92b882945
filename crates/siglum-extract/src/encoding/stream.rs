//! Bytes that come piece by piece, decoded as they come.

use super::charset::Charset;
use super::{Decoded, charset_of, wide};
use crate::failure::Failure;

/// Decodes what does not come all at once.
pub(crate) struct Decoder {
    charset: Charset,
    /// The decoder of an encoding of the Encoding Standard, which keeps a character that was cut.
    web: Option<encoding_rs::Decoder>,
    /// What was cut, in other encodings: less than a line, or than a unit.
    cut: Vec<u8>,
}

/// A line longer than this is decoded without waiting for its end; one character may be lost there.
const MAX_CUT_BYTES: usize = 1 << 20;

impl Decoder {
    /// The decoder by a name, a declaration or what the first bytes look like, and the length of a byte order mark.
    /// None is needed for UTF-8.
    pub(crate) fn of(
        head: &[u8],
        forced: Option<&str>,
        declared: Option<&str>,
    ) -> Result<(Option<Decoder>, usize), Failure> {
        let charset = charset_of(head, forced, declared)?;
        let n_mark =
            wide::mark(head).filter(|(marked, _)| *marked == charset).map_or(0, |(_, n_mark)| n_mark);
        let web = match charset {
            Charset::Web(encoding) => Some(encoding.new_decoder_without_bom_handling()),
            _ => None,
        };
        let decoder = (charset != Charset::UTF_8).then(|| Decoder { charset, web, cut: Vec::new() });
        Ok((decoder, n_mark))
    }

    /// Adds what bytes stand for to `text`; what is cut at their end waits for more, unless they are the last.
    pub(crate) fn decode(&mut self, bytes: &[u8], is_last: bool, text: &mut Vec<u8>) {
        if let Some(web) = &mut self.web {
            return by_web(web, bytes, is_last, text);
        }
        self.cut.extend_from_slice(bytes);
        let whole = if is_last { self.cut.len() } else { self.whole() };
        let Decoded { text: decoded, .. } = self.charset.decode(&self.cut[..whole]);
        text.extend_from_slice(decoded.as_bytes());
        self.cut.drain(..whole);
    }

    /// How many bytes can be decoded without those that follow: all lines, or all units.
    fn whole(&self) -> usize {
        if self.charset.is_wide() {
            return self.cut.len() & !3;
        }
        let after_line = self.cut.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if after_line == 0 && self.cut.len() > MAX_CUT_BYTES { self.cut.len() } else { after_line }
    }
}

fn by_web(decoder: &mut encoding_rs::Decoder, bytes: &[u8], is_last: bool, text: &mut Vec<u8>) {
    let most = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16);
    let start = text.len();
    text.resize(start + most, 0);
    let (_, _, n_written, _) = decoder.decode_to_utf8(bytes, &mut text[start..], is_last);
    text.truncate(start + n_written);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding;

    fn in_pieces(bytes: &[u8], n: usize, forced: Option<&str>) -> String {
        let (decoder, n_mark) = Decoder::of(bytes, forced, None).unwrap();
        let mut decoder = decoder.expect("not UTF-8");
        let mut text = Vec::new();
        bytes[n_mark..].chunks(n).for_each(|piece| decoder.decode(piece, false, &mut text));
        decoder.decode(&[], true, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn pieces_decode_as_the_whole() {
        let utf16: Vec<u8> = "\u{feff}Käse, 猫\n𝄞 zwei".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf32: Vec<u8> = "\u{feff}Käse, 猫\n𝄞".chars().flat_map(|c| (c as u32).to_be_bytes()).collect();
        let cases: [(&[u8], Option<&str>); 6] = [
            (&utf16, None),
            (&utf32, None),
            (b"K\xe4se und Br\xf6tchen f\xfcr f\xfcnf", None),
            (b"\x94\x4c\x82\xaa\n\x82\xa2\x82\xe9", Some("shift_jis")),
            (b"K\x84se\nBr\x94tchen", Some("cp850")),
            (b"\x88\x61\xb4\x61\n\xb8\x61", Some("johab")),
        ];
        for (bytes, forced) in cases {
            let whole = encoding::decode(bytes, forced, None).unwrap().text;
            for n in [1, 2, 3, 5, 100] {
                assert_eq!(in_pieces(bytes, n, forced), whole, "{forced:?} in pieces of {n}");
            }
        }
    }
}
