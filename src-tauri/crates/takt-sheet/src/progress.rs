//! Reports the progress of reading a file, and its first rows once. The callback can cancel reading.

use std::{
    cell::{Cell, RefCell},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{SheetError, SheetRow};

/// The number of rows that are reported before the rest is read.
pub(crate) const REPORTED_HEAD_ROWS: usize = 100;

/// The progress of reading a sheet.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadProgress<'a> {
    /// Bytes of the file that were read for the sheet, and the total to read. Both are 0 if the reader doesn't know
    /// them.
    pub bytes_read: u64,
    pub total_bytes: u64,
    /// The rows with content so far.
    pub rows: u32,
    /// The first rows (at most 100), reported once as soon as they are read. Hidden rows aren't known yet.
    pub head: Option<&'a [SheetRow]>,
}

/// Reports a reader's progress to a callback.
pub(crate) struct ProgressReporter<'a> {
    /// Returns false once reading is canceled.
    callback: &'a dyn Fn(ReadProgress<'_>) -> bool,
    read: RefCell<Arc<AtomicU64>>,
    total: Cell<u64>,
    rows: Cell<u32>,
}

impl fmt::Debug for ProgressReporter<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProgressReporter").finish_non_exhaustive()
    }
}

impl<'a> ProgressReporter<'a> {
    pub(crate) fn new(callback: &'a dyn Fn(ReadProgress<'_>) -> bool) -> Self {
        Self { callback, read: RefCell::default(), total: Cell::new(0), rows: Cell::new(0) }
    }

    /// Sets the counter of the bytes that are read, and the total. Without it, both are reported as 0.
    pub(crate) fn set_counter(&self, read: Arc<AtomicU64>, total: u64) {
        self.read.replace(read);
        self.total.set(total);
    }

    /// Returns whether reading is canceled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.report(self.rows.get(), None).is_err()
    }

    /// Reports progress, and fails if reading is canceled.
    pub(crate) fn report(&self, rows: u32, head: Option<&[SheetRow]>) -> Result<(), SheetError> {
        let rows = rows.max(self.rows.get());
        self.rows.set(rows);
        let total_bytes = self.total.get();
        let bytes_read = self.read.borrow().load(Ordering::Relaxed).min(total_bytes);
        if (self.callback)(ReadProgress { bytes_read, total_bytes, rows, head }) {
            Ok(())
        } else {
            Err(SheetError::Cancelled)
        }
    }
}
