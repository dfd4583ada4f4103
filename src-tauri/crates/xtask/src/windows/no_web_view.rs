//! Checks the window without WebView2, which Wine lacks: it must show its own dialog instead of waiting forever.

use std::{
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    error::XtaskError,
    process::{capture_output, program},
    setup,
    windows::wine::Wine,
};

const DISPLAY: &str = ":93";
const LIMIT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The dialog's title in a list of windows. The toolkit's dialog would have the title *Error*.
const TITLE: &str = "\"Takt\"";

/// Waits for the dialog on a display without a screen.
pub(super) fn check(wine: &Wine, window: &Path) -> Result<(), XtaskError> {
    setup::install(&["xvfb", "x11-utils"])?;
    let mut display = program("Xvfb");
    display.args([DISPLAY, "-screen", "0", "1024x768x24"]);
    let display = start(display)?;
    let mut command = wine.command(LIMIT, window);
    command.env("DISPLAY", DISPLAY);
    let mut window = start(command)?;
    let started = Instant::now();
    let mut listed = String::new();
    while !listed.contains(TITLE) && started.elapsed() < LIMIT && window.0.try_wait().is_ok_and(|ended| ended.is_none())
    {
        thread::sleep(POLL_INTERVAL);
        let mut list = program("xwininfo");
        list.args(["-display", DISPLAY, "-root", "-tree"]);
        // The display may not have started yet.
        listed = capture_output(list).unwrap_or_default();
    }
    wine.end();
    drop((window, display));
    if listed.contains(TITLE) {
        return Ok(());
    }
    let reason = format!("no dialog says that WebView2 is missing:\n{listed}");
    Err(XtaskError::Answer { program: "takt-desktop.exe".to_owned(), reason })
}

/// A process that is killed when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(mut command: std::process::Command) -> Result<Running, XtaskError> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().map(Running).map_err(|source| XtaskError::Start { program: name, source })
}
