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
};

const BLOCK: usize = 256 * 1024;
/// No tag that matters is longer.
const LONGEST_TAG: usize = 4096;

/// What the sheet's part says; nothing where it can't be found or is damaged, which the reader of the cells then tells.
pub(super) fn read(bytes: &[u8], sheet: &str, stop: &AtomicBool) -> Shape {
    let mut shape = Shape::default();
    let Ok(mut package) = package::open(bytes) else { return shape };
    let Some(path) = path(&mut package, sheet) else { return shape };
    if let Some(part) = package::part(&mut package, &path) {
        // A part that is cut off was read as far as it went.
        let _ended = scan(part, &mut shape, stop);
    }
    shape
}

/// The part of a sheet, by the workbook's list and its relations.
fn path(package: &mut Package<'_>, sheet: &str) -> Option<String> {
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
fn scan(mut part: impl Read, shape: &mut Shape, stop: &AtomicBool) -> io::Result<()> {
    let needles = [memmem::Finder::new("hidden"), memmem::Finder::new("mergeCell ")];
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
        if is_last || stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        buffer.drain(..whole);
        if buffer.len() > LONGEST_TAG {
            buffer.clear();
        }
    }
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
