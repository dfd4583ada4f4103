//! How much memory another process takes, asked from outside: not every system lets a process limit itself.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// A process that is looked at again and again.
pub(super) struct Watched {
    /// Absent where the system tells nothing.
    system: Option<System>,
    process: Pid,
}

impl Watched {
    pub(super) fn new(process: u32) -> Self {
        Self { system: System::new().ok(), process: Pid::from_u32(process) }
    }

    /// Bytes that it holds in memory; absent where it has ended or may not be looked at.
    pub(super) fn memory(&mut self) -> Option<u64> {
        let wanted = ProcessesToUpdate::Some(&[self.process]);
        let system = self.system.as_mut()?;
        system.refresh_processes_specifics(wanted, true, ProcessRefreshKind::nothing().with_memory());
        Some(system.process(self.process)?.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_seen_from_outside() {
        const MORE: usize = 64 * 1024 * 1024;
        let mut own = Watched::new(std::process::id());
        let before = own.memory().unwrap();
        let taken = vec![1_u8; MORE];
        assert!(own.memory().unwrap() >= before + MORE as u64 / 2);
        drop(taken);
        assert_eq!(Watched::new(u32::MAX - 1).memory(), None);
    }
}
