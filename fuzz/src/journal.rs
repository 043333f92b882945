//! What must hold of any journal: what can be read of it is written as a whole journal, which reads the same.

use siglum_library::reread_journal;

/// Any bytes are read as a journal.
pub fn journal(bytes: &[u8]) {
    let (faults, again) = reread_journal(bytes);
    let n_lines = bytes.split(|&byte| byte == b'\n').count() as u64;
    assert!(faults.iter().all(|fault| (1..=n_lines).contains(&fault.line)));
    let (no_faults, same) = reread_journal(&again);
    assert!(no_faults.is_empty(), "{no_faults:?}");
    assert_eq!(same, again);
}
