//! Properties of the two built programs, the command line and the window.

use std::process::Command;

use takt_tests::{Takt, built_program};

/// Libraries that every Linux has, and the keychain's library.
#[cfg(target_os = "linux")]
const ALLOWED_LIBRARIES: [&str; 8] =
    ["libc.so.", "libm.so.", "libgcc_s.so.", "libdl.so.", "libpthread.so.", "librt.so.", "ld-linux-", "libdbus-1.so."];

/// Both programs start themselves again to read a file in a separate process, without a display.
#[test]
fn each_program_is_the_process_that_reads_a_file_apart() {
    let takt = Takt::new();
    for name in ["takt", "takt-desktop"] {
        let mut command = Command::new(built_program(name));
        command.arg("__read-sheet").env("TAKT_HOME", takt.home()).current_dir(takt.home());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        let read = takt.run_command(command, "");
        assert_eq!((read.code, read.out.as_str(), read.err.as_str()), (Some(0), "", ""), "{name}");
    }
}

#[cfg(target_os = "linux")]
fn needed_libraries(program: &str) -> Vec<String> {
    let mut readelf = Command::new("readelf");
    let read = readelf.args(["--dynamic", "--wide"]).arg(built_program(program)).env("LC_ALL", "C").output().unwrap();
    let printed = String::from_utf8(read.stdout).unwrap();
    let needed = printed.lines().filter(|line| line.contains("(NEEDED)"));
    needed.map(|line| line.rsplit_once('[').unwrap().1.trim_end_matches(']').to_owned()).collect()
}

/// Servers may lack the window's libraries.
#[cfg(target_os = "linux")]
#[test]
fn the_command_line_needs_no_library_of_the_window() {
    let names = needed_libraries("takt");
    assert!(names.iter().any(|name| name.starts_with("libc.so.")), "{names:?}");
    let unexpected: Vec<_> =
        names.iter().filter(|name| !ALLOWED_LIBRARIES.iter().any(|known| name.starts_with(known))).collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
    let names = needed_libraries("takt-desktop");
    assert!(names.iter().any(|name| name.starts_with("libwebkit2gtk-")), "this test sees nothing: {names:?}");
}
