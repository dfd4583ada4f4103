//! Restores shared data to the state before a change. The restore is recorded as another change.

use jiff::Timestamp;

use crate::database::Transaction;
use crate::inbox;
use crate::shared_change::{self, Bodies, RecordedChange, SharedChanges, SharedKind, SharedObject};
use crate::{JournalError, mapping, shared_view};

impl SharedChanges<'_> {
    /// Restores the state before a change, or removes the data that the change added. Any desk may do that.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchChange`]: there is no change with that number.
    /// - [`JournalError::ChangedSince`]: the data was changed again since. Nothing was changed.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn restore(&self, number: u32, at: Timestamp) -> Result<(), JournalError> {
        let RecordedChange { object, before, .. } = self.0.write(|transaction| {
            let recorded =
                shared_change::load_recorded(transaction, number)?.ok_or(JournalError::NoSuchChange(number))?;
            let RecordedChange { change, object, before, after } = &recorded;
            let (before, after) = (before.as_deref(), after.as_deref());
            if !change.latest || !shared_change::is_same(load_body(transaction, object)?.as_deref(), after) {
                return Err(JournalError::ChangedSince(number));
            }
            replace(transaction, object, before, at)?;
            let bodies = Bodies { before: after, after: before };
            shared_change::record(transaction, object, &change.name, self.0.person(), at, bodies)?;
            Ok(recorded)
        })?;
        // Updates this desk's copy, which is used while the database is unavailable. The copy of views is updated
        // whenever they are read.
        match object.kind {
            SharedKind::Mapping => self.0.write_own(|transaction| replace(transaction, &object, before.as_deref(), at)),
            SharedKind::View | SharedKind::Rules | SharedKind::Target => Ok(()),
        }
    }
}

fn load_body(transaction: &Transaction<'_>, object: &SharedObject) -> Result<Option<String>, JournalError> {
    match object.kind {
        SharedKind::Mapping => mapping::load_body(transaction, object),
        SharedKind::View => shared_view::load_body(transaction, object),
        SharedKind::Rules | SharedKind::Target => inbox::change_record::load_body(transaction, object),
    }
}

fn replace(
    transaction: &Transaction<'_>,
    object: &SharedObject,
    body: Option<&str>,
    at: Timestamp,
) -> Result<(), JournalError> {
    match object.kind {
        SharedKind::Mapping => mapping::replace(transaction, object, body, at),
        SharedKind::View => shared_view::replace(transaction, object, body),
        SharedKind::Rules | SharedKind::Target => inbox::restore::replace(transaction, object, body, at),
    }
}
