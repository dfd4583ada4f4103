//! Reads cells ahead on a thread of its own, so that taking them apart and putting them away happen at the same time.

use std::{
    mem, panic,
    sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    thread,
};

use crate::{SheetError, cell_batch::CellBatch, panic_text::quiet};

/// Cells that change hands at once.
pub(crate) const MAX_BATCH_CELLS: usize = 1024;
/// Batches that may wait to be put away.
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

/// Reads on a thread of its own, and takes what is read meanwhile; gives what the reading gives. Where both fail, it tells what
/// was wrong with taking: that came first in the file.
pub(crate) fn each<T: Send>(
    read: impl FnOnce(BatchSender) -> Result<T, SheetError> + Send,
    take: impl FnOnce(BatchReceiver) -> Result<(), SheetError>,
) -> Result<T, SheetError> {
    thread::scope(|scope| {
        let (sender, receiver) = batches();
        let reading = scope.spawn(move || quiet(move || read(sender)));
        let taken = take(receiver);
        // The channel is closed by now, which ends the reading.
        let read = reading.join().unwrap_or_else(|reason| panic::resume_unwind(reason));
        taken.and(read)
    })
}

fn batches() -> (BatchSender, BatchReceiver) {
    let (full, filled) = sync_channel(MAX_WAITING_BATCHES);
    let (empty, used) = channel();
    (BatchSender { full, used }, BatchReceiver { full: filled, used: empty })
}

impl BatchSender {
    /// Sends a batch and puts an empty one in its place.
    ///
    /// # Errors
    /// If the receiver is gone. [`each`] gives the receiver's own error then.
    pub(crate) fn send(&self, batch: &mut CellBatch) -> Result<(), SheetError> {
        let full = mem::replace(batch, self.used.try_recv().unwrap_or_default());
        self.full.send(full).map_err(|_| SheetError::Cancelled)
    }

    /// Sends the batches that `fill` fills with so many cells each, until it returns false.
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
    /// Gives every batch to `take`, in their order, until there are none or it fails.
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
        let result = each(read, |_| Err(SheetError::Empty));
        assert!(matches!(result, Err(SheetError::Empty)), "{result:?}");
    }
}
