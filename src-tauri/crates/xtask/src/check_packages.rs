//! `cargo xtask check-packages [--profile dev|release]`: installs the Debian packages on a bare system.
//!
//! The bare system is made from Debian's packages, without Rust and Node. First, the command line is tested alone, as
//! on a server. Then a combined package of window and command line is upgraded from a repository. The window and the
//! history must remain.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{
    console::{print, timed},
    error::XtaskError,
    package::{self, Control, Tree, Trees},
    package_options::Options,
    paths,
    process::{capture_output, program},
    setup,
};

/// The Debian packages that the check needs: a display, tools to inspect its windows, and a starter of desktop entries.
const CHECK_TOOLS: &str = "xvfb x11-utils dbus libglib2.0-bin desktop-file-utils fonts-dejavu-core";
const OLDER_VERSION: &str = "0.0.9";
const SAMPLE: &str = "work-orders.sync.xlsx";
/// The expected totals of the sample on the practice plant, as parts of the JSON summary.
const EXPECTED_TOTALS: [&str; 2] = ["\"accepted\":254", "\"skipped\":9"];
/// The time limit of each step in the bare system.
const STEP_TIMEOUT: Duration = Duration::from_secs(600);
/// Succeeds if the window appears within half a minute.
const WINDOW_CHECK: &str = "Xvfb :91 -screen 0 1440x900x24 >/dev/null 2>&1 &
export DISPLAY=:91 XDG_RUNTIME_DIR=$HOME
for i in $(seq 100); do xwininfo -root >/dev/null 2>&1 && break; sleep 0.1; done
dbus-run-session -- sh -c 'gio launch /usr/share/applications/takt.desktop >$HOME/window.log 2>&1
for i in $(seq 300); do
  xwininfo -root -tree | grep \"Takt\" | grep -E \"[0-9]{3,}x[0-9]{3,}\" && exit 0
  sleep 0.1
done
cat $HOME/window.log; exit 1'";

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let (_, options) = Options::parse(arguments, &[])?;
    setup::install(&["mmdebstrap", "util-linux"])?;
    let trees = Trees::fill(&options)?;
    let newer = package::build_debian(&trees, &options)?;
    newer.iter().try_for_each(|package| package::report(package))?;
    let older = build_combined_package(&trees, &Options { version: OLDER_VERSION.to_owned(), ..options.clone() })?;
    let system = System::prepare()?;
    let repository = system.root.join("srv/repository");
    if repository.exists() {
        fs::remove_dir_all(&repository).map_err(XtaskError::file(&repository))?;
    }
    fs::create_dir(&repository).map_err(XtaskError::file(&repository))?;
    for package in &newer {
        copy_into(package, &repository)?;
    }
    let mut scan = program("dpkg-scanpackages");
    scan.args(["--multiversion", "."]).current_dir(&repository);
    let index = repository.join("Packages");
    fs::write(&index, capture_output(scan)?).map_err(XtaskError::file(&index))?;
    for file in [&older, &paths::root().join("tests/data/samples").join(SAMPLE)] {
        copy_into(file, &system.root.join("srv"))?;
    }
    timed("the command line alone on a bare Debian", || check_without_window(&system))?;
    timed("the window on a bare Debian, upgraded", || check_with_window(&system, &file_name(&older)))
}

/// Builds the package `takt` with window and command line, as in versions before the split.
fn build_combined_package(trees: &Trees, options: &Options) -> Result<PathBuf, XtaskError> {
    let combined = Tree::empty("both")?;
    for tree in [&trees.command_line, &trees.window] {
        let mut copy = program("cp");
        copy.arg("-a").arg(tree.root().join("usr")).arg(combined.root());
        capture_output(copy)?;
    }
    let control = Control {
        package: "takt",
        fields: String::new(),
        depends: "ca-certificates".to_owned(),
        description: "planner's console, as it was packaged before",
        preinst_script: None,
    };
    package::build_one_debian(&combined, &control, options)
}

fn copy_into(file: &Path, folder: &Path) -> Result<(), XtaskError> {
    let to = folder.join(file.file_name().unwrap_or_default());
    fs::copy(file, &to).map(drop).map_err(XtaskError::file(&to))
}

/// Tests the command line alone, as on a server.
fn check_without_window(system: &System) -> Result<(), XtaskError> {
    system.clean()?;
    system.expect(
        "there is no Rust and no Node",
        "! command -v cargo && ! command -v rustc && ! command -v node",
        &[],
    )?;
    system.run("apt-get install -y -qq --no-install-recommends takt >/dev/null")?;
    let packages = "dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' | grep -E '^(takt-desktop|libgtk-3-0|libwebkit2gtk).* ii' || echo none";
    system.expect("no window, and nothing that it needs", packages, &["none"])?;
    system.expect_as_user("the main job without a window", &main_job_line(), &EXPECTED_TOTALS)?;
    system.expect_as_user(
        "`takt open` says what is missing",
        &format!("takt open /srv/{SAMPLE} 2>&1 || true"),
        &["takt-desktop"],
    )?;
    system.run("apt-get purge -y -qq takt >/dev/null; rm -rf ~planner/.local")
}

fn main_job_line() -> String {
    format!("takt sync /srv/{SAMPLE} --to work-orders.sync --yes --skip-errors --json || [ $? = 1 ]")
}

fn check_with_window(system: &System, older: &str) -> Result<(), XtaskError> {
    system.clean()?;
    let before = system.size()?;
    timed("installing the older version with what it depends on", || system.install(older))?;
    print(&format!("    {} MB more on the disk, with the libraries", system.size()?.saturating_sub(before)));
    system.expect("its version", "dpkg-query -W -f '${Version}' takt", &[OLDER_VERSION])?;
    system.expect("desktop entry is valid", "desktop-file-validate /usr/share/applications/takt.desktop", &[])?;
    for kind in
        ["x-scheme-handler/takt", "text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"]
    {
        system.expect(&format!("{kind} can be opened with it"), &format!("gio mime {kind}"), &["takt.desktop"])?;
    }
    let carried = "test -s /usr/share/man/man1/takt.1.gz && test -s /usr/share/bash-completion/completions/takt \
                   && test -s /usr/share/doc/takt/licenses.json && dpkg -V takt \
                   && test -s /usr/share/man/man1/takt-watch.1.gz && test -s /usr/share/man/man1/takt-listen.1.gz \
                   && ls /usr/lib/systemd/user/takt-listen@.service /usr/lib/systemd/user/takt-watch@.service";
    system.run(carried)?;
    system.expect_as_user("the main job by the command line", &main_job_line(), &EXPECTED_TOTALS)?;
    system.expect_as_user("the window by its desktop entry", WINDOW_CHECK, &["Takt"])?;
    system.expect(
        "upgrading",
        "apt-get upgrade --with-new-pkgs -y 2>&1",
        &["the window moves to the package takt-desktop"],
    )?;
    let versions =
        "dpkg-query -W -f '${Package} ${Version} ${db:Status-Abbrev}\n' takt takt-desktop && dpkg -V takt takt-desktop";
    for package in ["takt", "takt-desktop"] {
        system.expect("both packages are new", versions, &[&format!("{package} {} ii", env!("CARGO_PKG_VERSION"))])?;
    }
    system.expect_as_user("the history is kept over the update", "takt history --json", &["\"accepted\":254"])?;
    system.expect_as_user("the window after the update", WINDOW_CHECK, &["Takt"])?;
    system.run("apt-get purge -y -qq takt >/dev/null")?;
    let gone = "! command -v takt && ! command -v takt-desktop && ! test -e /usr/share/applications/takt.desktop";
    system.expect("nothing is left of it", gone, &[])?;
    system.expect_as_user("what it kept stays", "ls ~/.local/share/Takt/", &["journal.sqlite"])
}

/// A bare Debian system in a folder of the build folder.
#[derive(Debug)]
struct System {
    root: PathBuf,
}

impl System {
    /// Makes the system once, with the package sources of this computer.
    fn prepare() -> Result<Self, XtaskError> {
        let system = Self { root: paths::target().join("package/debian") };
        let stamp = system.root.join("srv/ready");
        if stamp.is_file() {
            return Ok(system);
        }
        timed("making a bare Debian (about two minutes)", || {
            let mut command = with_timeout("mmdebstrap");
            command.args(["--quiet", "--variant=apt"]).arg(format!("--include={}", CHECK_TOOLS.replace(' ', ",")));
            command.arg(codename()?).arg(&system.root).args(apt_sources()?);
            capture_output(command)?;
            system.run("useradd --create-home planner")
        })?;
        fs::write(&stamp, "").map_err(XtaskError::file(&stamp))?;
        Ok(system)
    }

    fn install(&self, package: &str) -> Result<(), XtaskError> {
        self.run(&format!(
            "apt-get update -qq && apt-get install -y -qq --no-install-recommends /srv/{package} >/dev/null"
        ))
    }

    /// Removes the packages of an earlier run, and adds the repository with the new packages.
    fn clean(&self) -> Result<(), XtaskError> {
        self.run(
            "apt-get purge -y -qq takt takt-desktop >/dev/null 2>&1 || true; apt-get autoremove -y -qq >/dev/null; \
             rm -rf ~planner/.local; echo 'deb [trusted=yes] file:/srv/repository ./' >/etc/apt/sources.list.d/takt.list; \
             apt-get update -qq",
        )
    }

    fn size(&self) -> Result<u64, XtaskError> {
        let printed = self.run_line("du -sxm --exclude=/proc --exclude=/dev / | cut -f1")?;
        Ok(printed.trim().parse().unwrap_or_default())
    }

    fn run(&self, line: &str) -> Result<(), XtaskError> {
        self.run_line(line).map(drop)
    }

    fn expect(&self, step: &str, line: &str, words: &[&str]) -> Result<(), XtaskError> {
        let outcome = timed(step, || self.run_line(line));
        if let Err(error) = &outcome {
            error.output().lines().for_each(|line| print(&format!("    {line}")));
        }
        let printed = outcome?;
        match words.iter().find(|word| !printed.contains(**word)) {
            Some(word) => {
                Err(XtaskError::Answer { program: step.to_owned(), reason: format!("no {word} in: {printed}") })
            }
            None => Ok(()),
        }
    }

    fn expect_as_user(&self, step: &str, line: &str, words: &[&str]) -> Result<(), XtaskError> {
        let file = self.root.join("srv/line.sh");
        fs::write(&file, line).map_err(XtaskError::file(&file))?;
        self.expect(step, "su - planner -c 'sh /srv/line.sh'", words)
    }

    /// Runs a shell line in separate namespaces, so that its processes and mounts end with it. Returns the output.
    fn run_line(&self, line: &str) -> Result<String, XtaskError> {
        let mut command = with_timeout("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]);
        command.arg("mount -t proc proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && mount -t tmpfs tmpfs \"$0/tmp\" && exec chroot \"$0\" sh -c \"$1\"");
        command.arg(&self.root).arg(line).env("DEBIAN_FRONTEND", "noninteractive").env("LC_ALL", "C.UTF-8");
        command.env_remove("DISPLAY").env_remove("TAKT_HOME");
        let resolver = self.root.join("etc/resolv.conf");
        fs::copy("/etc/resolv.conf", &resolver).map_err(XtaskError::file(&resolver))?;
        capture_output(command)
    }
}

fn with_timeout(name: &str) -> Command {
    let mut command = program("timeout");
    command.args(["--kill-after=5", &STEP_TIMEOUT.as_secs().to_string(), name]);
    command
}

/// Returns the codename of this computer's Debian. The bare system needs the same one, so that its libraries match
/// those of the build.
fn codename() -> Result<String, XtaskError> {
    let text = fs::read_to_string("/etc/os-release").map_err(XtaskError::file("/etc/os-release"))?;
    let found = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    found.map(str::to_owned).ok_or_else(|| XtaskError::Missing("this is no Debian".to_owned()))
}

fn apt_sources() -> Result<Vec<PathBuf>, XtaskError> {
    let candidates = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
    let existing: Vec<PathBuf> =
        candidates.iter().map(PathBuf::from).filter(|path| has_content(path)).take(1).collect();
    if existing.is_empty() { Err(XtaskError::Missing("apt has no sources of Debian".to_owned())) } else { Ok(existing) }
}

fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
