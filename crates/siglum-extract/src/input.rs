//! What a reader is given: the bytes of a file, its name, and the files that lie beside it.

/// Bytes to be read as a book.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The file's name without its folder, where it has one. Only its extension and stem are looked at.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// What lies beside it and tells more: sidecars, page numbers, the pages of a folder.
    pub companions: &'a [Companion],
    /// How to read.
    pub options: &'a Options,
    /// How many archives it lies in.
    pub depth: usize,
}

/// A file beside the book's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// Its name; with folders, for a file of a folder that is read as one book.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How to read a file. What is not said is found out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The encoding of plain text, by a name the Encoding Standard knows, or a DOS code page such as `cp850`.
    pub encoding: Option<String>,
    /// Which of the two PDF engines reads.
    pub pdf_engine: PdfEngine,
}

/// Which engine reads PDF files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PdfEngine {
    /// The first; the second where the first cannot open the file.
    #[default]
    Auto,
    /// hayro, with our own interpreter.
    Hayro,
    /// pdfboss.
    Pdfboss,
}

impl<'a> Input<'a> {
    /// Bytes with a name and nothing beside them.
    pub fn new(name: &'a str, bytes: &'a [u8], options: &'a Options) -> Input<'a> {
        Input { name, bytes, companions: &[], options, depth: 0 }
    }

    /// The extension of its name, in lower case.
    pub fn extension(&self) -> String {
        extension(self.name)
    }

    /// A companion by its name's ending, such as `_meta.xml`.
    pub fn companion(&self, ending: &str) -> Option<&'a Companion> {
        self.companions.iter().find(|companion| companion.name.ends_with(ending))
    }
}

/// Whether a name is that of an HTML file.
pub(crate) fn is_html(name: &str) -> bool {
    matches!(extension(name).as_str(), "html" | "htm" | "xhtml")
}

/// A path without its folders.
pub(crate) fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path that another names from within a folder; one that begins with `/` is from the root.
pub(crate) fn path_from(folder: &str, path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The extension of a name, in lower case; empty where there is none.
pub(crate) fn extension(name: &str) -> String {
    last_name(name).rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_lowercase())
}
