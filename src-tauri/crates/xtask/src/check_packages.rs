//! `cargo xtask check-packages [--profile dev|release]`: installs the Debian packages on a bare system.
//!
//! A bare Debian without Rust and Node, made from Debian's packages. The command line alone does the main job, as on a server. Then the
//! package of earlier versions, which held the window, too, is upgraded from a repository: the window and the history stay.

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
    let trees = Trees::fill(&options)?;
    let newer = package::build_debian(&trees, &options)?;
    newer.iter().try_for_each(|package| package::report(package))?;
    let older = package_of_both(&trees, &Options { version: OLDER.to_owned(), ..options.clone() })?;
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
    fs::write(&index, catch(scan)?).map_err(XtaskError::file(&index))?;
    for file in [&older, &place::root().join("tests/data/samples").join(SAMPLE)] {
        copy_into(file, &system.root.join("srv"))?;
    }
    timed("the command line alone on a bare Debian", || walk_without_window(&system))?;
    timed("the window on a bare Debian, upgraded", || walk_with_window(&system, &name(&older)))
}

/// The former package `takt`, with window and command line.
fn package_of_both(trees: &Trees, options: &Options) -> Result<PathBuf, XtaskError> {
    let both = Tree::empty("both")?;
    for tree in [&trees.command_line, &trees.window] {
        let mut copy = program("cp");
        copy.arg("-a").arg(tree.root().join("usr")).arg(both.root());
        catch(copy)?;
    }
    let control = Control {
        package: "takt",
        fields: String::new(),
        depends: "ca-certificates".to_owned(),
        description: "planner's console, as it was packaged before",
        before_unpacking: None,
    };
    package::build_one_debian(&both, &control, options)
}

fn copy_into(file: &Path, folder: &Path) -> Result<(), XtaskError> {
    let to = folder.join(file.file_name().unwrap_or_default());
    fs::copy(file, &to).map(drop).map_err(XtaskError::file(&to))
}

/// Tries the command line alone, as on a server.
fn walk_without_window(system: &System) -> Result<(), XtaskError> {
    system.clean()?;
    system.expect(
        "there is no Rust and no Node",
        "! command -v cargo && ! command -v rustc && ! command -v node",
        &[],
    )?;
    system.run("apt-get install -y -qq --no-install-recommends takt >/dev/null")?;
    let packages = "dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' | grep -E '^(takt-desktop|libgtk-3-0|libwebkit2gtk).* ii' || echo none";
    system.expect("no window, and nothing that it needs", packages, &["none"])?;
    system.expect_as_person("the main job without a window", &main_job(), &RESULT)?;
    system.expect_as_person(
        "`takt open` says what is missing",
        &format!("takt open /srv/{SAMPLE} 2>&1 || true"),
        &["takt-desktop"],
    )?;
    system.run("apt-get purge -y -qq takt >/dev/null; rm -rf ~planner/.local")
}

fn main_job() -> String {
    format!("takt sync /srv/{SAMPLE} --to work-orders.sync --yes --skip-errors --json || [ $? = 1 ]")
}

fn walk_with_window(system: &System, older: &str) -> Result<(), XtaskError> {
    system.clean()?;
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
    system.expect_as_person("the main job by the command line", &main_job(), &RESULT)?;
    system.expect_as_person("the window by its desktop entry", WINDOW, &["Takt"])?;
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

    /// Removes the packages of a previous run, and adds the repository with the new ones.
    fn clean(&self) -> Result<(), XtaskError> {
        self.run(
            "apt-get purge -y -qq takt takt-desktop >/dev/null 2>&1 || true; apt-get autoremove -y -qq >/dev/null; \
             rm -rf ~planner/.local; echo 'deb [trusted=yes] file:/srv/repository ./' >/etc/apt/sources.list.d/takt.list; \
             apt-get update -qq",
        )
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
