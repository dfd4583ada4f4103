//! Measures the memory, start time and threads of the processes in a home. Linux only.

use std::{fs, path::Path};

/// Returns the memory of the processes in a home, in megabytes. Shared memory is divided among its users.
#[must_use]
pub fn memory_of_home(home: &Path) -> u64 {
    let share = |folder: &Path| {
        let summary = fs::read_to_string(folder.join("smaps_rollup")).unwrap_or_default();
        let pages = summary.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
        pages.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default()
    };
    processes_of_home(home).map(|folder| share(&folder)).sum::<u64>() / 1024
}

/// Returns the start time of the first process in a home with this program name, in milliseconds since 1970. The
/// resolution is 10 ms.
#[must_use]
pub fn start_of_program(home: &Path, name: &str) -> Option<f64> {
    // The kernel stores only the first fifteen bytes of a name.
    let stored_name = name.get(..name.len().min(15))?;
    let is_named =
        |folder: &Path| fs::read_to_string(folder.join("comm")).is_ok_and(|comm| comm.trim_end() == stored_name);
    let ticks = processes_of_home(home).filter(|folder| is_named(folder)).filter_map(|folder| {
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse::<f64>().ok()
    });
    let ticks = ticks.min_by(f64::total_cmp)?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    // Linux reports the start in ticks of 10 ms.
    Some(now.as_secs_f64() * 1000.0 - uptime * 1000.0 + ticks * 10.0)
}

/// Returns the names of all threads of the processes in a home.
#[must_use]
pub fn threads_of_home(home: &Path) -> Vec<String> {
    let threads = processes_of_home(home).filter_map(|folder| fs::read_dir(folder.join("task")).ok());
    let names = threads.flatten().flatten().filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.map(|name| name.trim_end().to_owned()).collect()
}

fn processes_of_home(home: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let home = home.to_string_lossy().into_owned();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    all.filter(move |folder| {
        fs::read(folder.join("environ")).is_ok_and(|content| String::from_utf8_lossy(&content).contains(&home))
    })
}
