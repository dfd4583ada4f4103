//! `takt open`: a workbook or a link in the window, which is started where none runs.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use takt_engine::{Code, Home, Problem, open_target::OpenTarget, run_blocking, running_window::hand_over};

use crate::{
    console::Console,
    ending::{ExitStatus, Failure},
};

/// The window's program.
const WINDOW: &str = "takt-desktop";
/// It has a window of its own, and none in the terminal that starts it.
#[cfg(windows)]
const DETACHED_PROCESS: u32 = 0x0000_0008;

pub(super) async fn run(arguments: &[String], site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    if site.is_some() {
        return Err(Failure::Usage("open.no-site", Vec::new()));
    }
    let home = Home::from_environment()?;
    let folder = env::current_dir().unwrap_or_default();
    let targets: Vec<_> = arguments.iter().map(|one| OpenTarget::parse(one, &folder)).collect::<Result<_, _>>()?;
    targets.iter().try_for_each(is_there)?;
    let given = targets.clone();
    if !run_blocking(move || Ok(hand_over(&home, &given))).await? {
        let window = program().ok_or_else(|| Problem::in_the_way("window-missing"))?;
        if !has_display() {
            return Err(Problem::in_the_way("no-display").into());
        }
        start(window, &targets)?;
    }
    console.line(&console.texts.text("open.opened", &[]));
    Ok(ExitStatus::Done)
}

/// A mistyped name is told here, where it was typed.
fn is_there(target: &OpenTarget) -> Result<(), Problem> {
    match target {
        OpenTarget::Workbook(path) if !path.is_file() => {
            Err(Problem::new(Code::FileUnreadable).parameter("file", path.display().to_string()))
        }
        _ => Ok(()),
    }
}

/// Without one the window would end at once. Windows and macOS always have one.
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
    // It goes on when the terminal is closed or interrupted.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED_PROCESS);
    command.spawn().map(drop).map_err(|error| Problem::in_the_way("window-missing").details(error))
}

/// Beside this program, else where programs are looked for.
fn program() -> Option<PathBuf> {
    let name = format!("{WINDOW}{}", env::consts::EXE_SUFFIX);
    // `takt` may be a link. The window's program is next to its target.
    let here = env::current_exe().ok()?;
    let here = if cfg!(unix) { here.canonicalize().unwrap_or(here) } else { here };
    let beside = here.parent().map(|folder| folder.join(&name));
    let paths = env::var_os("PATH").unwrap_or_default();
    let others: Vec<PathBuf> = env::split_paths(&paths).map(|folder| folder.join(&name)).collect();
    beside.into_iter().chain(others).find(|path| path.is_file())
}
