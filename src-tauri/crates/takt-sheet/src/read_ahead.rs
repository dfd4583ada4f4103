//! Reads cells ahead on a second thread, so that parsing cells and storing them happen at the same time.

use std::{
    mem, panic,
    sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    thread,
};

use crate::{SheetError, cell_batch::CellBatch, panic_text::suppress_panic_text};

/// The number of cells of a batch.
pub(crate) const MAX_BATCH_CELLS: usize = 1024;
/// The number of batches that may wait to be stored.
const MAX_WAITING_BATCHES: usize = 8;

/// Sends batches to the thread that stores their cells.
pub(crate) struct BatchSender {
    full: SyncSender<CellBatch>,
    used: Receiver<CellBatch>,
}

/// Receives batches from the thread that reads their cells.
pub(crate) struct BatchReceiver {
    full: Receiver<CellBatch>,
    used: Sender<CellBatch>,
}

/// Runs `read` on another thread and `store` on this one. Returns the result of `read`. If both fail, it returns the
/// error of `store`, which comes first in the file.
pub(crate) fn read_in_parallel<T: Send>(
    read: impl FnOnce(BatchSender) -> Result<T, SheetError> + Send,
    store: impl FnOnce(BatchReceiver) -> Result<(), SheetError>,
) -> Result<T, SheetError> {
    thread::scope(|scope| {
        let (sender, receiver) = batches();
        let reading = scope.spawn(move || suppress_panic_text(move || read(sender)));
        let stored = store(receiver);
        // `store` has closed the channel, which ends the reading.
        let read = reading.join().unwrap_or_else(|reason| panic::resume_unwind(reason));
        stored.and(read)
    })
}

fn batches() -> (BatchSender, BatchReceiver) {
    let (full, filled) = sync_channel(MAX_WAITING_BATCHES);
    let (empty, used) = channel();
    (BatchSender { full, used }, BatchReceiver { full: filled, used: empty })
}

impl BatchSender {
    /// Sends a batch and replaces it by an empty one.
    ///
    /// # Errors
    /// If the receiver is gone. [`read_in_parallel`] returns the receiver's own error then.
    pub(crate) fn send(&self, batch: &mut CellBatch) -> Result<(), SheetError> {
        let full = mem::replace(batch, self.used.try_recv().unwrap_or_default());
        self.full.send(full).map_err(|_| SheetError::Cancelled)
    }

    /// Sends the batches that `fill` fills with the given number of cells each, until it returns false.
    ///
    /// # Errors
    /// Those of [`Self::send`] and of `fill`.
    pub(crate) fn send_all(
        &self,
        mut fill: impl FnMut(&mut CellBatch, usize) -> Result<bool, SheetError>,
    ) -> Result<(), SheetError> {
        let mut batch = CellBatch::default();
        loop {
            let filled = fill(&mut batch, MAX_BATCH_CELLS);
            // The cells before an error are stored, because they may exceed a limit first.
            self.send(&mut batch)?;
            if !filled? {
                return Ok(());
            }
        }
    }
}

impl BatchReceiver {
    /// Calls `take` with every batch in order, until there are none left or it fails.
    pub(crate) fn take_all(self, mut take: impl FnMut(&CellBatch) -> Result<(), SheetError>) -> Result<(), SheetError> {
        for mut batch in self.full {
            take(&batch)?;
            batch.clear();
            // The reading thread may have ended.
            let _ = self.used.send(batch);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_fails_once_the_receiver_is_gone() {
        let (sender, receiver) = batches();
        drop(receiver);
        assert!(matches!(sender.send_all(|_, _| Ok(true)), Err(SheetError::Cancelled)));
    }

    #[test]
    fn the_receivers_error_comes_first() {
        let read = |sender: BatchSender| sender.send_all(|_, _| Ok(true));
        let result = read_in_parallel(read, |_| Err(SheetError::Empty));
        assert!(matches!(result, Err(SheetError::Empty)), "{result:?}");
    }
}
