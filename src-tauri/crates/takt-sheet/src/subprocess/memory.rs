//! Measures the memory of another process from outside, because not every system lets a process limit itself.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// A process whose memory is measured repeatedly.
pub(super) struct ProcessMemory {
    /// Absent if the system doesn't report processes.
    system: Option<System>,
    process: Pid,
}

impl ProcessMemory {
    pub(super) fn new(process: u32) -> Self {
        Self { system: System::new().ok(), process: Pid::from_u32(process) }
    }

    /// Returns the bytes of memory that the process uses, or `None` if it has ended or can't be inspected.
    pub(super) fn memory(&mut self) -> Option<u64> {
        let processes = ProcessesToUpdate::Some(&[self.process]);
        let system = self.system.as_mut()?;
        system.refresh_processes_specifics(processes, true, ProcessRefreshKind::nothing().with_memory());
        Some(system.process(self.process)?.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_seen_from_outside() {
        const MORE: usize = 64 * 1024 * 1024;
        let mut own = ProcessMemory::new(std::process::id());
        let before = own.memory().unwrap();
        let allocated = vec![1_u8; MORE];
        assert!(own.memory().unwrap() >= before + MORE as u64 / 2);
        drop(allocated);
        assert_eq!(ProcessMemory::new(u32::MAX - 1).memory(), None);
    }
}
