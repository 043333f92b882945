//! Writing HTML: markup comes from the program, everything else is escaped.
//!
//! Holds: the type of [`Html::markup`] lets no text of a book through, and every other way escapes what it is given and
//! drops what could steer a reader's eye (direction overrides) or is no text at all (control characters).

use crate::report::steers_terminal;
use std::fmt::{self, Display, Write};

/// An attribute: its name, and a value that will be escaped.
pub(super) type Attribute<'v> = (&'static str, &'v dyn Display);

/// A page, or a part of one, as it is written.
#[derive(Debug, Default)]
pub(super) struct Html {
    out: String,
}

impl Html {
    /// Writes markup of the program's own.
    pub(super) fn markup(&mut self, markup: &'static str) -> &mut Html {
        self.out.push_str(markup);
        self
    }

    /// Writes text.
    pub(super) fn text(&mut self, text: impl Display) -> &mut Html {
        write!(Escaped(&mut self.out), "{text}").expect("writing to a string cannot fail");
        self
    }

    /// Opens an element.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) -> &mut Html {
        self.start(name, attributes);
        self.markup(">")
    }

    /// Closes an element.
    pub(super) fn close(&mut self, name: &'static str) -> &mut Html {
        self.markup("</").markup(name).markup(">")
    }

    /// Writes an element of SVG that holds nothing.
    pub(super) fn shape(&mut self, name: &'static str, attributes: &[Attribute<'_>]) -> &mut Html {
        self.start(name, attributes);
        self.markup("/>")
    }

    /// Writes an element that holds text.
    pub(super) fn element(
        &mut self,
        name: &'static str,
        attributes: &[Attribute<'_>],
        text: impl Display,
    ) -> &mut Html {
        self.open(name, attributes).text(text).close(name)
    }

    /// The page.
    pub(super) fn into_string(self) -> String {
        self.out
    }

    fn start(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.markup("<").markup(name);
        for (name, value) in attributes {
            self.markup(" ").markup(name).markup("=\"").text(value).markup("\"");
        }
    }
}

/// Escapes what is written to it.
struct Escaped<'o>(&'o mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(' '),
                c if steers_terminal(c) || is_noncharacter(c) => {}
                c => self.0.push(c),
            }
        }
        Ok(())
    }
}

/// Code points that never stand for a character; HTML forbids them.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{FDD0}'..='\u{FDEF}') || (c as u32) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(text: &str) -> String {
        let mut html = Html::default();
        html.text(text);
        html.into_string()
    }

    #[test]
    fn markup_in_text_is_text() {
        assert_eq!(escaped("<b a=\"c\" d='e'>&amp;"), "&lt;b a=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
    }

    #[test]
    fn control_and_direction_characters_are_dropped() {
        assert_eq!(escaped("a\0\u{1b}[2J\u{202e}b\u{2066}\u{fffe}\u{fdd0}\r\n\tc"), "a[2Jb  c");
    }

    #[test]
    fn attributes_are_quoted_and_escaped() {
        let mut html = Html::default();
        html.shape("rect", &[("x", &1.5), ("title", &"\"><script>")]);
        assert_eq!(html.into_string(), "<rect x=\"1.5\" title=\"&quot;&gt;&lt;script&gt;\"/>");
    }

    proptest! {
        #[test]
        fn no_text_can_end_an_element_or_an_attribute(text in any::<String>()) {
            let escaped = escaped(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            prop_assert!(!escaped.chars().any(|c| steers_terminal(c) || is_noncharacter(c)));
            let plain = escaped.replace("&lt;", "").replace("&gt;", "").replace("&quot;", "");
            prop_assert!(!plain.replace("&#39;", "").replace("&amp;", "").contains('&'));
        }
    }
}
