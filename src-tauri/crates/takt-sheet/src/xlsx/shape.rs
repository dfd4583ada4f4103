//! What calamine doesn't tell of an xlsx sheet: hidden rows and columns, and merged cells where they stand.
//!
//! The part is searched for the few words that matter instead of being parsed, and on a thread of its own, so that a sheet
//! of a million rows is read as fast as before.

use std::{
    io::{self, Read},
    sync::atomic::{AtomicBool, Ordering},
};

use memchr::{memchr, memmem, memrchr};
use quick_xml::{Reader, events::Event};

use crate::{
    package::{self, Package, attribute},
    shape::{Merge, Shape},
    source::Source,
};

const BLOCK: usize = 256 * 1024;
/// No tag that matters is longer.
const LONGEST_TAG: usize = 4096;

/// What was found beside the cells.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) shape: Shape,
    /// Whether there are formulas; absent where the part couldn't be looked through.
    pub(super) formulas: Option<bool>,
}

/// What the sheet's part says; nothing where it can't be found or is damaged, which the reader of the cells then tells.
pub(super) fn read(source: &Source, sheet: &str, stop: &AtomicBool) -> Found {
    let mut found = Found::default();
    let Ok(mut package) = package::open(source) else { return found };
    let Some(path) = sheet_path(&mut package, sheet) else { return found };
    if let Some(part) = package::part(&mut package, &path) {
        // A part that is cut off was read as far as it went.
        if let Ok(formulas) = scan(part, &mut found.shape, stop) {
            found.formulas = formulas;
        }
    }
    found
}

/// Bytes of the file that have to be read for a sheet: its part and the shared texts.
pub(super) fn packed_bytes(source: &Source, sheet: &str) -> u64 {
    let Ok(mut package) = package::open(source) else { return 0 };
    let path = sheet_path(&mut package, sheet).unwrap_or_default();
    let sizes = (0..package.len()).filter_map(|index| {
        let part = package.by_index_raw(index).ok()?;
        let name = part.name().ok()?.replace('\\', "/");
        let counts = name.eq_ignore_ascii_case(&path) || name.to_ascii_lowercase().ends_with("sharedstrings.xml");
        counts.then(|| part.compressed_size())
    });
    sizes.sum()
}

/// A part's name as it is written, by what it should be.
pub(super) fn part_of(package: &Package, is: impl Fn(&str) -> bool) -> Option<String> {
    let names = (0..package.len()).filter_map(|index| package.name_for_index(index)?.ok());
    names.map(|name| name.into_owned()).find(|name| is(&name.replace('\\', "/")))
}

/// The part of a sheet, by the workbook's list and its relations.
pub(super) fn sheet_path(package: &mut Package, sheet: &str) -> Option<String> {
    let workbook = package::relations(&package::small_part(package, "_rels/.rels")?)
        .into_iter()
        .find(|relation| relation.kind.ends_with("/officeDocument"))?;
    let workbook = package::absolute("", &workbook.target);
    let (folder, name) = workbook.rsplit_once('/').unwrap_or(("", &workbook));
    let relations = package::relations(&package::small_part(package, &format!("{folder}/_rels/{name}.rels"))?);
    let content = package::small_part(package, &workbook)?;
    let mut reader = Reader::from_str(&content);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) if start.local_name().as_ref() == "sheet" => {
                if attribute(&start, "name").as_deref() != Some(sheet) {
                    continue;
                }
                let id = start
                    .attributes()
                    .flatten()
                    .find(|found| found.key.prefix().is_some() && found.key.local_name().as_ref() == "id")?;
                let relation = relations.into_iter().find(|relation| relation.id == id.value.as_ref())?;
                return Some(package::absolute(folder, &relation.target));
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// Searches block by block; what a block ends with in the middle of a tag is looked at with the next one.
fn scan(mut part: impl Read, shape: &mut Shape, stop: &AtomicBool) -> io::Result<Option<bool>> {
    let needles = [memmem::Finder::new("hidden"), memmem::Finder::new("mergeCell ")];
    let formulas = [memmem::Finder::new("<f"), memmem::Finder::new(":f")];
    let mut has_formulas = false;
    let mut buffer = Vec::with_capacity(BLOCK + LONGEST_TAG);
    loop {
        let kept = buffer.len();
        let read = part.by_ref().take(BLOCK as u64).read_to_end(&mut buffer)?;
        let is_last = read == 0;
        let whole = if is_last { buffer.len() } else { memrchr(b'<', &buffer).unwrap_or(kept) };
        let block = buffer.get(..whole).unwrap_or_default();
        for needle in &needles {
            for at in needle.find_iter(block) {
                look(block, at, shape);
            }
        }
        has_formulas = has_formulas || formulas.iter().any(|needle| begins_formula(needle, block));
        if is_last {
            return Ok(Some(has_formulas));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        buffer.drain(..whole);
        if buffer.len() > LONGEST_TAG {
            buffer.clear();
        }
    }
}

/// Whether a tag `f` opens; what only looks like one costs time and nothing else.
fn begins_formula(needle: &memmem::Finder<'_>, block: &[u8]) -> bool {
    needle.find_iter(block).any(|at| block.get(at + 2).is_none_or(|next| b"> \t\r\n/".contains(next)))
}

/// The tag around a word that was found, where it is one of those that matter.
fn look(block: &[u8], at: usize, shape: &mut Shape) {
    let front = block.get(..at).unwrap_or_default();
    let Some(open) = memrchr(b'<', front) else { return };
    let rest = block.get(open..).unwrap_or_default();
    let Some(close) = memchr(b'>', rest).filter(|&close| open + close > at && close < LONGEST_TAG) else { return };
    let Some(tag) = rest.get(..=close).and_then(|tag| std::str::from_utf8(tag).ok()) else { return };
    let Ok(Event::Start(start) | Event::Empty(start)) = Reader::from_str(tag).read_event() else { return };
    let number =
        |name| attribute(&start, name).and_then(|text| text.trim().parse::<u32>().ok()).filter(|&number| number > 0);
    let hidden = || matches!(attribute(&start, "hidden").as_deref(), Some("1" | "true" | "on"));
    match start.local_name().as_ref() {
        "row" if hidden() => {
            if let Some(row) = number("r") {
                shape.hide_rows(row, row);
            }
        }
        "col" if hidden() => {
            if let (Some(first), Some(last)) = (number("min"), number("max")) {
                shape.hide_columns(first - 1, last - 1);
            }
        }
        "mergeCell" => {
            if let Some(merge) = attribute(&start, "ref").as_deref().and_then(Merge::parse) {
                shape.merge(merge);
            }
        }
        _ => {}
    }
}
