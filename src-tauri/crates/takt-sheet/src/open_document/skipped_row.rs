//! Skips the rows of sheets that aren't read, if the XML reader would find no errors in them.

use memchr::memchr;

use crate::regular_xml::{Cursor, Miss, predefined_reference};

/// Elements that have a meaning anywhere.
const MEANINGFUL: [&str; 3] = ["table", "style", "table-properties"];
const USUAL: [&str; 2] = ["table:table-cell", "text:p"];

/// Skips one row with all its content, and the blanks before it.
pub(super) fn skip<'t>(cursor: &mut Cursor<'t>, open: &mut Vec<&'t str>) -> Result<(), Miss> {
    open.clear();
    cursor.skip_blanks();
    let first = cursor.tag()?;
    if name_of(first) != "table:table-row" {
        return Err(Miss::Irregular);
    }
    enter(first, open)?;
    while let Some(name) = open.last() {
        check_references(cursor.raw_text()?)?;
        if cursor.take(b"</")? {
            cursor.expect(name.as_bytes())?;
            cursor.expect(b">")?;
            open.pop();
        } else {
            enter(cursor.tag()?, open)?;
        }
    }
    Ok(())
}

fn enter<'t>(tag: &'t str, open: &mut Vec<&'t str>) -> Result<(), Miss> {
    let name = name_of(tag);
    if !USUAL.contains(&name) {
        // Comments, CDATA and instructions may contain a `>`.
        let is_element = tag.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
        let local = name.split_once(':').map_or(name, |(_, local)| local);
        if !is_element || MEANINGFUL.contains(&local) {
            return Err(Miss::Irregular);
        }
    }
    if !tag.ends_with('/') {
        open.push(name);
    }
    Ok(())
}

fn name_of(tag: &str) -> &str {
    let end = tag.bytes().position(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r'));
    end.and_then(|end| tag.get(..end)).unwrap_or_else(|| tag.strip_suffix('/').unwrap_or(tag))
}

/// Checks that all references are predefined.
fn check_references(mut text: &str) -> Result<(), Miss> {
    while let Some(at) = memchr(b'&', text.as_bytes()) {
        let reference = text.get(at..).unwrap_or_default();
        let (_, length) = predefined_reference(reference).ok_or(Miss::Irregular)?;
        text = reference.get(length..).unwrap_or_default();
    }
    Ok(())
}
