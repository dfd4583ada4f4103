//! Packs full blocks on a thread of its own, in the order in which they come, while the next one is being filled.

use std::{
    io, panic,
    sync::mpsc::{self, Receiver, SyncSender},
    thread::{self, JoinHandle},
};

use super::{
    block::{Block, BlockRoom},
    column::Column,
};

/// Full blocks that may wait; what fills them is made to wait then.
const MOST_WAITING: usize = 2;

/// A block before it is packed.
#[derive(Debug)]
pub(super) struct Full {
    pub(super) first: u32,
    pub(super) columns: Vec<Column>,
    /// How many of the columns have something, at most.
    pub(super) used: usize,
}

impl Full {
    /// The block, and the columns' room for the next one.
    pub(super) fn pack(self, room: &mut BlockRoom) -> (Block, Vec<Column>) {
        let Self { first, mut columns, used } = self;
        let block = Block::pack(first, columns.get(..used).unwrap_or_default(), room);
        columns.iter_mut().for_each(Column::clear);
        (block, columns)
    }
}

/// The thread, and the ways to it and back.
#[derive(Debug)]
pub(super) struct Press {
    full: SyncSender<Full>,
    packed: Receiver<(Block, Vec<Column>)>,
    thread: JoinHandle<()>,
    /// Blocks that aren't back yet.
    away: usize,
}

impl Press {
    pub(super) fn start(mut room: BlockRoom) -> io::Result<Self> {
        let (full, coming) = mpsc::sync_channel::<Full>(MOST_WAITING);
        let (going, packed) = mpsc::channel();
        let thread = thread::Builder::new().name("pack".to_owned()).spawn(move || {
            for full in coming {
                if going.send(full.pack(&mut room)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { full, packed, thread, away: 0 })
    }

    /// Gives a block away. It comes back where nobody takes it any more.
    pub(super) fn give(&mut self, full: Full) -> Result<(), Full> {
        self.full.send(full).map_err(|refused| refused.0)?;
        self.away += 1;
        Ok(())
    }

    /// Blocks that are ready, in order.
    pub(super) fn ready(&mut self) -> Option<(Block, Vec<Column>)> {
        let packed = self.packed.try_recv().ok()?;
        self.away -= 1;
        Some(packed)
    }

    /// The blocks that are still away. A thread that gave up takes whoever waits for it along: rows would be missing.
    pub(super) fn finish(self) -> Vec<Block> {
        let Self { full, packed, thread, away } = self;
        drop(full);
        let blocks: Vec<Block> = packed.iter().map(|(block, _)| block).collect();
        if let Err(cause) = thread.join() {
            panic::resume_unwind(cause);
        }
        debug_assert_eq!(blocks.len(), away, "every block comes back");
        blocks
    }
}
