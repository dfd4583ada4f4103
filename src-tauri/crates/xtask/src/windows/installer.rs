//! The programs for Windows, their installer by NSIS, and its round trip under Wine: install, use, install again, remove.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use crate::{
    console::{print, timed},
    error::XtaskError,
    package_options::{Options, Profile},
    place,
    process::{catch, npm, program},
    setup::{self, Purpose},
    windows::{
        folder, no_web_view,
        toolchain::{self, Toolchain},
        wine::Wine,
    },
};

const PROGRAMS: [&str; 2] = ["takt.exe", "takt-desktop.exe"];
/// Tauri's loader of WebView2, which the window's program needs beside it.
const LOADER: &str = "WebView2Loader.dll";
/// No step takes longer under Wine.
const LIMIT: Duration = Duration::from_secs(120);
const MEGABYTE: f64 = 1_000_000.0;

/// Builds the programs and the installer, and says where it is.
pub(crate) fn build(options: &Options) -> Result<PathBuf, XtaskError> {
    let toolchain = Toolchain::prepare()?;
    setup::install(&["nsis"])?;
    setup::prepare(Purpose::Window)?;
    timed("web UI: building", || catch(npm(["run", "--silent", "build"])).map(drop))?;
    timed("Windows: building the programs (ten minutes and more the first time)", || {
        let profile = ["--profile", options.profile.name()];
        let words = ["build", "--quiet", "--package", "takt-cli", "--package", "takt-desktop", "--bins"];
        // What was built to be tested is taken as it is.
        let mut build = match options.profile {
            Profile::Dev => toolchain.cargo(words),
            Profile::Release => toolchain.cargo_without_places(words),
        };
        build.args(profile);
        catch(build).map(drop)
    })?;
    let wine = Wine::prepare()?;
    let source = stage(&wine, options.profile)?;
    let out = folder().join(format!("takt-{}-setup.exe", options.version));
    timed("Windows: making the installer", || make(&source, options, &out))?;
    for file in PROGRAMS.iter().map(|name| source.join(name)).chain([out.clone()]) {
        let bytes = fs::metadata(&file).map_err(XtaskError::file(&file))?.len();
        print(&format!("    {:.1} MB  {}", bytes as f64 / MEGABYTE, file.display()));
    }
    Ok(out)
}

/// What is installed, in one folder, and beside it what the uninstaller deletes.
fn stage(wine: &Wine, profile: Profile) -> Result<PathBuf, XtaskError> {
    let (built, stage) = (toolchain::built(profile.folder()), folder().join("package"));
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(XtaskError::file(&stage))?;
    }
    fs::create_dir_all(&stage).map_err(XtaskError::file(&stage))?;
    let root = place::root();
    let mut files: Vec<(PathBuf, &str)> = PROGRAMS.iter().map(|name| (built.join(name), *name)).collect();
    files.push((built.join(LOADER), LOADER));
    files.push((root.join("LICENSE"), "LICENSE.txt"));
    files.push((root.join("docs/licenses.json"), "licenses.json"));
    files.push((root.join("icons/128x128.png"), "takt.png"));
    for (from, name) in &files {
        fs::copy(from, stage.join(name)).map_err(XtaskError::file(from))?;
    }
    let mut completions = wine.command(LIMIT, stage.join("takt.exe"));
    completions.args(["generate", "generated"]).current_dir(&stage);
    catch(completions)?;
    wine.end();
    // PowerShell alone reads completions on Windows.
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

fn make(source: &Path, options: &Options, out: &Path) -> Result<(), XtaskError> {
    let mut makensis = program("makensis");
    makensis.args(["-V2", "-WX", "-INPUTCHARSET", "UTF8"]);
    let icon = place::root().join("icons/icon.ico");
    for (name, value) in [("SOURCE", source), ("OUT", out), ("ICON", &icon)] {
        makensis.arg(format!("-D{name}={}", value.display()));
    }
    makensis.arg(format!("-DVERSION={}", options.version));
    makensis.arg(place::root().join("packaging/windows/takt.nsi"));
    catch(makensis).map(drop)
}

/// Installs, uses, installs over itself and removes it, silently, and looks at what is there after each step.
pub(super) fn check(options: &Options) -> Result<(), XtaskError> {
    let setup = build(options)?;
    let wine = Wine::prepare()?;
    let outcome = timed("Windows: installing, using and removing it under Wine", || round_trip(&wine, &setup));
    wine.end();
    outcome
}

fn round_trip(wine: &Wine, setup: &Path) -> Result<(), XtaskError> {
    let person = person(wine)?;
    let (programs, home) = (person.join("AppData/Local/Programs/Takt"), person.join("AppData/Roaming/Takt"));
    for left in [&programs, &home] {
        if left.exists() {
            fs::remove_dir_all(left).map_err(XtaskError::file(left))?;
        }
    }
    // Longer than a text of the installer may be.
    let kept =
        (0..100).map(|number| format!(r"C:\folder {number:03}")).collect::<Vec<_>>().join(";") + r";%USERPROFILE%\x";
    set(wine, r"HKCU\Environment", "Path", &kept)?;
    set(wine, r"HKCU\Software\Classes\.xlsx", "", "Somebody.Else")?;
    silently(wine, setup, &[])?;
    for file in PROGRAMS.iter().chain(&[LOADER, "LICENSE.txt", "licenses.json", "_takt.ps1", "uninstall.exe"]) {
        expect(programs.join(file).is_file(), &format!("{file} is installed"))?;
    }
    let queried = get(wine, r"HKCU\Environment", "Path")?;
    expect(queried.contains(&format!("{kept};")), "what was on PATH stays there, unexpanded")?;
    find_in_terminal(wine, &queried, &kept)?;
    expect(home.is_dir(), "Takt has its folder")?;
    let handler = get(wine, r"HKCU\Software\Classes\takt\shell\open\command", "")?;
    expect(handler.contains(r#"takt-desktop.exe" "%1""#), "takt:// links open the window")?;
    expect(get(wine, r"HKCU\Software\Classes\.xlsx", "")?.contains("Somebody.Else"), "the default program stays")?;
    expect(
        get(wine, r"HKCU\Software\Classes\.xlsx\OpenWithProgids", "Takt.Spreadsheet").is_ok(),
        "Takt is offered for .xlsx",
    )?;
    expect(get(wine, r"HKCU\Software\Classes\.csv\OpenWithProgids", "Takt.Spreadsheet").is_ok(), "and for .csv")?;
    expect(
        person.join("AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Takt.lnk").is_file(),
        "the start menu has it",
    )?;
    let said = no_web_view::check(wine, &programs.join("takt-desktop.exe"));
    expect(said.is_ok(), "without WebView2 the window says so")?;
    refuse_while_open(wine, setup, &programs)?;
    silently(wine, setup, &[])?;
    let named = get(wine, r"HKCU\Environment", "Path")?.matches(r"Programs\Takt").count();
    expect(named == 1, "PATH names it once after an update")?;
    remove(wine, &programs, &[])?;
    expect(!programs.exists(), "nothing of the programs is left")?;
    expect(home.is_dir(), "what Takt keeps stays")?;
    let path = get(wine, r"HKCU\Environment", "Path")?;
    expect(path.contains(&kept) && !path.contains("Takt"), "PATH is as it was")?;
    for key in [
        r"HKCU\Software\Classes\takt",
        r"HKCU\Software\Classes\Takt.Spreadsheet",
        r"HKCU\Software\Takt",
        r"HKCU\Software\Classes\.csv",
    ] {
        expect(get(wine, key, "").is_err(), &format!("{key} is gone"))?;
    }
    expect(
        get(wine, r"HKCU\Software\Classes\.xlsx", "")?.contains("Somebody.Else"),
        "the default program still stays",
    )?;
    silently(wine, setup, &[])?;
    remove(wine, &programs, &["/REMOVE_DATA"])?;
    expect(!programs.exists() && !home.exists(), "told so, it removes what Takt keeps, too")
}

fn expect(so: bool, what: &str) -> Result<(), XtaskError> {
    print(&format!("    {} {what}", if so { "✓" } else { "✕" }));
    if so {
        Ok(())
    } else {
        Err(XtaskError::Answer { program: "the installer".to_owned(), reason: format!("not so: {what}") })
    }
}

fn silently(wine: &Wine, setup: &Path, words: &[&str]) -> Result<(), XtaskError> {
    let mut command = wine.command(LIMIT, setup);
    command.arg("/S").args(words);
    catch(command)?;
    wine.end();
    Ok(())
}

/// A practice plant runs from the installed program; the installer ends with its own code for that.
fn refuse_while_open(wine: &Wine, setup: &Path, programs: &Path) -> Result<(), XtaskError> {
    let mut plant = wine.command(LIMIT, programs.join("takt.exe"));
    plant.arg("plant").stdout(Stdio::piped());
    let mut plant = plant.spawn().map_err(|source| XtaskError::Start { program: "takt plant".to_owned(), source })?;
    let mut line = String::new();
    let ready = plant.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
    let mut install = wine.command(LIMIT, setup);
    install.arg("/S");
    let ended = install.status().map_err(|source| XtaskError::Start { program: "the installer".to_owned(), source })?;
    wine.end();
    drop(plant.wait());
    expect(ready.is_some_and(|read| read.is_ok()) && line.contains("base_url"), "the installed practice plant runs")?;
    expect(ended.code() == Some(2), &format!("the installer refuses while Takt is open: {ended}"))
}

/// The uninstaller copies itself and returns at once, unless it is told where it is; then it can't delete itself.
fn remove(wine: &Wine, programs: &Path, words: &[&str]) -> Result<(), XtaskError> {
    let mut command = wine.command(LIMIT, programs.join("uninstall.exe"));
    command.arg("/S").args(words);
    catch(command)?;
    let start = std::time::Instant::now();
    while programs.exists() && start.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(200));
    }
    wine.end();
    Ok(())
}

/// A terminal finds `takt` by what the installer wrote to PATH. Wine cuts a PATH as long as the one that was there
/// (Windows doesn't), so the folders of others make room meanwhile.
fn find_in_terminal(wine: &Wine, queried: &str, kept: &str) -> Result<(), XtaskError> {
    let path = queried.split_once("REG_EXPAND_SZ").map(|(_, value)| value.trim()).unwrap_or_default();
    set(wine, r"HKCU\Environment", "Path", &path.replace(kept, r"C:\folder 000"))?;
    let said = catch(in_terminal(wine, "takt --version"))?;
    expect(said.starts_with("takt "), &format!("a new terminal finds takt: {}", said.trim()))?;
    catch(in_terminal(wine, "takt storage"))?;
    set(wine, r"HKCU\Environment", "Path", path)
}

/// A line of a terminal that was opened after the installation: with the person's own PATH.
fn in_terminal(wine: &Wine, line: &str) -> std::process::Command {
    let mut command = wine.command(LIMIT, "cmd");
    command.args(["/c", line]);
    command
}

fn set(wine: &Wine, key: &str, name: &str, value: &str) -> Result<(), XtaskError> {
    let mut command = wine.command(LIMIT, "reg");
    command.args(["add", key, "/f", "/t", "REG_EXPAND_SZ", "/d", value]);
    if name.is_empty() {
        command.arg("/ve")
    } else {
        command.args(["/v", name])
    };
    catch(command).map(drop)
}

fn get(wine: &Wine, key: &str, name: &str) -> Result<String, XtaskError> {
    let mut command = wine.command(LIMIT, "reg");
    command.args(["query", key]);
    if name.is_empty() {
        command.arg("/ve")
    } else {
        command.args(["/v", name])
    };
    catch(command)
}

/// The folder of the one person of this Windows.
fn person(wine: &Wine) -> Result<PathBuf, XtaskError> {
    let users = wine.drive().join("users");
    let entries = fs::read_dir(&users).map_err(XtaskError::file(&users))?;
    let found = entries.flatten().map(|entry| entry.path()).find(|path| !path.ends_with("Public"));
    found.ok_or_else(|| XtaskError::Missing(format!("{} has nobody", users.display())))
}
