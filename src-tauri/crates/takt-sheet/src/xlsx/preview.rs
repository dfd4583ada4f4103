//! A workbook's front as a small workbook of its own: its list of sheets, or the first rows of one, without unpacking all
//! of its shared texts and cells. The same reader reads both, so that nothing is understood in two ways.

use std::{
    io::{self, Cursor, Read, Write},
    sync::{Arc, atomic::AtomicU64},
};

use memchr::memmem;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::shape::{part_of, sheet_path};
use crate::{
    SheetError,
    package::{self, Package},
    source::Source,
    watch::HEAD_ROWS,
};

const BLOCK: u64 = 64 * 1024;
/// Rows that are longer than this together aren't had before the rest.
const MOST_OF_SHEET: usize = 2 * 1024 * 1024;
/// Texts that lie further behind aren't, either.
const MOST_OF_TEXTS: usize = 4 * 1024 * 1024;
/// A directory part that is larger isn't copied.
const LARGEST_DIRECTORY: u64 = 16 * 1024 * 1024;
const SHARED_TEXTS: &str = "sharedstrings.xml";

/// The workbook without its sheets, shared texts and pictures.
pub(super) fn without_cells(source: &Source) -> Result<Source, SheetError> {
    let mut package = package::open(source)?;
    Ok(Source::of(copy(&mut package, &[])?))
}

/// The workbook with nothing but the first rows of a sheet; absent where the sheet is short, or where they can't be had soon.
/// What is read for it is counted.
pub(super) fn first_rows(source: &Source, sheet: &str, read: &Arc<AtomicU64>) -> Option<Source> {
    let mut package = package::open_counted(source, read).ok()?;
    let path = sheet_path(&mut package, sheet)?;
    let (sheet_name, texts_name) = (part_of(&package, |name| name == path)?, part_of(&package, is_texts));
    let mut rows = until(package::part(&mut package, &sheet_name)?, MOST_OF_SHEET, &[b"</row>"], HEAD_ROWS)?;
    let mut parts = Vec::new();
    if let (Some(most), Some(name)) = (last_text(&rows), texts_name) {
        let closings: [&[u8]; 2] = [b"</si>", b"<si/>"];
        let mut texts = until(package::part(&mut package, &name)?, MOST_OF_TEXTS, &closings, most + 1)?;
        texts.extend(b"</sst>");
        parts.push((name, texts));
    }
    rows.extend(b"</sheetData></worksheet>");
    parts.push((sheet_name, rows));
    Some(Source::of(copy(&mut package, &parts).ok()?))
}

fn is_texts(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(SHARED_TEXTS)
}

/// The directory parts as they are, and others in the place of their own.
fn copy(package: &mut Package, parts: &[(String, Vec<u8>)]) -> Result<Vec<u8>, SheetError> {
    let mut small = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..package.len() {
        let name = package.name_for_index(index).and_then(Result::ok).unwrap_or_default().to_ascii_lowercase();
        let wanted = [".rels", "[content_types].xml", "styles.xml"].iter().any(|end| name.ends_with(end))
            || name.replace('\\', "/").rsplit('/').next().is_some_and(|name| name.starts_with("workbook"));
        if !wanted {
            continue;
        }
        let part = package.by_index_raw(index).map_err(SheetError::damaged)?;
        if part.size() <= LARGEST_DIRECTORY {
            small.raw_copy_file(part).map_err(SheetError::damaged)?;
        }
    }
    for (name, content) in parts {
        small.start_file(&**name, SimpleFileOptions::default()).map_err(SheetError::damaged)?;
        small.write_all(content).map_err(SheetError::damaged)?;
    }
    Ok(small.finish().map_err(SheetError::damaged)?.into_inner())
}

/// The part up to so many of these closing tags; absent where it has fewer, or holds them too far away.
fn until(mut part: impl Read, most: usize, closings: &[&[u8]], count: usize) -> Option<Vec<u8>> {
    let finders: Vec<_> = closings.iter().map(memmem::Finder::new).collect();
    let mut content = Vec::new();
    let (mut from, mut found) = (0, 0);
    while content.len() < most {
        if block(&mut part, &mut content).ok()? == 0 {
            return None;
        }
        loop {
            let rest = content.get(from..)?;
            let ends = finders.iter().filter_map(|finder| Some(finder.find(rest)? + finder.needle().len()));
            let Some(end) = ends.min() else { break };
            from += end;
            found += 1;
            if found == count {
                content.truncate(from);
                return Some(content);
            }
        }
    }
    None
}

fn block(part: &mut impl Read, content: &mut Vec<u8>) -> io::Result<usize> {
    part.by_ref().take(BLOCK).read_to_end(content)
}

/// The highest of the shared texts that these rows name.
fn last_text(rows: &[u8]) -> Option<usize> {
    let value = memmem::Finder::new("<v>");
    let numbers = memmem::find_iter(rows, "t=\"s\"").filter_map(|at| {
        let rest = rows.get(at..)?;
        let digits = rest.get(value.find(rest)? + 3..)?;
        let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
        std::str::from_utf8(digits.get(..end)?).ok()?.parse::<usize>().ok()
    });
    numbers.max()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::{Limits, OutColumn, OutSheet, Workbook, write_workbook};

    #[test]
    fn the_first_rows_are_had_without_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.xlsx");
        let rows = (0..60_000).map(|row| vec![format!("WO-{row}").into(), "010".into(), f64::from(row).into()]);
        let columns = ["code", "op", "note"].map(OutColumn::new).to_vec();
        let sheet = OutSheet { name: "Plan".to_owned(), columns, rows: rows.collect(), ..OutSheet::default() };
        write_workbook(&path, &[sheet]).unwrap();
        let limits = Limits::default();
        let source = Source::open(&path, &limits).unwrap();
        let read = Arc::default();
        let first = super::super::head(&source, "Plan", &limits, &read).unwrap();
        assert!(read.load(Ordering::Relaxed) * 8 < source.len(), "{read:?} of {}", source.len());
        let all = Workbook::open(&path, &limits).unwrap().read("Plan", &limits, &|| false).unwrap();
        assert_eq!(first, all.rows.iter().take(HEAD_ROWS).collect::<Vec<_>>());
        assert_eq!(all.rows.len(), 60_001);
        assert!(first_rows(&source, "Other", &read).is_none());
    }
}
