//! Builds the Windows programs and their NSIS installer. Tests it under Wine: installing, using, reinstalling,
//! removing.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    console::{print, timed},
    error::XtaskError,
    package_options::{Options, Profile},
    paths,
    process::{capture_output, npm, program},
    setup::{self, Purpose},
    windows::{
        toolchain::{self, Toolchain, folder},
        wine::Wine,
    },
};

const PROGRAMS: [&str; 2] = ["takt.exe", "takt-desktop.exe"];
/// Tauri's loader of WebView2, which the window's program needs next to it.
const LOADER: &str = "WebView2Loader.dll";
/// The time limit of each command under Wine.
const STEP_TIMEOUT: Duration = Duration::from_secs(120);
const MEGABYTE: f64 = 1_000_000.0;
const DISPLAY: &str = ":93";
const DIALOG_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The dialog's title in a list of windows. A dialog of the toolkit would have the title *Error*.
const DIALOG_TITLE: &str = "\"Takt\"";

/// Builds the programs and the installer, and returns the installer's path.
pub(crate) fn build(options: &Options) -> Result<PathBuf, XtaskError> {
    let toolchain = Toolchain::prepare()?;
    setup::install(&["nsis"])?;
    setup::prepare(Purpose::Window)?;
    timed("web UI: building", || capture_output(npm(["run", "--silent", "build"])).map(drop))?;
    timed("Windows: building the programs (ten minutes and more the first time)", || {
        let profile = ["--profile", options.profile.name()];
        let words = ["build", "--quiet", "--package", "takt-cli", "--package", "takt-desktop", "--bins"];
        // Programs of the development profile may contain this computer's paths.
        let mut build = match options.profile {
            Profile::Dev => toolchain.cargo(words),
            Profile::Release => toolchain.release_cargo(words),
        };
        build.args(profile);
        capture_output(build).map(drop)
    })?;
    let wine = Wine::prepare()?;
    let source = stage_files(&wine, options.profile)?;
    let out = folder().join(format!("takt-{}-setup.exe", options.version));
    timed("Windows: making the installer", || compile_installer(&source, options, &out))?;
    for file in PROGRAMS.iter().map(|name| source.join(name)).chain([out.clone()]) {
        let bytes = fs::metadata(&file).map_err(XtaskError::file(&file))?.len();
        print(&format!("    {:.1} MB  {}", bytes as f64 / MEGABYTE, file.display()));
    }
    Ok(out)
}

/// Copies the files to install into one folder. Also writes the list of files for the uninstaller.
fn stage_files(wine: &Wine, profile: Profile) -> Result<PathBuf, XtaskError> {
    let (built, stage) = (toolchain::output_folder(profile.folder()), folder().join("package"));
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(XtaskError::file(&stage))?;
    }
    fs::create_dir_all(&stage).map_err(XtaskError::file(&stage))?;
    let root = paths::root();
    let mut files: Vec<(PathBuf, &str)> = PROGRAMS.iter().map(|name| (built.join(name), *name)).collect();
    files.push((built.join(LOADER), LOADER));
    files.push((root.join("LICENSE"), "LICENSE.txt"));
    files.push((root.join("docs/licenses.json"), "licenses.json"));
    files.push((root.join("icons/128x128.png"), "takt.png"));
    for (from, name) in &files {
        fs::copy(from, stage.join(name)).map_err(XtaskError::file(from))?;
    }
    let mut completions = wine.command(STEP_TIMEOUT, stage.join("takt.exe"));
    completions.args(["generate", "generated"]).current_dir(&stage);
    capture_output(completions)?;
    wine.end_processes();
    // Of the shells with completions, only PowerShell runs on Windows.
    let generated = stage.join("generated");
    let completions = generated.join("completions").join("_takt.ps1");
    fs::copy(&completions, stage.join("_takt.ps1")).map_err(XtaskError::file(&completions))?;
    fs::remove_dir_all(&generated).map_err(XtaskError::file(&generated))?;
    let mut lines = String::new();
    for entry in fs::read_dir(&stage).map_err(XtaskError::file(&stage))? {
        let name = entry.map_err(XtaskError::file(&stage))?.file_name();
        lines.push_str(&format!("Delete \"$INSTDIR\\{}\"\n", name.to_string_lossy()));
    }
    let list = folder().join("package.remove.nsh");
    fs::write(&list, lines).map_err(XtaskError::file(&list))?;
    Ok(stage)
}

fn compile_installer(source: &Path, options: &Options, out: &Path) -> Result<(), XtaskError> {
    let mut makensis = program("makensis");
    makensis.args(["-V2", "-WX", "-INPUTCHARSET", "UTF8"]);
    let icon = paths::root().join("icons/icon.ico");
    for (name, value) in [("SOURCE", source), ("OUT", out), ("ICON", &icon)] {
        makensis.arg(format!("-D{name}={}", value.display()));
    }
    makensis.arg(format!("-DVERSION={}", options.version));
    makensis.arg(paths::root().join("packaging/windows/takt.nsi"));
    capture_output(makensis).map(drop)
}

/// Tests the installer in silent mode, with checks after each step.
pub(super) fn check(options: &Options) -> Result<(), XtaskError> {
    let setup = build(options)?;
    let wine = Wine::prepare()?;
    let outcome = timed("Windows: installing, using and removing it under Wine", || check_installation(&wine, &setup));
    wine.end_processes();
    outcome
}

fn check_installation(wine: &Wine, setup: &Path) -> Result<(), XtaskError> {
    let user_folder = user_folder(wine)?;
    let (programs, home) = (user_folder.join("AppData/Local/Programs/Takt"), user_folder.join("AppData/Roaming/Takt"));
    for leftover in [&programs, &home] {
        if leftover.exists() {
            fs::remove_dir_all(leftover).map_err(XtaskError::file(leftover))?;
        }
    }
    // This value is longer than the installer's maximum string length.
    let original_path =
        (0..100).map(|number| format!(r"C:\folder {number:03}")).collect::<Vec<_>>().join(";") + r";%USERPROFILE%\x";
    set_registry_value(wine, r"HKCU\Environment", "Path", &original_path)?;
    set_registry_value(wine, r"HKCU\Software\Classes\.xlsx", "", "Somebody.Else")?;
    install_silently(wine, setup, &[])?;
    for file in PROGRAMS.iter().chain(&[LOADER, "LICENSE.txt", "licenses.json", "_takt.ps1", "uninstall.exe"]) {
        expect(programs.join(file).is_file(), &format!("{file} is installed"))?;
    }
    let queried = registry_value(wine, r"HKCU\Environment", "Path")?;
    expect(queried.contains(&format!("{original_path};")), "what was on PATH stays there, unexpanded")?;
    check_terminal_path(wine, &queried, &original_path)?;
    expect(home.is_dir(), "Takt has its folder")?;
    let handler = registry_value(wine, r"HKCU\Software\Classes\takt\shell\open\command", "")?;
    expect(handler.contains(r#"takt-desktop.exe" "%1""#), "takt:// links open the window")?;
    expect(
        registry_value(wine, r"HKCU\Software\Classes\.xlsx", "")?.contains("Somebody.Else"),
        "the default program stays",
    )?;
    expect(
        registry_value(wine, r"HKCU\Software\Classes\.xlsx\OpenWithProgids", "Takt.Spreadsheet").is_ok(),
        "Takt is offered for .xlsx",
    )?;
    expect(
        registry_value(wine, r"HKCU\Software\Classes\.csv\OpenWithProgids", "Takt.Spreadsheet").is_ok(),
        "and for .csv",
    )?;
    expect(
        user_folder.join("AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Takt.lnk").is_file(),
        "the start menu has it",
    )?;
    let dialog_check = check_dialog_without_web_view(wine, &programs.join("takt-desktop.exe"));
    expect(dialog_check.is_ok(), "without WebView2 the window says so")?;
    check_refusal_while_open(wine, setup, &programs)?;
    install_silently(wine, setup, &[])?;
    let named = registry_value(wine, r"HKCU\Environment", "Path")?.matches(r"Programs\Takt").count();
    expect(named == 1, "PATH names it once after an update")?;
    uninstall(wine, &programs, &[])?;
    expect(!programs.exists(), "nothing of the programs is left")?;
    expect(home.is_dir(), "what Takt keeps stays")?;
    let path = registry_value(wine, r"HKCU\Environment", "Path")?;
    expect(path.contains(&original_path) && !path.contains("Takt"), "PATH is as it was")?;
    for key in [
        r"HKCU\Software\Classes\takt",
        r"HKCU\Software\Classes\Takt.Spreadsheet",
        r"HKCU\Software\Takt",
        r"HKCU\Software\Classes\.csv",
    ] {
        expect(registry_value(wine, key, "").is_err(), &format!("{key} is gone"))?;
    }
    expect(
        registry_value(wine, r"HKCU\Software\Classes\.xlsx", "")?.contains("Somebody.Else"),
        "the default program still stays",
    )?;
    install_silently(wine, setup, &[])?;
    uninstall(wine, &programs, &["/REMOVE_DATA"])?;
    expect(!programs.exists() && !home.exists(), "told so, it removes what Takt keeps, too")
}

fn expect(holds: bool, claim: &str) -> Result<(), XtaskError> {
    print(&format!("    {} {claim}", if holds { "✓" } else { "✕" }));
    if holds {
        Ok(())
    } else {
        Err(XtaskError::Answer { program: "the installer".to_owned(), reason: format!("not so: {claim}") })
    }
}

fn install_silently(wine: &Wine, setup: &Path, words: &[&str]) -> Result<(), XtaskError> {
    let mut command = wine.command(STEP_TIMEOUT, setup);
    command.arg("/S").args(words);
    capture_output(command)?;
    wine.end_processes();
    Ok(())
}

/// Checks the installer's exit code while the installed program runs a practice plant.
fn check_refusal_while_open(wine: &Wine, setup: &Path, programs: &Path) -> Result<(), XtaskError> {
    let mut plant = wine.command(STEP_TIMEOUT, programs.join("takt.exe"));
    plant.arg("plant").stdout(Stdio::piped());
    let mut plant = plant.spawn().map_err(|source| XtaskError::Start { program: "takt plant".to_owned(), source })?;
    let mut line = String::new();
    let ready = plant.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
    let mut install = wine.command(STEP_TIMEOUT, setup);
    install.arg("/S");
    let ended = install.status().map_err(|source| XtaskError::Start { program: "the installer".to_owned(), source })?;
    wine.end_processes();
    drop(plant.wait());
    expect(ready.is_some_and(|read| read.is_ok()) && line.contains("base_url"), "the installed practice plant runs")?;
    expect(ended.code() == Some(2), &format!("the installer refuses while Takt is open: {ended}"))
}

/// Removes the installation. The uninstaller returns before it has finished, so the programs' folder is polled.
fn uninstall(wine: &Wine, programs: &Path, words: &[&str]) -> Result<(), XtaskError> {
    let mut command = wine.command(STEP_TIMEOUT, programs.join("uninstall.exe"));
    command.arg("/S").args(words);
    capture_output(command)?;
    let start = Instant::now();
    while programs.exists() && start.elapsed() < STEP_TIMEOUT {
        thread::sleep(POLL_INTERVAL);
    }
    wine.end_processes();
    Ok(())
}

/// Checks that a new terminal finds `takt` in PATH. Wine truncates a long PATH, unlike Windows, so other folders are
/// removed for this check.
fn check_terminal_path(wine: &Wine, queried: &str, original_path: &str) -> Result<(), XtaskError> {
    let path = queried.split_once("REG_EXPAND_SZ").map(|(_, value)| value.trim()).unwrap_or_default();
    set_registry_value(wine, r"HKCU\Environment", "Path", &path.replace(original_path, r"C:\folder 000"))?;
    let version = capture_output(in_terminal(wine, "takt --version"))?;
    expect(version.starts_with("takt "), &format!("a new terminal finds takt: {}", version.trim()))?;
    capture_output(in_terminal(wine, "takt storage"))?;
    set_registry_value(wine, r"HKCU\Environment", "Path", path)
}

/// Returns a command for a terminal line. The terminal is opened after the installation, with the user's PATH.
fn in_terminal(wine: &Wine, line: &str) -> Command {
    let mut command = wine.command(STEP_TIMEOUT, "cmd");
    command.args(["/c", line]);
    command
}

fn set_registry_value(wine: &Wine, key: &str, name: &str, value: &str) -> Result<(), XtaskError> {
    let mut command = wine.command(STEP_TIMEOUT, "reg");
    command.args(["add", key, "/f", "/t", "REG_EXPAND_SZ", "/d", value]);
    if name.is_empty() {
        command.arg("/ve")
    } else {
        command.args(["/v", name])
    };
    capture_output(command).map(drop)
}

fn registry_value(wine: &Wine, key: &str, name: &str) -> Result<String, XtaskError> {
    let mut command = wine.command(STEP_TIMEOUT, "reg");
    command.args(["query", key]);
    if name.is_empty() {
        command.arg("/ve")
    } else {
        command.args(["/v", name])
    };
    capture_output(command)
}

/// Returns the profile folder of Wine's only user.
fn user_folder(wine: &Wine) -> Result<PathBuf, XtaskError> {
    let users = wine.drive().join("users");
    let entries = fs::read_dir(&users).map_err(XtaskError::file(&users))?;
    let found = entries.flatten().map(|entry| entry.path()).find(|path| !path.ends_with("Public"));
    found.ok_or_else(|| XtaskError::Missing(format!("{} has nobody", users.display())))
}

/// Checks that the window shows its own dialog without WebView2, which Wine lacks. It must not wait forever. The
/// display is virtual.
fn check_dialog_without_web_view(wine: &Wine, window: &Path) -> Result<(), XtaskError> {
    setup::install(&["xvfb", "x11-utils"])?;
    let mut display = program("Xvfb");
    display.args([DISPLAY, "-screen", "0", "1024x768x24"]);
    let display = start_process(display)?;
    let mut command = wine.command(DIALOG_TIMEOUT, window);
    command.env("DISPLAY", DISPLAY);
    let mut window = start_process(command)?;
    let started = Instant::now();
    let mut listed = String::new();
    while !listed.contains(DIALOG_TITLE)
        && started.elapsed() < DIALOG_TIMEOUT
        && window.0.try_wait().is_ok_and(|ended| ended.is_none())
    {
        thread::sleep(POLL_INTERVAL);
        let mut list = program("xwininfo");
        list.args(["-display", DISPLAY, "-root", "-tree"]);
        // The display may still be starting.
        listed = capture_output(list).unwrap_or_default();
    }
    wine.end_processes();
    drop((window, display));
    if listed.contains(DIALOG_TITLE) {
        return Ok(());
    }
    let reason = format!("no dialog says that WebView2 is missing:\n{listed}");
    Err(XtaskError::Answer { program: "takt-desktop.exe".to_owned(), reason })
}

/// A process that is killed when the guard is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start_process(mut command: Command) -> Result<Running, XtaskError> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().map(Running).map_err(|source| XtaskError::Start { program: name, source })
}
