//! WebKit's hardware acceleration on Linux where there is no graphics card, as on many virtual computers.
//!
//! WebKit draws with the graphics card. Where there is none, the processor emulates one, and a frame takes several times as long
//! as without hardware acceleration, which WebKit turns off when its environment says so.

use std::{env, fs, path::Path};

/// What WebKit asks for. Where it is set already, it stays as it is. Programs that Takt starts have it, too.
const VARIABLE: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";
/// How the kernel names devices that draw; beside them stand those that only show a picture.
const RENDER_NODE: &str = "renderD";
/// Devices that draw, of NVIDIA's own driver and of Windows around a Linux.
const OTHER_DEVICES: [&str; 2] = ["nvidia0", "dxg"];

/// Takes the folder of devices and that of this process's threads.
pub(crate) fn disable_without_graphics_card(devices: &Path, threads: &Path) {
    if env::var_os(VARIABLE).is_some() || has_graphics_card(devices) || !is_single_threaded(threads) {
        return;
    }
    // SAFETY: no other thread reads or changes the environment: this one is the only thread of the process.
    unsafe { env::set_var(VARIABLE, "1") };
}

fn has_graphics_card(devices: &Path) -> bool {
    let mut nodes = fs::read_dir(devices.join("dri")).into_iter().flatten().flatten();
    nodes.any(|device| device.file_name().to_string_lossy().starts_with(RENDER_NODE))
        || OTHER_DEVICES.iter().any(|device| devices.join(device).exists())
}

/// Whether this thread is the only one; false where that can't be known.
fn is_single_threaded(threads: &Path) -> bool {
    fs::read_dir(threads).is_ok_and(|threads| threads.count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graphics_card_is_a_device_that_draws() {
        let devices = tempfile::tempdir().unwrap();
        let make = |name: &str| fs::write(devices.path().join(name), "").unwrap();
        make("null");
        assert!(!has_graphics_card(devices.path()));
        fs::create_dir(devices.path().join("dri")).unwrap();
        make("dri/card0");
        assert!(!has_graphics_card(devices.path()), "it shows a picture");
        make("dri/renderD128");
        assert!(has_graphics_card(devices.path()));
        fs::remove_file(devices.path().join("dri/renderD128")).unwrap();
        make("dxg");
        assert!(has_graphics_card(devices.path()));
    }

    /// A test runs in a thread of its own, beside the main one.
    #[test]
    fn beside_other_threads_the_environment_stays_as_it_is() {
        let none = tempfile::tempdir().unwrap();
        assert!(!is_single_threaded(Path::new("/proc/self/task")));
        assert!(!is_single_threaded(&none.path().join("absent")));
        disable_without_graphics_card(none.path(), Path::new("/proc/self/task"));
        assert_eq!(env::var_os(VARIABLE), None);
    }
}
