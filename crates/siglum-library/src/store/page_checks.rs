//! Checksums of pages: SQLite gets a page of a catalogue only as it was written.
//!
//! Rows have checksums, but a flipped bit in the header of a page, or in a pointer from one page to another, hides rows
//! without any error. So each page of a catalogue ends with 8 bytes that SQLite reserves and leaves alone: XXH3 of the rest,
//! seeded with the number of the page. They are computed when a page is written to the file and compared when it is read from
//! there. The design is that of SQLite's own checksum VFS (sqlite.org/cksumvfs.html): a VFS, SQLite's word for what stands
//! between it and the operating system, which leaves all work to the usual one and looks at the pages that pass.
//!
//! We differ in the write-ahead log, which is left alone. SQLite checks its frames itself when a log is found after a kill, and
//! a frame's own checksum covers the page, so the page cannot change on its way there. A page gets its checksum when it is
//! moved from the log to the file.
//!
//! Holds: a file in which no bytes are reserved is read and written as without this module. Where the eight bytes are data,
//! they are never overwritten: whether they are reserved is what the first page in the same file says, or the first page that
//! is written before any other.

#![allow(
    unsafe_code,
    reason = "SQLite calls a VFS by C functions with raw pointers; there is no safe interface to it"
)]

use crate::error::Result;
use crate::store::checksum;
use rusqlite::{Connection, ErrorCode, ffi};
use std::ffi::{CStr, c_int, c_void};
use std::mem::size_of;
use std::ptr;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Whether pages that are not as they were written are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// They are: for everything but mending.
    Checked,
    /// They are read as they are, and all that are written get new checksums.
    AsTheyAre,
}

impl Pages {
    /// The name of the VFS, under which SQLite knows it for the whole process. Tests use the first.
    fn vfs(self) -> &'static CStr {
        match self {
            Pages::Checked => c"siglum-checked",
            Pages::AsTheyAre => c"siglum-as-they-are",
        }
    }
}

/// The length of a checksum.
const SEAL_BYTES: usize = 8;
/// The header of a database, at the beginning of its first page.
const HEADER_BYTES: usize = 100;
/// Where the header says how long a page is: 16 bits, 1 for 65,536.
const PAGE_BYTES_AT: usize = 16;
/// Where it says how many bytes are reserved at the end of each page.
const RESERVED_AT: usize = 20;
/// The lengths that pages have; each is a power of two.
const PAGE_LENGTHS: std::ops::RangeInclusive<usize> = 512..=65_536;

// --- What a page should say --------------------------------------------------------------------------------------------

/// The checksum of a page. Its number is part of it, so that a page in the place of another is noticed.
fn seal_of(page: &[u8], number: u64) -> [u8; SEAL_BYTES] {
    xxh3_64_with_seed(&page[..page.len() - SEAL_BYTES], number).to_le_bytes()
}

/// Whether a page is as it was written. One of zeros alone was never written: SQLite leaves such pages in a file that has
/// grown, and refuses them itself where it looks for rows.
fn is_sound(page: &[u8], number: u64) -> bool {
    page.ends_with(&seal_of(page, number)) || page.iter().all(|&byte| byte == 0)
}

/// Whether the pages of a file have checksums, by its first page. A flipped bit in the very byte that says so is noticed,
/// because the checksum of the page is right with the byte as it was.
fn has_seals(first: &[u8]) -> bool {
    if usize::from(first[RESERVED_AT]) == SEAL_BYTES {
        return true;
    }
    let mut mended = first.to_vec();
    mended[RESERVED_AT] = SEAL_BYTES as u8;
    mended.ends_with(&seal_of(&mended, 1))
}

/// The length of a page, by the header of its file.
fn page_bytes(header: &[u8]) -> Option<usize> {
    let n = match u16::from_be_bytes([header[PAGE_BYTES_AT], header[PAGE_BYTES_AT + 1]]) {
        1 => 65_536,
        n => usize::from(n),
    };
    (n.is_power_of_two() && PAGE_LENGTHS.contains(&n)).then_some(n)
}

/// The number of the page that has this length and place, if it is one: SQLite also reads single fields of the header.
fn page_number(n_bytes: usize, at: i64) -> Option<u64> {
    let at = u64::try_from(at).ok()?;
    let is_page = n_bytes.is_power_of_two() && PAGE_LENGTHS.contains(&n_bytes) && at % n_bytes as u64 == 0;
    is_page.then(|| at / n_bytes as u64 + 1)
}

// --- Connections -------------------------------------------------------------------------------------------------------

/// Makes the VFS known to SQLite and gives its name.
pub(crate) fn vfs(pages: Pages) -> Result<&'static CStr> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register) {
        ffi::SQLITE_OK => Ok(pages.vfs()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()),
    }
}

/// Reserves the bytes in a database that has no page yet, or when it is next written anew by `VACUUM`.
pub(crate) fn reserve(connection: &Connection) {
    reserved_bytes(connection, SEAL_BYTES as c_int);
}

/// Whether the pages of a database have checksums. It has been read from before.
pub(crate) fn are_in(connection: &Connection) -> bool {
    reserved_bytes(connection, -1) == SEAL_BYTES as c_int
}

/// How many bytes are reserved, or wanted to be; a number that is not negative changes what is wanted.
fn reserved_bytes(connection: &Connection, wanted: c_int) -> c_int {
    let mut n = wanted;
    let n_at: *mut c_int = &mut n;
    // SAFETY: the handle is open while the connection is borrowed, the name is a C string, and this operation reads and
    // writes one c_int.
    unsafe {
        let operation = ffi::SQLITE_FCNTL_RESERVE_BYTES;
        ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), operation, n_at.cast());
    }
    n
}

/// Gives checksums to the pages of a catalogue of an earlier version, unless it is damaged, there is no room for a copy of it,
/// or others use it: then it stays as it is until it is opened again. A kill leaves it as it was, too.
///
/// Only a catalogue with a write-ahead log is rewritten. A rollback journal would put pages without reserved bytes back into
/// a file whose first page says that they are reserved.
pub(crate) fn add(connection: &Connection) -> Result<()> {
    let mode: String = connection.query_row("PRAGMA journal_mode", (), |row| row.get(0))?;
    if are_in(connection) || mode != "wal" {
        return Ok(());
    }
    // What is damaged would be sealed as it is.
    let answer: String = connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
    if answer != "ok" || checksum::check_all(connection).is_err() {
        return Ok(());
    }
    reserve(connection);
    match rewrite(connection) {
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            ) =>
        {
            Ok(())
        }
        rewritten => Ok(rewritten?),
    }
}

/// Writes every page of a database anew, into the log and then into the file, as far as nobody reads what is there.
pub(crate) fn rewrite(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("VACUUM")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))
}

// --- The VFS -----------------------------------------------------------------------------------------------------------

/// An open database. SQLite gives memory for this, aligned to 8 bytes, and right behind it for the file of the usual VFS.
#[repr(C, align(8))]
struct SealedFile {
    /// What SQLite knows of it; it must be first.
    base: ffi::sqlite3_file,
    pages: Pages,
    seals: Seals,
}

/// Whether the pages of a file have checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seals {
    /// The file has no first page yet.
    Unknown,
    No,
    Yes,
}

impl Seals {
    fn from(has_seals: bool) -> Seals {
        if has_seals { Seals::Yes } else { Seals::No }
    }
}

/// The usual VFS of the system.
static USUAL: AtomicPtr<ffi::sqlite3_vfs> = AtomicPtr::new(ptr::null_mut());

fn register() -> c_int {
    // SAFETY: a null name asks for the default VFS, which lives as long as the process.
    let usual = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    if usual.is_null() {
        return ffi::SQLITE_ERROR;
    }
    USUAL.store(usual, Ordering::Release);
    let open: [(Pages, Open); 2] =
        [(Pages::Checked, open::<true> as Open), (Pages::AsTheyAre, open::<false> as Open)];
    for (pages, open) in open {
        // SAFETY: `usual` is a valid VFS. Its other functions do not need their own VFS: they are those that SQLite's shims
        // call in the same way, and find what they need in `pAppData`, which is copied too.
        let vfs = unsafe {
            ffi::sqlite3_vfs {
                szOsFile: (*usual).szOsFile + size_of::<SealedFile>() as c_int,
                pNext: ptr::null_mut(),
                zName: pages.vfs().as_ptr(),
                xOpen: Some(open),
                ..*usual
            }
        };
        // SAFETY: SQLite keeps the pointer, so the VFS is leaked: it lives as long as the process.
        let code = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(Box::new(vfs)), 0) };
        if code != ffi::SQLITE_OK {
            return code;
        }
    }
    ffi::SQLITE_OK
}

type Open = unsafe extern "C" fn(
    *mut ffi::sqlite3_vfs,
    ffi::sqlite3_filename,
    *mut ffi::sqlite3_file,
    c_int,
    *mut c_int,
) -> c_int;

/// Opens a file. Journals, logs and temporary files are those of the usual VFS; only a database gets our methods.
unsafe extern "C" fn open<const ARE_CHECKED: bool>(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    let usual = USUAL.load(Ordering::Acquire);
    // SAFETY: this function is only called through a VFS that `register` made, after it had stored the usual one. SQLite
    // gives `szOsFile` bytes at `file`, enough for a `SealedFile` and a file of the usual VFS behind it, aligned to
    // 8 bytes; the other arguments are passed on as they came.
    unsafe {
        let Some(open) = (*usual).xOpen else { return ffi::SQLITE_CANTOPEN };
        if flags & ffi::SQLITE_OPEN_MAIN_DB == 0 {
            return open(usual, name, file, flags, flags_out);
        }
        // Without methods, SQLite does not close what could not be opened.
        (*file).pMethods = ptr::null();
        let inner = inner(file);
        (*inner).pMethods = ptr::null();
        let code = open(usual, name, inner, flags, flags_out);
        if code != ffi::SQLITE_OK {
            if !(*inner).pMethods.is_null() {
                close(file);
            }
            return code;
        }
        let pages = if ARE_CHECKED { Pages::Checked } else { Pages::AsTheyAre };
        let base = ffi::sqlite3_file { pMethods: &METHODS };
        file.cast::<SealedFile>().write(SealedFile { base, pages, seals: Seals::Unknown });
        ffi::SQLITE_OK
    }
}

/// The file of the usual VFS behind one of ours.
///
/// # Safety
/// `file` is memory that SQLite gave to [`open`].
unsafe fn inner(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: the memory has `size_of::<SealedFile>()` bytes before the file of the usual VFS.
    unsafe { file.byte_add(size_of::<SealedFile>()) }
}

/// Our methods of a database. Version 2 has shared memory, and no pages that are mapped instead of read.
static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// Calls a method of the file behind one of ours; gives something else where the usual VFS does not have it.
macro_rules! call {
    ($file:expr, $method:ident($($argument:expr),*), or $else:expr) => {{
        let inner = inner($file);
        match (*(*inner).pMethods).$method {
            Some(method) => method(inner, $($argument),*),
            None => $else,
        }
    }};
}

/// Methods that do what those of the usual VFS do.
macro_rules! pass {
    ($($name:ident is $method:ident($($argument:ident: $type:ty),*), or $else:expr;)*) => { $(
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file, $($argument: $type),*) -> c_int {
            // SAFETY: SQLite calls the methods of a file that `open` has opened, with the arguments of that method.
            unsafe { call!(file, $method($($argument),*), or $else) }
        }
    )* };
}

pass! {
    close is xClose(), or ffi::SQLITE_OK;
    truncate is xTruncate(size: i64), or ffi::SQLITE_IOERR_TRUNCATE;
    sync is xSync(flags: c_int), or ffi::SQLITE_OK;
    file_size is xFileSize(size: *mut i64), or ffi::SQLITE_IOERR_FSTAT;
    lock is xLock(level: c_int), or ffi::SQLITE_IOERR_LOCK;
    unlock is xUnlock(level: c_int), or ffi::SQLITE_IOERR_UNLOCK;
    check_reserved_lock is xCheckReservedLock(answer: *mut c_int), or ffi::SQLITE_IOERR_CHECKRESERVEDLOCK;
    sector_size is xSectorSize(), or 0;
    plain_device_characteristics is xDeviceCharacteristics(), or 0;
    shm_map is xShmMap(page: c_int, size: c_int, extend: c_int, at: *mut *mut c_void), or ffi::SQLITE_IOERR_SHMMAP;
    shm_lock is xShmLock(offset: c_int, n: c_int, flags: c_int), or ffi::SQLITE_IOERR_SHMLOCK;
    shm_unmap is xShmUnmap(delete: c_int), or ffi::SQLITE_OK;
    plain_read is xRead(into: *mut c_void, n: c_int, at: i64), or ffi::SQLITE_IOERR_READ;
    plain_write is xWrite(from: *const c_void, n: c_int, at: i64), or ffi::SQLITE_IOERR_WRITE;
    plain_file_control is xFileControl(operation: c_int, argument: *mut c_void), or ffi::SQLITE_NOTFOUND;
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: as for the methods that are passed on.
    unsafe { call!(file, xShmBarrier(), or()) }
}

/// SQLite may read a part of a page that has a long value, where a file allows it: ours must be read as whole pages.
unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: as for the methods that are passed on.
    unsafe { plain_device_characteristics(file) & !ffi::SQLITE_IOCAP_SUBPAGE_READ }
}

unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, into: *mut c_void, n: c_int, at: i64) -> c_int {
    // SAFETY: SQLite reads from a file that `open` has opened, into `n` bytes of its own. They are all set when the usual VFS
    // has read them, those behind the end of the file to zero. Only one thread uses a file at a time.
    unsafe {
        let code = plain_read(file, into, n, at);
        if code != ffi::SQLITE_OK && code != ffi::SQLITE_IOERR_SHORT_READ {
            return code;
        }
        let bytes = slice::from_raw_parts(into.cast::<u8>(), n.max(0) as usize);
        if at == 0 && bytes.len() >= HEADER_BYTES {
            look(file);
        }
        let sealed = &*file.cast::<SealedFile>();
        let number = page_number(bytes.len(), at).filter(|_| sealed.seals == Seals::Yes);
        match number {
            Some(number) if sealed.pages == Pages::Checked && !is_sound(bytes, number) => {
                ffi::SQLITE_IOERR_DATA
            }
            _ => code,
        }
    }
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, from: *const c_void, n: c_int, at: i64) -> c_int {
    // SAFETY: SQLite writes `n` bytes of its own to a file that `open` has opened. Only one thread uses a file at a time.
    unsafe {
        let bytes = slice::from_raw_parts(from.cast::<u8>(), n.max(0) as usize);
        let sealed = file.cast::<SealedFile>();
        let Some(number) = page_number(bytes.len(), at) else { return plain_write(file, from, n, at) };
        if number == 1 {
            let before = (*sealed).seals;
            (*sealed).seals = Seals::from(usize::from(bytes[RESERVED_AT]) == SEAL_BYTES);
            if (before, (*sealed).seals) == (Seals::Unknown, Seals::Yes) {
                let code = seal_others(file, bytes.len());
                if code != ffi::SQLITE_OK {
                    return code;
                }
            }
        }
        if (*sealed).seals != Seals::Yes {
            return plain_write(file, from, n, at);
        }
        // SQLite keeps its own page as it is.
        let mut page = bytes.to_vec();
        seal(&mut page, number);
        plain_write(file, page.as_ptr().cast(), n, at)
    }
}

fn seal(page: &mut [u8], number: u64) {
    let seal = seal_of(page, number);
    let begins = page.len() - SEAL_BYTES;
    page[begins..].copy_from_slice(&seal);
}

/// Gives checksums to the pages that were written to a new file before its first one, as happens when a long transaction
/// fills the memory. Nobody else has read them.
///
/// # Safety
/// `file` was opened by [`open`].
unsafe fn seal_others(file: *mut ffi::sqlite3_file, page_bytes: usize) -> c_int {
    let mut size = 0;
    // SAFETY: the file is open, and `page` has the length that is read and written.
    unsafe {
        let mut code = file_size(file, &mut size);
        let mut page = vec![0; page_bytes];
        let (n, page_bytes) = (page_bytes as c_int, page_bytes as i64);
        let mut at = page_bytes;
        while code == ffi::SQLITE_OK && at + page_bytes <= size {
            code = plain_read(file, page.as_mut_ptr().cast(), n, at);
            if code == ffi::SQLITE_OK && page.iter().any(|&byte| byte != 0) {
                seal(&mut page, (at / page_bytes) as u64 + 1);
                code = plain_write(file, page.as_ptr().cast(), n, at);
            }
            at += page_bytes;
        }
        code
    }
}

/// Learns from the first page in the file whether its pages have checksums.
///
/// # Safety
/// `file` was opened by [`open`].
unsafe fn look(file: *mut ffi::sqlite3_file) {
    let mut header = [0; HEADER_BYTES];
    // SAFETY: the file is open, and the buffers have the lengths that are read.
    unsafe {
        let sealed = file.cast::<SealedFile>();
        if plain_read(file, header.as_mut_ptr().cast(), HEADER_BYTES as c_int, 0) != ffi::SQLITE_OK {
            return;
        }
        let mut seals = usize::from(header[RESERVED_AT]) == SEAL_BYTES;
        if let (false, Some(n)) = (seals, page_bytes(&header)) {
            let mut page = vec![0; n];
            seals = plain_read(file, page.as_mut_ptr().cast(), n as c_int, 0) == ffi::SQLITE_OK
                && has_seals(&page);
        }
        (*sealed).seals = Seals::from(seals);
    }
}

unsafe extern "C" fn file_control(
    file: *mut ffi::sqlite3_file,
    operation: c_int,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: SQLite calls it for a file that `open` has opened.
    unsafe {
        // Another process may have given checksums to the file since this one opened it.
        if operation == ffi::SQLITE_FCNTL_CKPT_START {
            look(file);
        }
        plain_file_control(file, operation, argument)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::store::connection::{connect, connect_to_mend};
    use rusqlite::OpenFlags;
    use std::fs;
    use std::path::{Path, PathBuf};

    const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_CREATE);
    const PAGE: usize = 4096;

    /// A folder of its own for each test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("siglum-pages-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn path(&self) -> PathBuf {
            self.0.join("a.sqlite")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn open(path: &Path) -> Connection {
        let connection = connect(path, FLAGS).unwrap();
        reserve(&connection);
        connection
    }

    /// Rows that need pages of every kind: of rows, of an index, inner ones, and long values.
    fn fill(connection: &Connection, n: usize) {
        let sql = "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, word TEXT, long BLOB);
             CREATE INDEX IF NOT EXISTS by_word ON t (word)";
        connection.execute_batch(sql).unwrap();
        let sql =
            "INSERT INTO t (word, long) WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
             SELECT hex(randomblob(40)), randomblob(CASE WHEN i % 50 THEN 10 ELSE 20000 END) FROM n";
        connection.execute(sql, [n as i64]).unwrap();
    }

    fn count(connection: &Connection) -> rusqlite::Result<i64> {
        connection.query_row(
            "SELECT count(word) + sum(length(hex(long)) > 0) FROM t NOT INDEXED",
            (),
            |row| row.get(0),
        )
    }

    /// The numbers of the pages in a file that are not as they were written.
    fn unsound(path: &Path) -> Vec<usize> {
        let bytes = fs::read(path).unwrap();
        let pages = bytes.chunks(PAGE).enumerate().map(|(at, page)| (at + 1, page));
        pages.filter(|(number, page)| !is_sound(page, *number as u64)).map(|(number, _)| number).collect()
    }

    #[test]
    fn all_pages_of_a_file_are_sealed_however_they_are_written() {
        for mode in ["DELETE", "TRUNCATE", "MEMORY", "WAL"] {
            let folder = Folder::new(mode);
            let connection = open(&folder.path());
            connection.pragma_update(None, "journal_mode", mode).unwrap();
            // A cache of a few pages is written again and again before the first page is.
            connection.pragma_update(None, "cache_size", 8).unwrap();
            connection.execute_batch("BEGIN").unwrap();
            fill(&connection, 3_000);
            connection.execute_batch("COMMIT; DELETE FROM t WHERE id % 3 = 0").unwrap();
            connection.execute_batch("BEGIN; UPDATE t SET word = hex(randomblob(60)); ROLLBACK").unwrap();
            fill(&connection, 100);
            let copy = folder.0.join("copy.sqlite");
            connection.execute("VACUUM INTO ?", [copy.to_str().unwrap()]).unwrap();
            connection.execute_batch("VACUUM").unwrap();
            fill(&connection, 100);
            drop(connection);
            let (found, copied) = (open(&folder.path()), open(&copy));
            assert!(are_in_after_reading(&found) && are_in_after_reading(&copied), "{mode}");
            assert_eq!((count(&found).unwrap(), count(&copied).unwrap()), (2 * 2200, 2 * 2100), "{mode}");
            assert_eq!((unsound(&folder.path()), unsound(&copy)), (vec![], vec![]), "{mode}");
        }
    }

    fn are_in_after_reading(connection: &Connection) -> bool {
        let answer: String = connection.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        answer == "ok" && are_in(connection)
    }

    #[test]
    fn a_flipped_bit_in_any_page_is_refused_wherever_it_is() {
        let folder = Folder::new("flip");
        fill(&open(&folder.path()), 300);
        let intact = fs::read(folder.path()).unwrap();
        let n_pages = intact.len() / PAGE;
        assert!(n_pages > 20);
        for number in 1..=n_pages {
            // The last place is in the checksum. In the first page, SQLite itself knows some of the others.
            for (place, bit) in [(0, 0), (RESERVED_AT, 3), (2000, 7), (PAGE - 1, 1)] {
                let mut bytes = intact.clone();
                bytes[(number - 1) * PAGE + place] ^= 1 << bit;
                fs::write(folder.path(), &bytes).unwrap();
                let ask = || -> Result<i64> {
                    let connection = connect(&folder.path(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
                    let words = "SELECT sum(length(word)) FROM t INDEXED BY by_word WHERE word > ''";
                    Ok(count(&connection)? + connection.query_row(words, (), |row| row.get::<_, i64>(0))?)
                };
                let refused = ask().is_err();
                assert!(refused, "byte {place} of page {number}");
            }
        }
    }

    #[test]
    fn a_page_in_the_place_of_another_is_refused() {
        let folder = Folder::new("moved");
        fill(&open(&folder.path()), 300);
        let mut bytes = fs::read(folder.path()).unwrap();
        bytes.copy_within(4 * PAGE..5 * PAGE, 5 * PAGE);
        fs::write(folder.path(), &bytes).unwrap();
        assert_eq!(unsound(&folder.path()), [6]);
    }

    #[test]
    fn a_database_without_reserved_bytes_is_left_as_it_is() {
        let folder = Folder::new("plain");
        fill(&Connection::open(folder.path()).unwrap(), 300);
        let before = fs::read(folder.path()).unwrap();
        let connection = connect(&folder.path(), FLAGS).unwrap();
        assert_eq!(count(&connection).unwrap(), 600);
        assert!(!are_in(&connection));
        fill(&connection, 100);
        drop(connection);
        assert_eq!(before[RESERVED_AT], 0);
        let plain = Connection::open(folder.path()).unwrap();
        let answer: String = plain.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!((answer.as_str(), count(&plain).unwrap()), ("ok", 800));
    }

    #[test]
    fn a_database_that_is_rewritten_has_checksums_also_for_those_who_had_opened_it_before() {
        let folder = Folder::new("rewritten");
        let before = connect(&folder.path(), FLAGS).unwrap();
        before.pragma_update(None, "journal_mode", "WAL").unwrap();
        fill(&before, 300);
        let reader = connect(&folder.path(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        reader.execute_batch("BEGIN").unwrap();
        assert_eq!(count(&reader).unwrap(), 600);
        let connection = connect(&folder.path(), FLAGS).unwrap();
        checksum::install(&connection).unwrap();
        reserve(&connection);
        // The reader keeps the file as it was.
        let _ = rewrite(&connection);
        assert_eq!(count(&reader).unwrap(), 600);
        fill(&before, 100);
        reader.execute_batch("COMMIT").unwrap();
        assert_eq!(count(&reader).unwrap(), 800);
        fill(&before, 100);
        before.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
        assert!(unsound(&folder.path()).is_empty());
        fill(&before, 2_000);
        drop((before, reader, connection));
        assert!(unsound(&folder.path()).is_empty());
        assert!(are_in_after_reading(&open(&folder.path())));
    }

    #[test]
    fn a_log_that_a_kill_left_is_read_and_moved_to_the_file() {
        let folder = Folder::new("killed");
        let original = folder.0.join("original");
        let connection = open(&original);
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        fill(&connection, 300);
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
        fill(&connection, 300);
        fs::copy(&original, folder.path()).unwrap();
        fs::copy(folder.0.join("original-wal"), folder.0.join("a.sqlite-wal")).unwrap();
        let found = open(&folder.path());
        assert_eq!(count(&found).unwrap(), 1200);
        drop(found);
        assert!(!folder.0.join("a.sqlite-wal").exists());
        assert!(unsound(&folder.path()).is_empty());
    }

    #[test]
    fn another_program_reads_it_and_what_it_writes_is_refused_until_it_is_mended() {
        let folder = Folder::new("other");
        fill(&open(&folder.path()), 300);
        let other = Connection::open(folder.path()).unwrap();
        assert_eq!(count(&other).unwrap(), 600);
        other.execute("UPDATE t SET word = 'b' WHERE id = 150", ()).unwrap();
        drop(other);
        let refused = connect(&folder.path(), FLAGS).and_then(|connection| Ok(count(&connection)?));
        assert!(matches!(refused, Err(Error::Malformed(_))));
        let mending = connect_to_mend(&folder.path()).unwrap();
        assert_eq!(count(&mending).unwrap(), 600);
        mending.execute_batch("VACUUM").unwrap();
        drop(mending);
        assert_eq!(count(&open(&folder.path())).unwrap(), 600);
    }
}
