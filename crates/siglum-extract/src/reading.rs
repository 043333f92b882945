//! From a path to a book: the file is opened here, and parsed, tidied and judged where nothing can happen.

use crate::beside::Beside;
use crate::content::OpenBook;
use crate::extracted::{Extracted, Finish, Judge, Tidy};
use crate::failure::{Failure, Reason};
use crate::folder::{BookFolder, PageFolder};
use crate::input::Options;
use crate::open;
use crate::records::RecordOptions;
use crate::worker::sandbox::Status;
use crate::worker::{Confinement, Isolation, Job, Pool, RecordSource, Records, Source};
use std::io::Read;
use std::path::Path;

/// Reads files, in workers or in this process. Shared by all threads that read.
pub struct Reader {
    pool: Pool,
}

/// What is wanted of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct How {
    /// How to read it.
    pub options: Options,
    /// Whether its text is tidied.
    pub tidy: Tidy,
    /// Whether its bytes are wanted beside the book.
    pub bytes: Bytes,
    /// Whether language and quality of its text are wanted.
    pub judge: Judge,
}

/// Whether the bytes of a file are wanted beside the book: a few schemes read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bytes {
    /// Keep them.
    Keep,
    /// The book is enough.
    #[default]
    Drop,
}

impl Reader {
    /// Reads in workers of this same program, whose `main` calls [`crate::worker::serve`] for them; or in this process,
    /// for files that are trusted, or where the caller is a sandbox itself.
    pub fn new(isolation: Isolation) -> Result<Reader, Failure> {
        Ok(Reader { pool: Pool::for_this_program(isolation)? })
    }

    /// The same, with what is done where this system has no Landlock or no seccomp. Where a sandbox is required, a first
    /// worker is started to see whether there is one.
    pub fn confined(self, confinement: Confinement) -> Result<Reader, Failure> {
        let reader = Reader { pool: self.pool.confined(confinement) };
        if matches!(confinement, Confinement::Required) && reader.sandbox()?.is_none() {
            let message = "a sandbox is required, and without isolation there is none";
            return Err(Failure::new(Reason::Unreadable, message));
        }
        Ok(reader)
    }

    /// What keeps its workers in their place; `None` where it reads in this process.
    pub fn sandbox(&self) -> Result<Option<Status>, Failure> {
        self.pool.status()
    }

    /// Whether a folder is one book: page files, or saved HTML.
    pub fn is_book_folder(folder: &Path) -> bool {
        BookFolder::open(folder).is_ok_and(|book| book.is_some())
    }

    /// The page files of one book in a folder, if it holds such. Saved HTML is one book only for a person who says so.
    pub fn page_folder(folder: &Path) -> Option<PageFolder> {
        PageFolder::look(folder)
    }

    /// Reads a book from a file, or from a folder that is one book.
    pub fn read_file(&self, path: &Path, how: &How) -> Result<Extracted, Failure> {
        if path.is_dir() {
            return self.read_folder(path, how);
        }
        let source = Source::File(open::open_regular(path)?);
        let beside = Beside::look(path).open(path).into_iter();
        let companions = beside.map(|(name, file)| (name, Source::File(file))).collect();
        self.read(Job { name: file_name(path), source, companions, ..Job::of(how) }, how)
    }

    /// Reads a book that is open; `None` where a file of it has changed since, so that it is to be opened again.
    pub fn read_open(&self, mut book: OpenBook, how: &How) -> Result<Option<Extracted>, Failure> {
        let read_again = book.take_read_again();
        let OpenBook { name, source, companions, .. } = book;
        let read = self.read(Job { name, source, companions, ..Job::of(how) }, how);
        if read_again.is_unchanged() { read.map(Some) } else { Ok(None) }
    }

    /// Reads a book from a stream, such as standard input.
    pub fn read_stream(&self, stream: impl Read, how: &How) -> Result<Extracted, Failure> {
        let read = self.read_open(OpenBook::stream("", stream)?, how)?;
        // Of a stream nothing is read twice.
        read.ok_or_else(|| Failure::new(Reason::Unreadable, "it changes while it is read"))
    }

    /// Reads the records of a catalogue, one by one.
    pub fn read_records<'r>(
        &'r self,
        source: RecordSource<'r>,
        options: &RecordOptions,
    ) -> Result<Records<'r>, Failure> {
        self.pool.records(source, options)
    }

    fn read_folder(&self, path: &Path, how: &How) -> Result<Extracted, Failure> {
        let Some(folder) = BookFolder::open(path)? else {
            return Err(Failure::new(Reason::Unreadable, "it is a folder, and not one of page files"));
        };
        let name = folder.name(path);
        let source = folder.main.map_or_else(|| Source::Bytes(Vec::new()), Source::Path);
        let companions = folder.files.into_iter().map(|(name, path)| (name, Source::Path(path))).collect();
        self.read(Job { name, source, companions, ..Job::of(how) }, how)
    }

    fn read(&self, mut job: Job, how: &How) -> Result<Extracted, Failure> {
        let mut bytes = None;
        if how.bytes == Bytes::Keep {
            let read = job.source.into_bytes()?;
            bytes = Some(read.clone());
            job.source = Source::Bytes(read);
        }
        Ok(Extracted { bytes, ..self.pool.read(job)? })
    }
}

impl Job {
    /// A job of nothing yet.
    fn of(how: &How) -> Job {
        let finish = Finish { tidy: how.tidy, judge: how.judge };
        Job { options: how.options.clone(), finish, ..Job::new("", Source::Bytes(Vec::new())) }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
