//! Reads cells ahead on a thread of its own, so that taking them apart and putting them away happen at the same time.

use std::{
    panic,
    sync::mpsc::{Receiver, SyncSender, channel, sync_channel},
    thread,
};

use super::cells::{CellReader, RawCell};
use crate::{
    Limits, SheetError,
    package::{self, Package},
    panic_text::quiet,
    shape::Shape,
    xml_text,
};

/// Cells that change hands at once.
const BATCH: usize = 1024;
/// Batches that may wait to be put away.
const WAITING: usize = 8;

/// Gives every cell to `take`, in their order, until there are none or it fails; then tells what is hidden and merged. `part`
/// opens the package and names the part.
pub(super) fn each<'p>(
    part: impl FnOnce() -> Result<(Package, &'p str), SheetError> + Send,
    limits: &Limits,
    mut take: impl FnMut(RawCell) -> Result<(), SheetError>,
) -> Result<Shape, SheetError> {
    thread::scope(|scope| {
        let (full, batches) = sync_channel(WAITING);
        let (empty, used) = channel();
        let reading = scope.spawn(move || {
            quiet(move || {
                let (mut package, path) = part()?;
                let found = package::part(&mut package, path);
                let found = found.ok_or_else(|| SheetError::damaged(format_args!("there is no part {path:?}")))?;
                read(CellReader::new(xml_text::reader(found)?, limits), &full, &used)
            })
        });
        let mut taken = Ok(());
        'all: for mut batch in batches {
            for found in batch.drain(..) {
                taken = take(found);
                if taken.is_err() {
                    break 'all;
                }
            }
            // Whoever reads may have come to the end.
            let _ = empty.send(batch);
        }
        // The channel is closed by now, which ends the reading.
        let shape = reading.join().unwrap_or_else(|reason| panic::resume_unwind(reason));
        taken.and(shape)
    })
}

fn read(
    mut reader: CellReader<'_, impl std::io::BufRead>,
    full: &SyncSender<Vec<RawCell>>,
    used: &Receiver<Vec<RawCell>>,
) -> Result<Shape, SheetError> {
    loop {
        let mut batch = used.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        let mut ended = Ok(true);
        while batch.len() < BATCH {
            match reader.next() {
                Ok(Some(found)) => batch.push(found),
                Ok(None) => break,
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
        }
        let is_last = batch.len() < BATCH;
        if full.send(batch).is_err() {
            return Ok(reader.shape);
        }
        ended?;
        if is_last {
            return Ok(reader.shape);
        }
    }
}
