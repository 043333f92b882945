//! A finished book on its way from a worker to its parent.

use super::outbox::Outbox;
use super::protocol::{self, Ending, Frames, Judged, Said, Stop, chunks};
use crate::draft::collapsed;
use crate::extracted::Extracted;
use crate::extractor::Extractor;
use crate::failure::{Failure, Reason};
use crate::limits::{MAX_FIELD_BYTES, MAX_LABEL_BYTES, MAX_PAGES, MAX_TEXT_BYTES, MAX_WARNINGS};
use siglum::book::PAGE_BREAK;
use siglum::{Book, Metadata, Origin};
use std::io::Read;

/// What a worker says it is at that has read the file and tidies and judges its text.
pub(super) const FINISHING: u64 = u64::MAX;

/// Sends a book; what is left to be said is how its reading ended.
pub(super) fn say(outbox: &Outbox, read: &Extracted) -> Result<(), Failure> {
    let Extracted { book, extractor, page_quality, origin, warnings, .. } = read;
    outbox.say(|buffer| {
        protocol::put_extractor(buffer, &extractor.name);
        protocol::put_metadata(buffer, &book.metadata);
        protocol::put_origin(buffer, origin);
        warnings.iter().for_each(|warning| protocol::put_warning(buffer, warning));
        protocol::put_judged(buffer, &Judged::of(read));
        protocol::put_page_quality(buffer, page_quality);
    });
    if !book.is_paged() {
        say_text(outbox, book.text())?;
    }
    for page in book.pages() {
        outbox.say(|buffer| protocol::put_page(buffer, page.label));
        say_text(outbox, page.text)?;
    }
    read.truncated.clone().map_or(Ok(()), Err)
}

fn say_text(outbox: &Outbox, text: &str) -> Result<(), Failure> {
    let mut chunks = chunks(text);
    let said =
        chunks.try_for_each(|chunk| outbox.say_one_of_many(|buffer| protocol::put_text(buffer, chunk)));
    said.map_err(|_| Failure::new(Reason::Unreadable, "nobody listens any more"))
}

impl Judged {
    fn of(read: &Extracted) -> Judged {
        Judged {
            language_detected: read.language_detected,
            language_is_sure: read.language_is_sure,
            quality: read.quality,
            damage: read.damage,
        }
    }
}

/// A book as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Arriving {
    /// Said first; where nothing was said there is no book.
    extractor: Option<Extractor>,
    metadata: Metadata,
    origin: Origin,
    warnings: Vec<String>,
    judged: Judged,
    page_quality: Vec<Option<f64>>,
    text: String,
    pages: Vec<(usize, Option<String>)>,
    /// What the worker said it is at.
    at: Option<u64>,
}

impl Arriving {
    /// Takes what a worker says of one job.
    pub(super) fn listen<R: Read>(&mut self, frames: &mut Frames<R>) -> Ending<Result<Extracted, Failure>> {
        loop {
            let frame = match frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ending::Silence,
                Err(Stop::Io(error)) => return Ending::Io(error),
                Err(Stop::Breach(breach)) => return Ending::Breach(breach),
            };
            let taken = match Said::parse(&frame) {
                None => Err("a frame that makes no sense"),
                Some(Said::End(result)) => {
                    return std::mem::take(self).ended(result).map_or_else(Ending::Breach, Ending::Said);
                }
                Some(said) => self.take(said),
            };
            if let Err(breach) = taken {
                return Ending::Breach(breach);
            }
        }
    }

    /// How many events a reader had said when it was last heard of; `None` where it had read all.
    pub(super) fn n_events(&self) -> Option<u64> {
        Some(self.at.unwrap_or(0)).filter(|at| *at != FINISHING)
    }

    fn take(&mut self, said: Said<'_>) -> Result<(), &'static str> {
        if self.extractor.is_none() && !matches!(said, Said::Extractor(_) | Said::At(_)) {
            return Err("a frame out of order");
        }
        match said {
            Said::Hello(_) | Said::End(_) => return Err("a frame out of order"),
            Said::At(at) => self.at = Some(at.number),
            // The version is that of this program, whatever a worker would say.
            Said::Extractor(name) => self.extractor = Some(Extractor::named(name)),
            Said::Metadata(metadata) => self.metadata = plain(*metadata),
            Said::Origin(origin) => {
                let made_by = origin.made_by.map(|program| collapsed(&program, MAX_FIELD_BYTES));
                self.origin = Origin { made_by, ..origin };
            }
            Said::Warning(warning) => self.warnings.push(collapsed(warning, MAX_FIELD_BYTES)),
            Said::Judged(judged) => self.judged = judged,
            Said::PageQuality(more) => self.page_quality.extend(more),
            Said::Page(label) => {
                let label = label.map(|label| collapsed(label, MAX_LABEL_BYTES));
                self.pages.push((self.text.len(), label));
            }
            Said::Text(text) if text.contains(PAGE_BREAK) => return Err("a page break within a page"),
            Said::Text(text) => self.text.push_str(text),
        }
        // Text before the first page of a draft is one more page of the book.
        let is_too_much = self.text.len() > MAX_TEXT_BYTES
            || self.pages.len() > MAX_PAGES + 1
            || self.page_quality.len() > MAX_PAGES + 1
            || self.warnings.len() > MAX_WARNINGS;
        if is_too_much { Err("more than a reader may say") } else { Ok(()) }
    }

    fn ended(self, result: Result<(), Failure>) -> Result<Result<Extracted, Failure>, &'static str> {
        let Some(extractor) = self.extractor else {
            return result.err().map(Err).ok_or("an end without a book");
        };
        let Arriving { metadata, origin, warnings, judged, page_quality, .. } = self;
        if !page_quality.is_empty() && page_quality.len() != self.pages.len() {
            return Err("the quality of other pages");
        }
        let mut book = book(self.text, self.pages).map_err(|_| "more than a reader may say")?;
        book.metadata = metadata;
        let Judged { language_detected, language_is_sure, quality, damage } = judged;
        Ok(Ok(Extracted {
            book,
            extractor,
            language_detected,
            language_is_sure,
            quality,
            page_quality,
            damage,
            origin,
            warnings,
            truncated: result.err(),
            bytes: None,
        }))
    }
}

fn book(text: String, pages: Vec<(usize, Option<String>)>) -> siglum::Result<Book> {
    if pages.is_empty() {
        // A mark at the beginning would be taken for that of a file, which is gone by now.
        let is_marked = text.starts_with(BYTE_ORDER_MARK);
        return Book::from_text(if is_marked { format!("{BYTE_ORDER_MARK}{text}") } else { text });
    }
    let ends = pages.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    Book::from_pages(
        pages.iter().zip(ends).map(|((start, label), end)| (label.as_deref(), &text[*start..end])),
    )
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What is printed on one line of a terminal: nothing in it may move the cursor.
fn plain(mut metadata: Metadata) -> Metadata {
    let Metadata { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn } =
        &mut metadata;
    let options = [title, date, language, publisher, series, volume].into_iter().flatten();
    let lists = [creators, isbn, doi, oclc, lccn].into_iter().flatten();
    for value in options.chain(lists).filter(|value| value.contains(char::is_control)) {
        *value = collapsed(value, MAX_FIELD_BYTES);
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Draft, Lines, Out};
    use crate::extracted::{Finish, Judge, Tidy, finish};
    use crate::worker::protocol::put_end;
    use proptest::prelude::*;
    use std::io;
    use std::sync::{Arc, Mutex, PoisonError};

    /// What is written, for whoever has another one of it.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The bytes a worker sends of a book.
    fn frames(read: &Extracted) -> Vec<u8> {
        let written = Written::default();
        let outbox = Outbox::new(Box::new(written.clone()));
        let result = say(&outbox, read);
        outbox.say(|buffer| put_end(buffer, &result));
        outbox.flush().unwrap();
        let bytes = written.0.lock().unwrap();
        bytes.clone()
    }

    fn heard(bytes: impl Read) -> Ending<Result<Extracted, Failure>> {
        Arriving::default().listen(&mut Frames::new(bytes))
    }

    fn check_breach(bytes: &[u8], breach: &str) {
        match heard(bytes) {
            Ending::Breach(found) => assert_eq!(found, breach),
            ending => panic!("{ending:?} where a breach was to be found: {breach}"),
        }
    }

    const BEGUN: &[u8] = b"X\x07\0\0\0\x03\0\0\0pdf";

    fn begun(then: &[u8]) -> Vec<u8> {
        [BEGUN, then].concat()
    }

    #[test]
    fn what_a_worker_may_not_say_is_a_breach() {
        check_breach(b"Y\0\0\0\0", "a frame of no known kind");
        check_breach(b"T\x01\0\x01\0", "a frame too long");
        check_breach(&begun(b"T\x01\0\0\0\xff"), "a frame that makes no sense");
        check_breach(&begun(b"T\x01\0\0\0\x0c"), "a page break within a page");
        check_breach(b"E\x02\0\0\0\0\0", "a frame that makes no sense");
        check_breach(b"E\x01\0\0\0\0", "an end without a book");
        check_breach(b"T\x01\0\0\0a", "a frame out of order");
        check_breach(
            &begun(b"Q\x08\0\0\0\xff\xff\xff\xff\xff\xff\xff\xffE\x01\0\0\0\0"),
            "the quality of other pages",
        );
        let mut hello = begun(b"");
        protocol::put_hello(&mut hello, &Default::default());
        check_breach(&hello, "a frame out of order");
    }

    #[test]
    fn a_job_without_an_end_is_silence() {
        let bytes = begun(b"T\x04\0\0\0someE\x01\0\0\0\0");
        for n_bytes in 0..bytes.len() {
            assert!(matches!(heard(&bytes[..n_bytes]), Ending::Silence), "{n_bytes}");
        }
        let Ending::Said(Ok(read)) = heard(&bytes[..]) else { panic!("a book") };
        assert_eq!((read.book.text(), read.extractor.name.as_str()), ("some", "pdf"));
    }

    #[test]
    fn a_mark_at_the_beginning_of_a_text_stays_a_letter() {
        for text in ["\u{feff}\u{feff}some", "\u{feff}some", "some"] {
            let draft = Draft { text: text.to_owned(), ..Draft::default() };
            let read = finish(draft, Finish::default(), Ok(())).unwrap();
            let Ending::Said(Ok(arrived)) = heard(&frames(&read)[..]) else { panic!("a book") };
            assert_eq!(arrived.book.text(), read.book.text());
        }
    }

    #[derive(Debug, Clone)]
    enum Made {
        Metadata(Box<Metadata>),
        Origin(Option<String>, bool),
        Page(Option<String>),
        Text(String),
        Warning(String),
    }

    fn made() -> impl Strategy<Value = Made> {
        let list = || prop::collection::vec(".{0,9}", 0..4);
        let fields = (prop::option::of(".{0,9}"), list(), list(), prop::option::of(".{0,9}"));
        let metadata = fields.prop_map(|(title, creators, isbn, volume)| {
            Made::Metadata(Box::new(Metadata { title, creators, isbn, volume, ..Metadata::default() }))
        });
        prop_oneof![
            metadata,
            (prop::option::of(".{0,9}"), any::<bool>())
                .prop_map(|(made_by, conversion)| Made::Origin(made_by, conversion)),
            prop::option::of(".{0,99}").prop_map(Made::Page),
            (".{0,20}", 1..9000usize).prop_map(|(text, n)| Made::Text(text.repeat(n))),
            "[a-z]{1,9}-\n[a-z]{1,9}".prop_map(Made::Text),
            ".{0,20}".prop_map(Made::Warning),
        ]
    }

    /// What a reader says.
    fn draft(made: &[Made], lines: Lines) -> Draft {
        let mut draft = Draft::default();
        let mut out = Out::new(&mut draft);
        out.begin("made", lines).unwrap();
        for one in made {
            let said = match one.clone() {
                Made::Metadata(metadata) => out.metadata(*metadata),
                Made::Origin(made_by, is_conversion) => out.origin(Origin { made_by, is_conversion }),
                Made::Page(label) => out.start_page(label.as_deref()),
                Made::Text(text) => out.text(&text),
                Made::Warning(warning) => out.warn(&warning),
            };
            said.unwrap();
        }
        draft
    }

    /// Gives its bytes in pieces of one length.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_book_arrives_as_it_was_finished(
            made in prop::collection::vec(made(), 0..20),
            (printed, raw) in any::<(bool, bool)>(),
            judge in prop::sample::select(vec![Judge::Text, Judge::Whole, Judge::Nothing]),
            failure in prop::option::of((0..Reason::ALL.len(), "[a-z ]{0,20}")),
            n_piece in 1..100_000usize,
        ) {
            let lines = if printed { Lines::Printed } else { Lines::Flowing };
            let how = Finish { tidy: if raw { Tidy::Raw } else { Tidy::Tidied }, judge };
            let result = failure.map_or(Ok(()), |(reason, message)| Err(Failure::new(Reason::ALL[reason], message)));
            if let Ok(read) = finish(draft(&made, lines), how, result) {
                match heard(Pieces(&frames(&read), n_piece)) {
                    Ending::Said(arrived) => prop_assert_eq!(arrived, Ok(read)),
                    ending => prop_assert!(false, "{:?}", ending),
                }
            }
        }

        #[test]
        fn a_few_bytes_gone_wrong_say_no_more_than_a_reader_may(
            made in prop::collection::vec(made(), 0..9),
            wrong in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9),
        ) {
            let Ok(read) = finish(draft(&made, Lines::Flowing), Finish::default(), Ok(())) else { return Ok(()) };
            let mut bytes = frames(&read);
            for (at, byte) in wrong {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Ending::Said(Ok(read)) = heard(&bytes[..]) {
                prop_assert!(read.book.text().len() <= bytes.len());
                let labels = || read.book.pages().filter_map(|page| page.label);
                prop_assert!(labels().all(|label| label.len() <= MAX_LABEL_BYTES));
                prop_assert!(read.quality.is_none_or(|quality| (0.0..=1.0).contains(&quality)));
            }
        }
    }
}
