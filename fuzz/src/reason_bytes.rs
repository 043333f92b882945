//! What must hold of any bytes read as a stored reason.

use siglum::relate::{Names, Reason};

/// Bytes that are a stored reason are the only ones of that reason, and it is a sentence, seen from either book.
pub fn reason_bytes(bytes: &[u8]) {
    let Ok(reason) = Reason::from_bytes(bytes) else { return };
    assert_eq!(reason.to_bytes(), bytes);
    assert_eq!(reason.clone().turned().turned(), reason);
    let turned = reason.clone().turned();
    assert_eq!(Reason::from_bytes(&turned.to_bytes()), Ok(turned));
    let _ = reason.sentence(Names::LETTERS);
}
