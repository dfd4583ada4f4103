//! The keys of a session's advisory locks.

/// A lock of a session: the right to run a submission, to forward events to a target, or to read events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LockKey {
    Submission(u32),
    /// The number that the sender got for its target.
    Sender(u32),
    Reader,
}

impl LockKey {
    /// The class of submission locks, the first half of a key: `TAKT`.
    const SUBMISSION: i32 = 0x5441_4B54;
    /// The class of event forwarders: `TAKF`.
    const SENDER: i32 = 0x5441_4B46;
    /// The class of the inbox: `TAKI`.
    const INBOX: i32 = 0x5441_4B49;

    fn parts(self) -> (i32, u32) {
        match self {
            Self::Submission(number) => (Self::SUBMISSION, number),
            Self::Sender(number) => (Self::SENDER, number),
            Self::Reader => (Self::INBOX, 0),
        }
    }

    pub(super) fn arguments(self) -> String {
        let (class, number) = self.parts();
        format!("{class}, {}", number.cast_signed())
    }

    /// Returns the condition on `pg_locks` for locks of running submissions, whose numbers are in `objid`.
    pub(crate) fn held_submissions() -> String {
        Self::lock_condition(Self::SUBMISSION)
    }

    /// Returns the condition on `pg_locks` for locks of event forwarders, whose numbers are in `objid`.
    pub(crate) fn held_senders() -> String {
        Self::lock_condition(Self::SENDER)
    }

    fn lock_condition(class: i32) -> String {
        format!(
            "locktype = 'advisory' AND granted AND classid = {class} AND objsubid = 2
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
    }
}
