//! What must hold for any catalogue: it is read or refused, twice the same, and every record is within the limits.

use siglum_extract::limits::{MAX_FIELD_BYTES, MAX_FIELD_VALUES};
use siglum_extract::records::{BadRecord, ReadRecord, RecordFormat, RecordOptions, RecordReader};

/// Bytes read as a catalogue of a format, whatever they look like.
pub fn read_as(format: RecordFormat, bytes: &[u8]) {
    let options = RecordOptions { format: Some(format), ..RecordOptions::default() };
    let all = read(bytes, &options);
    assert_eq!(all, read(bytes, &options), "the same catalogue is read the same");
    for (at, record) in all.iter().enumerate() {
        let number = record.as_ref().map_or_else(|bad| bad.number, |read| read.number);
        assert_eq!(number, at as u64 + 1);
        check(record);
    }
    let skip = all.len() / 2;
    let rest = read(bytes, &RecordOptions { skip: skip as u64, ..options });
    assert_eq!(rest, all[skip..], "reading goes on where it stopped");
}

fn read(bytes: &[u8], options: &RecordOptions) -> Vec<Result<ReadRecord, BadRecord>> {
    RecordReader::open(bytes, options).map(|reader| reader.collect()).unwrap_or_default()
}

fn check(record: &Result<ReadRecord, BadRecord>) {
    let Ok(read) = record else { return };
    let record = &read.record;
    let metadata = &record.metadata;
    let one = [
        &metadata.title,
        &metadata.date,
        &metadata.publisher,
        &metadata.series,
        &metadata.volume,
        &record.edition,
        &record.id,
    ];
    // Composing may lengthen a few characters.
    let check = |line: &String| {
        assert!(!line.is_empty() && line.len() <= 3 * MAX_FIELD_BYTES && line.trim() == line, "{line:?}");
        assert!(!line.contains(siglum::report::steers_terminal), "{line:?}");
    };
    one.into_iter().flatten().for_each(check);
    for list in [&metadata.creators, &record.categories, &metadata.isbn] {
        assert!(list.len() <= MAX_FIELD_VALUES);
        list.iter().for_each(check);
    }
}
