//! What the whole window takes with a large file open, above an empty one: measured by the bench with the file that
//! `TAKT_LARGE_FILE` names, and held against the bound.

use std::{env, fs, path::Path, time::Duration};

use crate::test_app::TestApp;

const MOST: u64 = 700;
/// A million rows take a while to read in an unoptimised build.
const LONG: Duration = Duration::from_secs(300);

/// Megabytes that the processes of a home take together, what they share counted once: the window's own and WebKit's.
fn taken(home: &Path) -> u64 {
    let home = home.to_string_lossy().into_owned();
    let belongs = |folder: &Path| {
        fs::read(folder.join("environ")).is_ok_and(|content| String::from_utf8_lossy(&content).contains(&home))
    };
    let share = |folder: &Path| {
        let summary = fs::read_to_string(folder.join("smaps_rollup")).unwrap_or_default();
        let pages = summary.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
        pages.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default()
    };
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes.filter(|folder| belongs(folder)).map(|folder| share(&folder)).sum::<u64>() / 1024
}

#[tokio::test]
#[ignore = "measures a file of its own, on Linux"]
async fn a_large_file_leaves_room_for_others() {
    let file = env::var_os("TAKT_LARGE_FILE").expect("TAKT_LARGE_FILE names a file");
    let app = TestApp::open().await;
    let home = app.takt.home().to_owned();
    let before = taken(&home);
    let samples = home.join("samples");
    fs::create_dir_all(&samples).unwrap();
    fs::copy(file, samples.join("work-orders.sync.xlsx")).unwrap();
    app.click("sample-work-orders.sync").await;
    app.window
        .until("the checked file", LONG, "return !!document.querySelector('[data-testid=\"step-check\"]:enabled')")
        .await;
    app.click("step-check").await;
    let rows = app.number("counts-rows").await;
    let after = taken(&home);
    println!("{rows} rows: {before} MB empty, {after} MB with the file");
    assert!(before > 0 && after < before + MOST, "{before} MB became {after} MB");
    app.window.close().await;
}
