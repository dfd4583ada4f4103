//! The folders of the Linux packages: one for the command line, one for the window.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    console::timed,
    error::XtaskError,
    package_options::{Options, path_flags},
    paths,
    process::{capture_output, cargo, npm, program},
    setup::{self, Purpose},
};

/// The name of the command line's package and program, which must stay the same for updates.
pub(crate) const COMMAND_LINE: &str = "takt";
/// The name of the window's package and program, which must stay the same for updates.
pub(crate) const WINDOW: &str = "takt-desktop";
/// The command line's other files in the repository, each with its installed path.
const COMMAND_LINE_FILES: [(&str, &str); 4] = [
    ("packaging/linux/takt-listen@.service", "usr/lib/systemd/user/takt-listen@.service"),
    ("packaging/linux/takt-watch@.service", "usr/lib/systemd/user/takt-watch@.service"),
    ("LICENSE", "usr/share/doc/takt/copyright"),
    ("docs/licenses.json", "usr/share/doc/takt/licenses.json"),
];
const WINDOW_FILES: [(&str, &str); 7] = [
    ("packaging/linux/takt.desktop", "usr/share/applications/takt.desktop"),
    ("icons/32x32.png", "usr/share/icons/hicolor/32x32/apps/takt.png"),
    ("icons/128x128.png", "usr/share/icons/hicolor/128x128/apps/takt.png"),
    ("icons/128x128@2x.png", "usr/share/icons/hicolor/256x256/apps/takt.png"),
    ("icons/takt.svg", "usr/share/icons/hicolor/scalable/apps/takt.svg"),
    ("LICENSE", "usr/share/doc/takt-desktop/copyright"),
    ("docs/licenses.json", "usr/share/doc/takt-desktop/licenses.json"),
];
/// The shell completions that `takt generate` writes, each with its installed path.
const COMPLETIONS: [(&str, &str); 3] = [
    ("takt.bash", "usr/share/bash-completion/completions/takt"),
    ("_takt", "usr/share/zsh/vendor-completions/_takt"),
    ("takt.fish", "usr/share/fish/vendor_completions.d/takt.fish"),
];
const MAN_PAGES: &str = "usr/share/man/man1";

/// The package folders of the command line and the window.
#[derive(Debug)]
pub(crate) struct Trees {
    pub(crate) command_line: Tree,
    pub(crate) window: Tree,
}

impl Trees {
    /// Builds the programs, and fills new package folders.
    pub(crate) fn fill(options: &Options) -> Result<Self, XtaskError> {
        if !cfg!(target_os = "linux") {
            return Err(XtaskError::Missing("packages for Linux are made on Linux".to_owned()));
        }
        setup::prepare(Purpose::Window)?;
        timed("web UI: building", || capture_output(npm(["run", "--silent", "build"])).map(drop))?;
        timed("building the programs (ten minutes and more the first time)", || {
            let mut build = cargo(["build", "--quiet", "--package", "takt-cli", "--package", WINDOW, "--bins"]);
            build.args(["--profile", options.profile.name()]);
            make_repeatable(&mut build, &paths::root());
            capture_output(build).map(drop)
        })?;
        let built = paths::target().join(options.profile.folder());
        let command_line = Tree::with_files(&built, COMMAND_LINE, &COMMAND_LINE_FILES)?;
        command_line.add_generated()?;
        let window = Tree::with_files(&built, WINDOW, &WINDOW_FILES)?;
        Ok(Self { command_line, window })
    }
}

/// The folder of a package, with the files at their installed paths.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Creates an empty package folder, and removes an existing one.
    pub(crate) fn empty(name: &str) -> Result<Self, XtaskError> {
        let root = folder().join("trees").join(name);
        if root.exists() {
            fs::remove_dir_all(&root).map_err(XtaskError::file(&root))?;
        }
        fs::create_dir_all(&root).map_err(XtaskError::file(&root))?;
        set_mode(&root, 0o755)?;
        Ok(Self { root })
    }

    fn with_files(built: &Path, program: &str, files: &[(&str, &str)]) -> Result<Self, XtaskError> {
        let tree = Self::empty(program)?;
        tree.add(&built.join(program), &format!("usr/bin/{program}"), 0o755)?;
        for (from, to) in files {
            tree.add(&paths::root().join(from), to, 0o644)?;
        }
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
        let mut takt = program(&self.root.join("usr/bin").join(COMMAND_LINE).to_string_lossy());
        takt.arg("generate").arg(&scratch);
        capture_output(takt)?;
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
            capture_output(gzip)?;
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

/// Makes a build reproducible: replaces paths of this computer with fixed names, and the time with the commit's.
pub(crate) fn make_repeatable(build: &mut Command, source: &Path) {
    build.env("RUSTFLAGS", path_flags("--remap-path-prefix", source));
    for variable in ["CFLAGS", "CXXFLAGS"] {
        build.env(variable, path_flags("-ffile-prefix-map", source));
    }
    let mut git = program("git");
    git.args(["log", "-1", "--format=%ct"]);
    if let Ok(time) = capture_output(git) {
        build.env("SOURCE_DATE_EPOCH", time.trim());
    }
}

/// Returns the folder in which packages are built, below the build folder.
pub(super) fn folder() -> PathBuf {
    paths::target().join("package")
}

/// Sets a file's mode explicitly. Packages store the mode, and the default depends on the user's umask.
#[cfg(unix)]
pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), XtaskError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(XtaskError::file(path))
}

#[cfg(not(unix))]
pub(super) fn set_mode(_: &Path, _: u32) -> Result<(), XtaskError> {
    Ok(())
}
