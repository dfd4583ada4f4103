//! Measures how much more memory the window needs with a large file than without one. The benchmark sets
//! `TAKT_LARGE_FILE` to the file's path.

use std::{env, fs, time::Duration};

use takt_tests::{Engine, TestApp, memory_of_home};

const MAX_MEGABYTES: u64 = 700;
/// The time limit. An unoptimized build takes long to read a million rows.
const READ_TIMEOUT: Duration = Duration::from_secs(300);

#[tokio::test]
#[ignore = "measures a file of its own, on Linux"]
async fn a_large_file_leaves_room_for_others() {
    let file = env::var_os("TAKT_LARGE_FILE").expect("TAKT_LARGE_FILE names a file");
    let app = TestApp::open(Engine::WebView).await;
    let home = app.takt.home().to_owned();
    let before = memory_of_home(&home);
    let samples = home.join("samples");
    fs::create_dir_all(&samples).unwrap();
    fs::copy(file, samples.join("work-orders.sync.xlsx")).unwrap();
    app.click("sample-work-orders.sync").await;
    app.window
        .wait_until(
            "the checked file",
            READ_TIMEOUT,
            "return !!document.querySelector('[data-testid=\"step-check\"]:enabled')",
        )
        .await;
    app.click("step-check").await;
    let rows = app.wait_for_number("counts-rows").await;
    let after = memory_of_home(&home);
    println!("{rows} rows: {before} MB empty, {after} MB with the file");
    assert!(before > 0 && after < before + MAX_MEGABYTES, "{before} MB became {after} MB");
    app.window.close().await;
}
