//! The bounds that keep the memory for reading an xls small.

/// Excel allows 4,050 cell formats per file and far fewer number formats. Other programs write more.
const MAX_FORMATS: usize = 16_384;
/// The longest record is split every 8 kB, so a file of 64 MB has about 8,000 continuations.
const MAX_CONTINUED: usize = 65_536;
/// A reader never uses more memory than these multiples of the file's bytes and of its texts' bytes.
const BYTES_SHARE: u64 = 16;
const TEXT_SHARE: u64 = 8;

/// The bounds within which a file is read in this process. All other memory of a reader is a small multiple of the
/// file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The maximum number of number formats, and of cell formats.
    pub(super) formats: usize,
    /// The maximum number of records that continue one record.
    pub(super) continuations: usize,
    /// The maximum bytes of all texts of cells. A shared text counts once per cell.
    pub(super) text_bytes: u64,
}

impl Bounds {
    pub(super) const NONE: Self = Self { formats: usize::MAX, continuations: usize::MAX, text_bytes: u64::MAX };

    /// Returns the bounds for a file of `bytes` bytes whose reader may use `memory` bytes, or `None` if the file alone
    /// is too large.
    pub(crate) fn for_file(bytes: usize, memory: u64) -> Option<Self> {
        let text_bytes = memory / TEXT_SHARE;
        let fits = (bytes as u64).saturating_mul(BYTES_SHARE) <= memory;
        fits.then_some(Self { formats: MAX_FORMATS, continuations: MAX_CONTINUED, text_bytes })
    }
}
