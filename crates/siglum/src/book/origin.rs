//! Origin: which program made a file, and whether it made it from a file of another format.

/// What a file says about how it was made; empty where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The program, as the file names it: `calibre (6.13.0)`.
    pub made_by: Option<String>,
    /// Whether the file was converted from another format. Its pages are then the program's, not the book's.
    pub is_conversion: bool,
}
