//! Packages (zip). The sizes that the directory claims are checked against the limits before anything is unpacked.
//!
//! The zip reader refuses a part that unpacks to more than it claims, so the claims are reliable bounds.

mod kind;
mod parts;
mod relations;
mod unpacking;

use crate::{FileKind, Limits, Measure, SheetError, source::Source};
pub(crate) use parts::{Package, description, has_part, open, open_counted, part, read_part, read_rest};
pub(crate) use relations::{Relation, part_of_kind, relations, resolve_target};
pub(crate) use unpacking::{BlockSender, on_another_thread, unpacked};

/// The maximum unpacked bytes per packed byte. Rows of a plan unpack to thirty to sixty times their size. A much higher
/// ratio means that the data repeats, which only costs time.
const MAX_BYTES_PER_PACKED_BYTE: u64 = 300;
/// Like [`MAX_BYTES_PER_PACKED_BYTE`], but for shared texts, each of which is stored only once.
const MAX_TEXT_BYTES_PER_PACKED_BYTE: u64 = 150;
/// Smaller parts may unpack to any multiple of their packed size.
const SMALL_ENOUGH: u64 = 32 * 1024 * 1024;

/// Checks the limits and returns which kind of workbook it is.
pub(crate) fn inspect(source: &Source, limits: &Limits) -> Result<FileKind, SheetError> {
    let mut package = open(source)?;
    if package.len() > limits.parts {
        return Err(SheetError::too_large(Measure::Parts, limits.parts as u64));
    }
    let mut unpacked = 0_u64;
    let mut shared_texts = Vec::new();
    for index in 0..package.len() {
        let part = package.by_index_raw(index).map_err(SheetError::damaged)?;
        if part.encrypted() {
            return Err(SheetError::Protected);
        }
        unpacked = unpacked.saturating_add(part.size());
        let name = part.name().map_err(SheetError::damaged)?.to_ascii_lowercase();
        let is_texts = name.ends_with("sharedstrings.xml") || name.ends_with("sharedstrings.bin");
        let per_byte = if is_texts { MAX_TEXT_BYTES_PER_PACKED_BYTE } else { MAX_BYTES_PER_PACKED_BYTE };
        let max_size = part.compressed_size().saturating_mul(per_byte).max(SMALL_ENOUGH);
        if part.size() > max_size {
            return Err(SheetError::too_large(Measure::UnpackedBytes, max_size));
        }
        if is_texts {
            shared_texts.push(part.size());
        }
        if name.ends_with("styles.xml") && part.size() > limits.style_bytes {
            return Err(SheetError::too_large(Measure::UnpackedBytes, limits.style_bytes));
        }
    }
    if unpacked > limits.unpacked_bytes {
        return Err(SheetError::too_large(Measure::UnpackedBytes, limits.unpacked_bytes));
    }
    for size in shared_texts {
        if size > limits.shared_text_bytes {
            return Err(SheetError::too_large(Measure::UnpackedBytes, limits.shared_text_bytes));
        }
    }
    kind::detect(&mut package)
}
