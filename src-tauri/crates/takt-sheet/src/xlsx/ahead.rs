//! Reads cells ahead on a thread of its own, so that taking them apart and putting them away happen at the same time.

use std::{
    io::{Read, Seek},
    panic,
    sync::mpsc::{Receiver, SyncSender, channel, sync_channel},
    thread,
};

use calamine::{Cell, DataRef, XlsxCellReader, XlsxError};

use super::is_of_one_cell;
use crate::SheetError;

/// Cells that change hands at once.
const BATCH: usize = 1024;
/// Batches that may wait to be put away.
const WAITING: usize = 8;

/// A cell with the number of its style, or what stands in its way.
pub(super) type Found<'a> = Result<(Cell<DataRef<'a>>, usize), Box<XlsxError>>;

/// Gives every cell to `take`, in their order, until there are none or it fails. After an error that isn't one cell's there is
/// nothing more.
pub(super) fn each<'a, R: Read + Seek + Send>(
    reader: XlsxCellReader<'a, R>,
    mut take: impl FnMut(Found<'a>) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
    thread::scope(|scope| {
        let (full, batches) = sync_channel(WAITING);
        let (empty, used) = channel();
        let reading = scope.spawn(move || read(reader, &full, &used));
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
        reading.join().unwrap_or_else(|reason| panic::resume_unwind(reason));
        taken
    })
}

fn read<'a, R: Read + Seek>(
    mut reader: XlsxCellReader<'a, R>,
    full: &SyncSender<Vec<Found<'a>>>,
    used: &Receiver<Vec<Found<'a>>>,
) {
    loop {
        let mut batch = used.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        let ends = fill(&mut reader, &mut batch);
        if full.send(batch).is_err() || ends {
            return;
        }
    }
}

/// True where nothing more comes.
fn fill<'a, R: Read + Seek>(reader: &mut XlsxCellReader<'a, R>, batch: &mut Vec<Found<'a>>) -> bool {
    while batch.len() < BATCH {
        match reader.next_cell_with_style_id() {
            Ok(Some(found)) => batch.push(Ok(found)),
            Ok(None) => return true,
            Err(error) => {
                let ends = !matches!(error, XlsxError::CellError(_)) && !is_of_one_cell(&error);
                batch.push(Err(Box::new(error)));
                if ends {
                    return true;
                }
            }
        }
    }
    false
}
