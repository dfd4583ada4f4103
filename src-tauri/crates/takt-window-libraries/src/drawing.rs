//! How WebKit draws on Linux where there is no graphics card, as on many virtual computers.
//!
//! WebKit draws by the graphics card. Where there is none, the processor plays one, and a frame takes it four times as long as
//! it takes to draw the window itself, which WebKit does when its environment says so.

use std::{env, fs, path::Path};

/// What WebKit asks for; whoever starts Takt with it decides alone.
const VARIABLE: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";
/// How devices that draw are named by the kernel's drivers, in their folder; beside them stand those that only show a picture.
const RENDERING: &str = "renderD";
/// Devices that draw, of NVIDIA's own driver and of the Windows around a Linux.
const OTHERS: [&str; 2] = ["nvidia0", "dxg"];

pub(crate) fn fit(devices: &Path, threads: &Path) {
    if env::var_os(VARIABLE).is_some() || has_graphics_card(devices) || !is_alone(threads) {
        return;
    }
    // SAFETY: no other thread of this process reads or changes the environment, since there is none: the only one is here.
    unsafe { env::set_var(VARIABLE, "1") };
}

fn has_graphics_card(devices: &Path) -> bool {
    let mut drawing = fs::read_dir(devices.join("dri")).into_iter().flatten().flatten();
    drawing.any(|device| device.file_name().to_string_lossy().starts_with(RENDERING))
        || OTHERS.iter().any(|device| devices.join(device).exists())
}

/// Whether the folder of this process's threads has this one alone; false where that can't be known.
fn is_alone(threads: &Path) -> bool {
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

    /// Beside other threads nothing is changed: a test has its own one beside the main one.
    #[test]
    fn the_environment_stays_where_others_may_read_it() {
        let none = tempfile::tempdir().unwrap();
        assert!(!is_alone(Path::new("/proc/self/task")));
        assert!(!is_alone(&none.path().join("absent")));
        fit(none.path(), Path::new("/proc/self/task"));
        assert_eq!(env::var_os(VARIABLE), None);
    }
}
