//! How much a file of strangers may cost. Every reader stays within these whatever the file says.

/// The largest file that is read. A reader may hold it twice.
pub const MAX_FILE_BYTES: u64 = 512 << 20;
/// The longest text a book may have; the Bible has 5 MB.
pub const MAX_TEXT_BYTES: usize = 256 << 20;
/// The most signs U+FDFA in a text: each is a sentence of eighteen letters, so that a text of them would need
/// twenty-four times its size in memory.
pub const MAX_LONG_SIGNS: usize = 1_000_000;
/// The longest text a page may have.
pub const MAX_PAGE_BYTES: usize = 16 << 20;
/// The most pages a book may have.
pub const MAX_PAGES: usize = 200_000;
/// The longest page label that is kept, in bytes.
pub const MAX_LABEL_BYTES: usize = 64;
/// The longest metadata field that is kept, in bytes.
pub const MAX_FIELD_BYTES: usize = 4096;
/// The most values of one metadata field that are kept.
pub const MAX_FIELD_VALUES: usize = 64;
/// The most warnings that are kept.
pub const MAX_WARNINGS: usize = 64;

/// The largest member of an archive.
pub const MAX_ENTRY_BYTES: u64 = 256 << 20;
/// What all members of an archive that are read may add up to.
pub const MAX_ARCHIVE_BYTES: u64 = 1 << 30;
/// How far a member larger than [`FREE_ENTRY_BYTES`] may have been compressed.
pub const MAX_RATIO: u64 = 200;
/// Small members may be compressed as far as they like.
pub const FREE_ENTRY_BYTES: u64 = 1 << 20;
/// The most members of an archive.
pub const MAX_ENTRIES: usize = 100_000;
/// How deep archives may lie in one another.
pub const MAX_NESTING: usize = 3;
/// The longest tag of a markup file: the tokeniser's time grows with the square of its attributes.
pub const MAX_TAG_BYTES: usize = 64 << 10;

/// Address space of a worker, besides the file itself.
pub const WORKER_MEMORY_BYTES: u64 = 1 << 30;
/// Processor time of a worker for one file.
pub const WORKER_CPU_SECONDS: u64 = 60;
/// Time on the clock of a worker for one file.
pub const WORKER_WALL_SECONDS: u64 = 3 * WORKER_CPU_SECONDS;

/// Processor time of a worker for one record of a catalogue. A record has at most a megabyte; an honest one takes some
/// microseconds.
pub const RECORD_CPU_SECONDS: u64 = 2;
/// Time on the clock until a worker has finished another record, on a busy machine.
pub const RECORD_WALL_SECONDS: u64 = 60;
/// After so many records that took too long or ended their worker a catalogue is read no further: each costs a new worker
/// and another look at all that comes before it.
pub const MAX_LOST_RECORDS: u64 = 20;
/// So much of a stream is kept, so that a new worker can take up where one was lost.
pub const MAX_KEPT_BYTES: usize = 64 << 20;
