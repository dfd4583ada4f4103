//! Reads cells ahead on a thread of its own, so that taking them apart and putting them away happen at the same time.

use std::{
    panic,
    sync::mpsc::{Receiver, SyncSender, channel, sync_channel},
    thread,
};

use super::{cell_batch::CellBatch, cells::CellReader};
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

/// Gives every cell to `take`, in their order, many at once, until there are none or it fails; then tells what is hidden and merged. `part`
/// opens the package and names the part.
pub(super) fn each<'p>(
    part: impl FnOnce() -> Result<(Package, &'p str), SheetError> + Send,
    limits: &Limits,
    mut take: impl FnMut(&CellBatch) -> Result<(), SheetError>,
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
        for mut batch in batches {
            taken = take(&batch);
            if taken.is_err() {
                break;
            }
            batch.clear();
            // Whoever reads may have come to the end.
            let _ = empty.send(batch);
        }
        // The channel is closed by now, which ends the reading.
        let shape = reading.join().unwrap_or_else(|reason| panic::resume_unwind(reason));
        taken.and(shape)
    })
}

fn read(
    mut reader: CellReader<'_, '_>,
    full: &SyncSender<CellBatch>,
    used: &Receiver<CellBatch>,
) -> Result<Shape, SheetError> {
    loop {
        let mut batch = used.try_recv().unwrap_or_default();
        let filled = reader.fill(&mut batch, BATCH);
        if full.send(batch).is_err() {
            return Ok(reader.shape);
        }
        if !filled? {
            return Ok(reader.shape);
        }
    }
}
