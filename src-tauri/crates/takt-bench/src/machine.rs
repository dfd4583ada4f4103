//! The machine, and the resources of a process. Values that the system doesn't report are absent.

use std::{fs, thread, time::Duration};

/// Describes the machine in one line.
pub(crate) fn describe() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let model = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let busy = fs::read_to_string("/proc/loadavg").ok();
    let busy =
        busy.as_deref().and_then(|text| text.split(' ').next()).map(|load| format!(", load {load} at the start"));
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{cores} cores ({model}), {}{}", std::env::consts::OS, busy.unwrap_or_default())
}

/// Returns the resident memory of a process in MB.
pub(crate) fn resident_memory(process: u32) -> Option<f64> {
    memory_status(process, "VmRSS:")
}

/// Returns the peak of the resident memory in MB.
pub(crate) fn peak_memory(process: u32) -> Option<f64> {
    memory_status(process, "VmHWM:")
}

fn memory_status(process: u32, name: &str) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// Returns the processor time of all threads of a process.
pub(crate) fn processor_time(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name is in parentheses and may contain further ones.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    // Linux reports it in ticks of 10 ms.
    Some(Duration::from_millis(ticks * 10))
}

/// Returns the processor seconds of this process since `before`, a value of [`processor_time`].
pub(crate) fn processor_seconds_since(before: Option<Duration>) -> Option<f64> {
    Some(processor_time(std::process::id())?.saturating_sub(before?).as_secs_f64())
}

/// Returns the median, or the upper one of the two middle values.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
