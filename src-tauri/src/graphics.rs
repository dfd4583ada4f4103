//! Turns WebKit's hardware acceleration off on Linux computers without a graphics card, such as many virtual ones.
//!
//! WebKit would have the processor emulate a graphics card, and a frame would take several times as long.

use std::{env, os::unix::process::CommandExt, path::Path, process::Command};

/// The variable that turns WebKit's hardware acceleration off. An existing value isn't changed.
const ACCELERATION_VARIABLE: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";
/// The folder of device files. Graphics cards are in its subfolder `dri`.
const DEVICES: &str = "/dev";
/// The name prefix of device files for rendering. Devices that only display have other names.
const RENDER_NODE: &str = "renderD";
/// Device files of NVIDIA's driver and of the Windows Subsystem for Linux, which can also render.
const OTHER_DEVICES: [&str; 2] = ["nvidia0", "dxg"];

/// Restarts this program in the same process without hardware acceleration, if there is no graphics card.
///
/// WebKit reads the variable when it is loaded, and crashes if acceleration is turned off later. Changing the
/// environment of a running process isn't safe.
pub(crate) fn restart_without_acceleration() {
    if env::var_os(ACCELERATION_VARIABLE).is_some() || has_graphics_card(Path::new(DEVICES)) {
        return;
    }
    let (Ok(program), mut arguments) = (env::current_exe(), env::args_os()) else { return };
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // `exec` returns only on failure. The window opens anyway, with slow rendering.
    let _ = command.args(arguments).env(ACCELERATION_VARIABLE, "1").exec();
}

fn has_graphics_card(devices: &Path) -> bool {
    let mut nodes = devices.join("dri").read_dir().into_iter().flatten().flatten();
    nodes.any(|device| device.file_name().to_string_lossy().starts_with(RENDER_NODE))
        || OTHER_DEVICES.iter().any(|device| devices.join(device).exists())
}

#[cfg(test)]
mod tests {
    use std::fs;

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
}
