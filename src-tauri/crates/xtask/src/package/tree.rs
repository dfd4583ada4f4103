//! What a package for Linux installs, in the folders where it is installed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    console::timed,
    error::XtaskError,
    package::{Options, folder, make_repeatable},
    place,
    process::{cargo, catch, npm, program},
    setup::{self, Purpose},
    window_libraries,
};

/// The one program that is installed.
pub(crate) const PROGRAM: &str = "takt-desktop";
/// Its other name, by which it is the command line.
const COMMAND_LINE: &str = "usr/bin/takt";
/// From the root, and where each is installed.
const FILES: [(&str, &str); 9] = [
    ("packaging/linux/takt.desktop", "usr/share/applications/takt.desktop"),
    ("packaging/linux/takt-listen@.service", "usr/lib/systemd/user/takt-listen@.service"),
    ("packaging/linux/takt-watch@.service", "usr/lib/systemd/user/takt-watch@.service"),
    ("icons/32x32.png", "usr/share/icons/hicolor/32x32/apps/takt.png"),
    ("icons/128x128.png", "usr/share/icons/hicolor/128x128/apps/takt.png"),
    ("icons/128x128@2x.png", "usr/share/icons/hicolor/256x256/apps/takt.png"),
    ("icons/takt.svg", "usr/share/icons/hicolor/scalable/apps/takt.svg"),
    ("LICENSE", "usr/share/doc/takt/copyright"),
    ("docs/licenses.json", "usr/share/doc/takt/licenses.json"),
];
/// What `takt generate` writes for shells, and where each shell looks.
const COMPLETIONS: [(&str, &str); 3] = [
    ("takt.bash", "usr/share/bash-completion/completions/takt"),
    ("_takt", "usr/share/zsh/vendor-completions/_takt"),
    ("takt.fish", "usr/share/fish/vendor_completions.d/takt.fish"),
];
const MAN_PAGES: &str = "usr/share/man/man1";

#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Builds the programs and lays everything out anew.
    pub(crate) fn fill(options: &Options) -> Result<Self, XtaskError> {
        if !cfg!(target_os = "linux") {
            return Err(XtaskError::Missing("packages for Linux are made on Linux".to_owned()));
        }
        setup::prepare(Purpose::Window)?;
        timed("web UI: building", || catch(npm(["run", "--silent", "build"])).map(drop))?;
        timed("building the program (ten minutes and more the first time)", || {
            let mut build = cargo(["build", "--quiet", "--package", PROGRAM, "--bins"]);
            build.args(["--profile", options.profile.name()]);
            make_repeatable(&mut build, &place::root());
            catch(build).map(drop)
        })?;
        let tree = Self { root: folder().join("tree") };
        if tree.root.exists() {
            fs::remove_dir_all(&tree.root).map_err(XtaskError::file(&tree.root))?;
        }
        let built = place::target().join(options.profile.folder());
        let installed = format!("usr/bin/{PROGRAM}");
        tree.add(&built.join(PROGRAM), &installed, 0o755)?;
        window_libraries::check(&tree.root.join(installed))?;
        link(PROGRAM, &tree.root.join(COMMAND_LINE))?;
        for (from, to) in FILES {
            tree.add(&place::root().join(from), to, 0o644)?;
        }
        tree.add_generated()?;
        Ok(tree)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    fn add_generated(&self) -> Result<(), XtaskError> {
        let scratch = folder().join("generated");
        if scratch.exists() {
            fs::remove_dir_all(&scratch).map_err(XtaskError::file(&scratch))?;
        }
        let mut takt = program(&self.root.join(COMMAND_LINE).to_string_lossy());
        takt.arg("generate").arg(&scratch);
        catch(takt)?;
        for (from, to) in COMPLETIONS {
            self.add(&scratch.join("completions").join(from), to, 0o644)?;
        }
        let pages = scratch.join("man");
        for entry in fs::read_dir(&pages).map_err(XtaskError::file(&pages))? {
            let page = entry.map_err(XtaskError::file(&pages))?.path();
            let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let to = format!("{MAN_PAGES}/{name}");
            self.add(&page, &to, 0o644)?;
            let mut gzip = program("gzip");
            gzip.args(["-9", "-n"]).arg(self.root.join(to));
            catch(gzip)?;
        }
        Ok(())
    }

    fn add(&self, from: &Path, to: &str, mode: u32) -> Result<(), XtaskError> {
        let to = self.root.join(to);
        for folder in to
            .parent()
            .into_iter()
            .flat_map(Path::ancestors)
            .take_while(|folder| !folder.exists())
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
        {
            fs::create_dir(folder).map_err(XtaskError::file(folder))?;
            set_mode(folder, 0o755)?;
        }
        fs::copy(from, &to).map_err(XtaskError::file(from))?;
        set_mode(&to, mode)
    }
}

/// The link says the name alone: both lie in one folder, wherever that is.
#[cfg(unix)]
pub(super) fn link(to: &str, at: &Path) -> Result<(), XtaskError> {
    std::os::unix::fs::symlink(to, at).map_err(XtaskError::file(at))
}

#[cfg(not(unix))]
pub(super) fn link(_: &str, _: &Path) -> Result<(), XtaskError> {
    Ok(())
}

/// Packages carry it along, whatever the umask is here.
#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<(), XtaskError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(XtaskError::file(path))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<(), XtaskError> {
    Ok(())
}
