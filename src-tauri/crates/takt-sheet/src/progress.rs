//! Reading as it goes: how far it is, the first rows as soon as they are there, and whether it is still wanted.

use std::{
    cell::{Cell, RefCell},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{SheetError, SheetRow};

/// So many of a sheet's rows are told before the rest is read.
pub(crate) const HEAD_ROWS: usize = 100;

/// How far the reading of a sheet is.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadProgress<'a> {
    /// Bytes of the file that were read for the sheet, and how many there are to read. Where a reader can't tell, both are 0.
    pub read: u64,
    pub of: u64,
    /// Rows with content so far.
    pub rows: u32,
    /// The first rows (at most 100), once: as soon as they are there. What is hidden isn't known yet.
    pub head: Option<&'a [SheetRow]>,
}

/// Whom a reader tells how far it is.
pub(crate) struct ProgressReporter<'a> {
    /// False once reading is cancelled.
    tell: &'a dyn Fn(ReadProgress<'_>) -> bool,
    read: RefCell<Arc<AtomicU64>>,
    of: Cell<u64>,
    rows: Cell<u32>,
}

impl fmt::Debug for ProgressReporter<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProgressReporter").finish_non_exhaustive()
    }
}

impl<'a> ProgressReporter<'a> {
    pub(crate) fn new(tell: &'a dyn Fn(ReadProgress<'_>) -> bool) -> Self {
        Self { tell, read: RefCell::default(), of: Cell::new(0), rows: Cell::new(0) }
    }

    /// Where the bytes are counted that are read, and how many there are to read.
    pub(crate) fn expect(&self, read: Arc<AtomicU64>, of: u64) {
        self.read.replace(read);
        self.of.set(of);
    }

    /// Whether the reading isn't wanted any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.report(self.rows.get(), None).is_err()
    }

    /// Ends the reading where it isn't wanted any more.
    pub(crate) fn report(&self, rows: u32, head: Option<&[SheetRow]>) -> Result<(), SheetError> {
        let rows = rows.max(self.rows.get());
        self.rows.set(rows);
        let of = self.of.get();
        let read = self.read.borrow().load(Ordering::Relaxed).min(of);
        if (self.tell)(ReadProgress { read, of, rows, head }) { Ok(()) } else { Err(SheetError::Cancelled) }
    }
}
