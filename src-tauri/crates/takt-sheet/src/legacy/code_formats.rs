//! Cells of an xls whose number format shows more than the number's digits (`00000`), by their place.
//!
//! calamine tells dates from numbers and no more, so the formats and the cells that use them are looked up in the records.

use std::collections::HashMap;

use super::{BEGIN, END, FORMULA, MULTIPLE, NUMBER, PACKED_NUMBER, Records};
use crate::{compound::u16_at, number_format::CodeFormat};

const FORMAT: u16 = 0x041E;
const CELL_FORMAT: u16 = 0x00E0;
const VERSION_8: u16 = 0x0600;
/// Bytes of one cell among several: its format and its number.
const PACKED_CELL: usize = 6;

/// By row and column, both 0-based.
pub(super) type Places<'f> = HashMap<(u32, u32), &'f CodeFormat>;

/// By a cell's format number.
pub(super) struct CodeFormats(Vec<Option<CodeFormat>>);

impl CodeFormats {
    /// From the records that stand before the sheets.
    pub(super) fn parse(stream: &[u8]) -> Self {
        let mut codes: HashMap<u16, CodeFormat> = HashMap::new();
        let mut used: Vec<u16> = Vec::new();
        let is_8 = is_8(stream);
        for (kind, content) in Records(stream) {
            match kind {
                FORMAT => {
                    let code = text(content, is_8).and_then(|code| CodeFormat::parse(&code));
                    codes.extend(u16_at(content, 0).zip(code));
                }
                CELL_FORMAT => used.push(u16_at(content, 2).unwrap_or_default()),
                END => break,
                _ => {}
            }
        }
        Self(used.iter().map(|number| codes.get(number).cloned()).collect())
    }

    /// The cells of one sheet that have such a format.
    pub(super) fn places(&self, sheet: &[u8]) -> Places<'_> {
        let mut places = Places::new();
        if self.0.iter().all(Option::is_none) {
            return places;
        }
        let mut depth = 0_u32;
        for (kind, content) in Records(sheet) {
            let half = |at: usize| u16_at(content, at);
            match kind {
                BEGIN => depth += 1,
                END if depth <= 1 => break,
                END => depth -= 1,
                _ if depth > 1 => {}
                NUMBER | PACKED_NUMBER | FORMULA => {
                    places.extend(self.place(half(0), half(2), half(4)));
                }
                MULTIPLE => {
                    let cells = content.len().saturating_sub(PACKED_CELL) / PACKED_CELL;
                    for (cell, column) in (half(2).unwrap_or_default()..).enumerate().take(cells) {
                        places.extend(self.place(half(0), Some(column), half(4 + cell * PACKED_CELL)));
                    }
                }
                _ => {}
            }
        }
        places
    }

    fn place(&self, row: Option<u16>, column: Option<u16>, format: Option<u16>) -> Option<((u32, u32), &CodeFormat)> {
        let format = self.0.get(usize::from(format?))?.as_ref()?;
        Some(((u32::from(row?), u32::from(column?)), format))
    }
}

/// True for what Excel 97 and later ones write.
pub(super) fn is_8(stream: &[u8]) -> bool {
    Records(stream).next().is_none_or(|(_, content)| u16_at(content, 0) == Some(VERSION_8))
}

/// A format's text: two bytes a letter where it says so, else one.
fn text(content: &[u8], is_8: bool) -> Option<String> {
    if !is_8 {
        let length = usize::from(*content.get(2)?);
        return Some(content.get(3..3 + length)?.iter().copied().map(char::from).collect());
    }
    let length = usize::from(u16_at(content, 2)?);
    if content.get(4)? & 1 == 0 {
        return Some(content.get(5..5 + length)?.iter().copied().map(char::from).collect());
    }
    let units: Vec<u16> = content.get(5..5 + 2 * length)?.chunks_exact(2).filter_map(|unit| u16_at(unit, 0)).collect();
    Some(String::from_utf16_lossy(&units))
}
