//! The way back: what was before a change of what a team shares is put in place again, as a change of its own.

use jiff::Timestamp;

use crate::database::Transaction;
use crate::inbox::shared;
use crate::shared_change::{self, Bodies, Recorded, SharedChanges, SharedKind, SharedThing};
use crate::{JournalError, mapping, shared_view};

impl SharedChanges<'_> {
    /// Puts back what was before a change; where there was nothing, what was added is removed. Any desk may.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchChange`]: there is none of that number, or no longer.
    /// - [`JournalError::ChangedSince`]: it isn't what that change left any more; nothing was changed.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn restore(&self, number: u32, at: Timestamp) -> Result<(), JournalError> {
        let Recorded { thing, before, .. } = self.0.write(|transaction| {
            let recorded = shared_change::recorded(transaction, number)?.ok_or(JournalError::NoSuchChange(number))?;
            let Recorded { change, thing, before, after } = &recorded;
            let (before, after) = (before.as_deref(), after.as_deref());
            if !change.latest || !shared_change::is_same(body_of(transaction, thing)?.as_deref(), after) {
                return Err(JournalError::ChangedSince(number));
            }
            put(transaction, thing, (before, at))?;
            let by = (change.name.as_str(), self.0.person(), at);
            shared_change::record(transaction, thing, by, Bodies { before: after, after: before })?;
            Ok(recorded)
        })?;
        // What is looked at while the database is away. Of views a copy is kept with each look at them.
        match thing.kind {
            SharedKind::Mapping => self.0.own_write(|transaction| put(transaction, &thing, (before.as_deref(), at))),
            SharedKind::View | SharedKind::Rules | SharedKind::Target => Ok(()),
        }
    }
}

fn body_of(transaction: &Transaction<'_>, thing: &SharedThing) -> Result<Option<String>, JournalError> {
    match thing.kind {
        SharedKind::Mapping => mapping::body_of(transaction, thing),
        SharedKind::View => shared_view::body_of(transaction, thing),
        SharedKind::Rules | SharedKind::Target => shared::body_of(transaction, thing),
    }
}

fn put(
    transaction: &Transaction<'_>,
    thing: &SharedThing,
    (body, at): (Option<&str>, Timestamp),
) -> Result<(), JournalError> {
    match thing.kind {
        SharedKind::Mapping => mapping::put(transaction, thing, (body, at)),
        SharedKind::View => shared_view::put(transaction, thing, body),
        SharedKind::Rules | SharedKind::Target => shared::put(transaction, thing, (body, at)),
    }
}
