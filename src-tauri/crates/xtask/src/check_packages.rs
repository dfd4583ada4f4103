//! `cargo xtask check-packages [--profile dev|release]`: the Debian package on a system that has nothing but what it asks for.
//!
//! A bare Debian without Rust and Node, made from Debian's packages: installed, opened by its desktop entry on a display without a
//! screen, the main job done, updated over an older version with the history kept, removed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{
    console::{print, timed},
    error::XtaskError,
    package::{self, Tree},
    package_options::Options,
    place,
    process::{catch, program},
    setup,
};

/// What the check itself needs there: a display, a look at its windows, and what starts desktop entries.
const TOOLS: &str = "xvfb x11-utils dbus libglib2.0-bin desktop-file-utils fonts-dejavu-core";
const OLDER: &str = "0.0.9";
const SAMPLE: &str = "work-orders.sync.xlsx";
/// The rows of the sample that the practice plant takes, and those that are wrong.
const RESULT: [&str; 2] = ["\"accepted\":254", "\"skipped\":9"];
/// No step takes longer.
const LIMIT: Duration = Duration::from_secs(600);
/// What says that the window is there, within half a minute.
const WINDOW: &str = "Xvfb :91 -screen 0 1440x900x24 >/dev/null 2>&1 &
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
    let tree = Tree::fill(&options)?;
    let newer = package::debian(&tree, &options)?;
    package::report(&newer)?;
    let older = package::debian(&tree, &Options { version: OLDER.to_owned(), ..options.clone() })?;
    let system = System::prepare()?;
    for file in [&newer, &older, &place::root().join("tests/data/samples").join(SAMPLE)] {
        let to = system.root.join("srv").join(file.file_name().unwrap_or_default());
        fs::copy(file, &to).map_err(XtaskError::file(&to))?;
    }
    timed("the package on a bare Debian", || walk(&system, &name(&older), &name(&newer)))
}

fn walk(system: &System, older: &str, newer: &str) -> Result<(), XtaskError> {
    system.expect(
        "there is no Rust and no Node",
        "! command -v cargo && ! command -v rustc && ! command -v node",
        &[],
    )?;
    // What a run before left behind.
    system.run("apt-get purge -y -qq takt >/dev/null 2>&1 || true; rm -rf ~planner/.local")?;
    let before = system.size()?;
    timed("installing the older version with what it depends on", || system.install(older))?;
    print(&format!("    {} MB more on the disk, with the libraries", system.size()?.saturating_sub(before)));
    system.expect("its version", "dpkg-query -W -f '${Version}' takt", &[OLDER])?;
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
    system.expect("one program by two names", "readlink /usr/bin/takt", &["takt-desktop"])?;
    let job = format!("takt sync /srv/{SAMPLE} --to work-orders.sync --yes --skip-errors --json || [ $? = 1 ]");
    system.expect_as_person("the main job by the command line", &job, &RESULT)?;
    system.expect_as_person("the window by its desktop entry", WINDOW, &["Takt"])?;
    timed("updating", || system.install(newer))?;
    system.expect("its new version", "dpkg-query -W -f '${Version}' takt", &[env!("CARGO_PKG_VERSION")])?;
    system.expect_as_person("the history is kept over the update", "takt history --json", &["\"accepted\":254"])?;
    system.expect_as_person("the window after the update", WINDOW, &["Takt"])?;
    system.run("apt-get purge -y -qq takt >/dev/null")?;
    let gone = "! command -v takt && ! command -v takt-desktop && ! test -e /usr/share/applications/takt.desktop";
    system.expect("nothing is left of it", gone, &[])?;
    system.expect_as_person("what it kept stays", "ls ~/.local/share/Takt/", &["journal.sqlite"])
}

/// A Debian in a folder.
#[derive(Debug)]
struct System {
    root: PathBuf,
}

impl System {
    /// Made once; with the sources of packages that this computer has.
    fn prepare() -> Result<Self, XtaskError> {
        let system = Self { root: place::target().join("package/debian") };
        let stamp = system.root.join("srv/ready");
        if stamp.is_file() {
            return Ok(system);
        }
        timed("making a bare Debian (about two minutes)", || {
            let mut command = limited("mmdebstrap");
            command.args(["--quiet", "--variant=apt"]).arg(format!("--include={}", TOOLS.replace(' ', ",")));
            command.arg(codename()?).arg(&system.root).args(sources()?);
            catch(command)?;
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

    fn size(&self) -> Result<u64, XtaskError> {
        let printed = self.line("du -sxm --exclude=/proc --exclude=/dev / | cut -f1")?;
        Ok(printed.trim().parse().unwrap_or_default())
    }

    fn run(&self, line: &str) -> Result<(), XtaskError> {
        self.line(line).map(drop)
    }

    fn expect(&self, what: &str, line: &str, words: &[&str]) -> Result<(), XtaskError> {
        let outcome = timed(what, || self.line(line));
        if let Err(error) = &outcome {
            error.output().lines().for_each(|line| print(&format!("    {line}")));
        }
        let printed = outcome?;
        match words.iter().find(|word| !printed.contains(**word)) {
            Some(word) => {
                Err(XtaskError::Answer { program: what.to_owned(), reason: format!("no {word} in: {printed}") })
            }
            None => Ok(()),
        }
    }

    fn expect_as_person(&self, what: &str, line: &str, words: &[&str]) -> Result<(), XtaskError> {
        let file = self.root.join("srv/line.sh");
        fs::write(&file, line).map_err(XtaskError::file(&file))?;
        self.expect(what, "su - planner -c 'sh /srv/line.sh'", words)
    }

    /// In namespaces of their own: whatever it starts and mounts ends with it.
    fn line(&self, line: &str) -> Result<String, XtaskError> {
        let mut command = limited("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]);
        command.arg("mount -t proc proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && mount -t tmpfs tmpfs \"$0/tmp\" && exec chroot \"$0\" sh -c \"$1\"");
        command.arg(&self.root).arg(line).env("DEBIAN_FRONTEND", "noninteractive").env("LC_ALL", "C.UTF-8");
        command.env_remove("DISPLAY").env_remove("TAKT_HOME");
        let resolver = self.root.join("etc/resolv.conf");
        fs::copy("/etc/resolv.conf", &resolver).map_err(XtaskError::file(&resolver))?;
        catch(command)
    }
}

fn limited(name: &str) -> Command {
    let mut command = program("timeout");
    command.args(["--kill-after=5", &LIMIT.as_secs().to_string(), name]);
    command
}

/// The same release as here, so that the libraries are those that the package was made for.
fn codename() -> Result<String, XtaskError> {
    let text = fs::read_to_string("/etc/os-release").map_err(XtaskError::file("/etc/os-release"))?;
    let found = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    found.map(str::to_owned).ok_or_else(|| XtaskError::Missing("this is no Debian".to_owned()))
}

fn sources() -> Result<Vec<PathBuf>, XtaskError> {
    let known = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
    let found: Vec<PathBuf> = known.iter().map(PathBuf::from).filter(|path| is_filled(path)).take(1).collect();
    if found.is_empty() { Err(XtaskError::Missing("apt has no sources of Debian".to_owned())) } else { Ok(found) }
}

fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() > 0)
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
