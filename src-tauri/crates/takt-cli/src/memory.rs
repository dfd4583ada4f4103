//! The peak memory use of the process.

/// Returns the peak in bytes, or `None` on systems other than Linux.
pub(crate) fn peak_bytes() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    parse_peak(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn parse_peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read() {
        assert_eq!(parse_peak("Name:\ttakt\nVmHWM:\t   5120 kB\nVmRSS:\t 4 kB\n"), Some(5_242_880));
        assert_eq!(parse_peak("Name:\ttakt\n"), None);
    }
}
