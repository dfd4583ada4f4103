//! The window's program under the name `takt`: the command line, which needs nothing of the window.

#[cfg(target_os = "linux")]
use std::fs;
use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::json;
use takt_tests::{Ran, Takt, built, sample};

use crate::support::ORDERS;

const WINDOW: &str = "takt-desktop";
/// What every Linux has, and what the keychain needs.
#[cfg(target_os = "linux")]
const ALWAYS_THERE: [&str; 8] =
    ["libc.so.", "libm.so.", "libgcc_s.so.", "libdl.so.", "libpthread.so.", "librt.so.", "ld-linux-", "libdbus-1.so."];

/// As a package installs it: `takt`, a link to the window's program, somewhere else than where that lies.
fn link(takt: &Takt) -> PathBuf {
    let link = takt.outside().join("takt");
    symlink(built(WINDOW), &link).unwrap();
    link
}

fn run(takt: &Takt, program: &Path, words: &[&str]) -> Ran {
    let mut command = Command::new(program);
    command.args(words).env("TAKT_HOME", takt.home()).current_dir(takt.home());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").stdin(Stdio::null());
    takt.run_command(command, "")
}

#[test]
fn the_name_makes_it_the_command_line() {
    let takt = Takt::new();
    let program = link(&takt);
    let version = run(&takt, &program, &["--version"]);
    assert_eq!((version.code, version.out.trim()), (Some(0), concat!("takt ", env!("CARGO_PKG_VERSION"))));
    assert_eq!(version.out, takt.run(&["--version"]).out, "both programs are the same command line");
    assert_eq!(run(&takt, &program, &["--help"]).out, takt.run(&["--help"]).out);
    assert_eq!(run(&takt, &program, &["no-such-command"]).code, Some(2));
    assert_eq!(run(&takt, &program, &["check", "missing.xlsx"]).code, takt.run(&["check", "missing.xlsx"]).code);

    let file = sample("work-orders.sync.xlsx");
    let words = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--skip-errors", "--json"];
    let sent = run(&takt, &program, &words);
    assert_eq!(sent.code, Some(0), "{}", sent.err);
    assert_eq!((&sent.summary()["accepted"], &sent.summary()["skipped"]), (&json!(254), &json!(9)), "{}", sent.out);
}

#[test]
fn the_programs_own_name_with_a_command_is_the_command_line_too() {
    let takt = Takt::new();
    let listed = run(&takt, &built(WINDOW), &["operations", "--json"]);
    assert_eq!((listed.code, &listed.out), (Some(0), &takt.run(&["operations", "--json"]).out), "{}", listed.err);
}

/// It starts itself once more to read a file apart, by the place that the system tells: under either name that is no command and no window.
#[test]
fn it_is_the_process_that_reads_a_file_apart() {
    let takt = Takt::new();
    for program in [link(&takt), built(WINDOW)] {
        let read = run(&takt, &program, &["__read-sheet"]);
        assert_eq!((read.code, read.out.as_str(), read.err.as_str()), (Some(0), "", ""), "{}", program.display());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn it_starts_without_the_windows_libraries() {
    let mut readelf = Command::new("readelf");
    let read = readelf.args(["--dynamic", "--wide"]).arg(built(WINDOW)).env("LC_ALL", "C").output().unwrap();
    let printed = String::from_utf8(read.stdout).unwrap();
    let needed = printed.lines().filter(|line| line.contains("(NEEDED)"));
    let names: Vec<&str> = needed.map(|line| line.rsplit_once('[').unwrap().1.trim_end_matches(']')).collect();
    assert!(names.iter().any(|name| name.starts_with("libc.so.")), "{printed}");
    let others: Vec<_> =
        names.iter().filter(|name| !ALWAYS_THERE.iter().any(|known| name.starts_with(known))).collect();
    assert!(others.is_empty(), "{others:?}: `cargo xtask window-symbols` makes the list of the stubs anew");
}

/// A library of WebKit's that can't be loaded: an empty file is found before the system's own.
#[cfg(target_os = "linux")]
#[test]
fn a_window_without_its_libraries_says_what_is_missing() {
    let takt = Takt::new();
    let folder = takt.outside().join("libraries");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("libwebkit2gtk-4.1.so.0"), "").unwrap();
    let start = |words: &[&str], language: &str| {
        let mut command = Command::new(built(WINDOW));
        command.args(words).env("TAKT_HOME", takt.home()).current_dir(takt.home()).env("LC_ALL", language);
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env("LD_LIBRARY_PATH", &folder);
        takt.run_command(command, "")
    };
    let window = start(&[], "C.UTF-8");
    assert_eq!(window.code, Some(1), "{}", window.err);
    for words in
        ["libwebkit2gtk-4.1.so.0 can't be used", "libwebkit2gtk-4.1-0", "The command line, takt, works without them."]
    {
        assert!(window.err.contains(words), "{words} in {}", window.err);
    }
    let german = start(&[], "de_DE.UTF-8");
    assert!(german.err.contains("auf diesem Computer nicht verwendbar"), "{}", german.err);
    assert_eq!(start(&["operations"], "C.UTF-8").code, Some(0), "the command line doesn't need them");
}
