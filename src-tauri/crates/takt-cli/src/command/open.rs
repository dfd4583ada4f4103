//! `takt open`: opens workbooks and links in the window, and starts it if none is running.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use takt_engine::{Code, Home, Problem, open_target::OpenTarget, run_blocking, running_window::open_in_running_window};

use crate::{
    console::Console,
    exit_codes::{ExitStatus, Failure},
};

/// The name of the window's program, without the system's suffix.
const WINDOW_PROGRAM: &str = "takt-desktop";
/// The Windows flag for a process that doesn't use the console of its parent.
#[cfg(windows)]
const DETACHED_PROCESS: u32 = 0x0000_0008;

pub(super) async fn run(arguments: &[String], site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    if site.is_some() {
        return Err(Failure::Usage("open.no-site", Vec::new()));
    }
    let home = Home::from_environment()?;
    let folder = env::current_dir().unwrap_or_default();
    let targets: Vec<_> =
        arguments.iter().map(|target| OpenTarget::parse(target, &folder)).collect::<Result<_, _>>()?;
    targets.iter().try_for_each(check_exists)?;
    let handed_over = targets.clone();
    if !run_blocking(move || Ok(open_in_running_window(&home, &handed_over))).await? {
        let window = find_window().ok_or_else(|| Problem::obstacle("window-missing"))?;
        if !has_display() {
            return Err(Problem::obstacle("no-display").into());
        }
        start(window, &targets)?;
    }
    console.print_line(&console.texts.text("open.opened", &[]));
    Ok(ExitStatus::Done)
}

/// Fails for a workbook that doesn't exist, so that a mistyped path is reported in the terminal.
fn check_exists(target: &OpenTarget) -> Result<(), Problem> {
    match target {
        OpenTarget::Workbook(path) if !path.is_file() => {
            Err(Problem::new(Code::FileUnreadable).parameter("file", path.display().to_string()))
        }
        _ => Ok(()),
    }
}

/// Returns whether the window can be displayed. Only Linux may lack a display, and the window would exit at once.
fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

fn start(window: PathBuf, targets: &[OpenTarget]) -> Result<(), Problem> {
    let mut command = Command::new(window);
    for target in targets {
        match target {
            OpenTarget::Workbook(path) => command.arg(path),
            link => command.args(link.link()),
        };
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The window must keep running when the terminal is closed or interrupted.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED_PROCESS);
    command.spawn().map(drop).map_err(|error| Problem::obstacle("window-missing").details(error))
}

/// Finds the window's program next to this one, or in `PATH`.
fn find_window() -> Option<PathBuf> {
    let name = format!("{WINDOW_PROGRAM}{}", env::consts::EXE_SUFFIX);
    // `takt` may be a link. The window's program is next to its target.
    let this_program = env::current_exe().ok()?;
    let this_program = if cfg!(unix) { this_program.canonicalize().unwrap_or(this_program) } else { this_program };
    let sibling = this_program.parent().map(|folder| folder.join(&name));
    let paths = env::var_os("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = env::split_paths(&paths).map(|folder| folder.join(&name)).collect();
    sibling.into_iter().chain(in_path).find(|path| path.is_file())
}
