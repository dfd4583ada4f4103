//! Number cells of an xlsb whose format shows more than the number's digits (`00000`), which calamine doesn't tell.

use std::{collections::HashMap, io::BufReader};

use super::{Records, wide_text};
use crate::{
    Cell,
    compound::{u16_at, u32_at},
    number_format::CodeFormat,
    package::{self, Package},
};

const FORMAT: u32 = 44;
const CELL_FORMAT: u32 = 47;
const CELL_FORMATS: u32 = 617;
const CELL_FORMATS_END: u32 = 618;
const PACKED_NUMBER: u32 = 2;
const NUMBER: u32 = 5;
const FORMULA_NUMBER: u32 = 9;

/// By a cell's format number.
pub(super) struct CodeFormats(Vec<Option<CodeFormat>>);

impl CodeFormats {
    /// None where the styles can't be read: then every number is what it is.
    pub(super) fn read(package: &mut Package) -> Self {
        let mut codes: HashMap<u16, CodeFormat> = HashMap::new();
        let mut found = Vec::new();
        let mut within = false;
        let Some(part) = package::part(package, "xl/styles.bin") else { return Self(found) };
        for (kind, content) in Records(BufReader::new(part)).map_while(Result::ok) {
            match kind {
                FORMAT => {
                    let code = wide_text(&mut content.get(2..).unwrap_or_default());
                    codes.extend(u16_at(&content, 0).zip(code.and_then(|code| CodeFormat::parse(&code))));
                }
                CELL_FORMATS => within = true,
                CELL_FORMATS_END => break,
                CELL_FORMAT if within => {
                    found.push(u16_at(&content, 2).and_then(|number| codes.get(&number).cloned()));
                }
                _ => {}
            }
        }
        Self(found)
    }

    /// The cell of a record, with its column, where its format shows more than its number.
    pub(super) fn cell(&self, kind: u32, content: &[u8]) -> Option<(u32, Cell)> {
        let number = match kind {
            PACKED_NUMBER => packed(u32_at(content, 8)?),
            NUMBER | FORMULA_NUMBER => f64::from_le_bytes(content.get(8..16)?.try_into().ok()?),
            _ => return None,
        };
        let format = self.0.get((u32_at(content, 4)? & 0x00FF_FFFF) as usize)?.as_ref()?;
        Some((u32_at(content, 0)?, Cell::number_shown(number, format.show(number)?)))
    }
}

/// A number in four bytes: 30 bits of a whole number or of a double, and how it is to be read.
fn packed(bits: u32) -> f64 {
    let number = if bits & 2 == 0 {
        f64::from_bits(u64::from(bits & 0xFFFF_FFFC) << 32)
    } else {
        f64::from(bits.cast_signed() >> 2)
    };
    if bits & 1 == 0 { number } else { number / 100.0 }
}
