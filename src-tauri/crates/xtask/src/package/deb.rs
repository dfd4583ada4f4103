//! Builds the Debian packages with dpkg's own tools. The dependencies are the packages of the linked libraries.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    console::timed,
    error::XtaskError,
    package::tree::{self, Tree, Trees, folder, set_mode},
    package_options::{Options, Profile},
    process::{capture_output, program},
    setup,
};

const COMMAND_LINE_DESCRIPTION: &str = "planner's console for a shop-floor service: command line
 Check a spreadsheet, see what it would change, send it in batches, and know for
 every row what became of it. Runs on servers and in scripts, and brings a
 practice plant. The window is in the package takt-desktop.";
const WINDOW_DESCRIPTION: &str = "planner's console for a shop-floor service: window
 Sign in, drop a spreadsheet, see what it would change, send it in batches, and
 know for every row what became of it. The window of Takt.";
/// Runs before unpacking. Earlier packages `takt` also contained the window, so an upgrade prints how to install it.
const ANNOUNCE_SPLIT: &str = "#!/bin/sh
set -e
if [ \"$1\" = upgrade ] && dpkg-query --listfiles takt 2>/dev/null | grep -qx /usr/bin/takt-desktop; then
    echo 'Takt: the window moves to the package takt-desktop. Install both packages together.' >&2
fi
";

/// The data of a package's control file.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    pub(crate) package: &'static str,
    /// Further lines, such as `Recommends`, each with a line break.
    pub(crate) fields: String,
    pub(crate) depends: String,
    pub(crate) description: &'static str,
    /// The script `preinst`, which dpkg runs before it unpacks the package.
    pub(crate) preinst_script: Option<&'static str>,
}

/// Builds the package of the command line, then the package of the window.
pub(crate) fn build(trees: &Trees, options: &Options) -> Result<Vec<PathBuf>, XtaskError> {
    let version = &options.version;
    // TLS needs the certificates of public authorities.
    let command_line = Control {
        package: tree::COMMAND_LINE,
        fields: "Recommends: takt-desktop, gnome-keyring | kwalletmanager, xdg-utils\n".to_owned(),
        depends: "ca-certificates".to_owned(),
        description: COMMAND_LINE_DESCRIPTION,
        preinst_script: Some(ANNOUNCE_SPLIT),
    };
    let window = Control {
        package: tree::WINDOW,
        fields: format!(
            "Recommends: libayatana-appindicator3-1, gnome-keyring | kwalletmanager, xdg-utils\n\
             Breaks: takt (<< {version})\nReplaces: takt (<< {version})\n"
        ),
        depends: format!("takt (= {version})"),
        description: WINDOW_DESCRIPTION,
        preinst_script: None,
    };
    [(&trees.command_line, command_line), (&trees.window, window)]
        .into_iter()
        .map(|(tree, control)| build_one(tree, &control, options))
        .collect()
}

pub(crate) fn build_one(tree: &Tree, control: &Control, options: &Options) -> Result<PathBuf, XtaskError> {
    setup::install(&["dpkg-dev"])?;
    timed(&format!("making the Debian package {} {}", control.package, options.version), || {
        build_package(tree, control, options)
    })
}

fn build_package(tree: &Tree, control: &Control, options: &Options) -> Result<PathBuf, XtaskError> {
    let mut query = program("dpkg");
    query.arg("--print-architecture");
    let architecture = capture_output(query)?.trim().to_owned();
    let text = format!(
        "Package: {package}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: The authors of Takt\n\
         Installed-Size: {size}\nDepends: {libraries}, {depends}\n{fields}Section: misc\nPriority: optional\n\
         Description: {description}\n",
        package = control.package,
        version = options.version,
        size = size_in_kilobytes(tree)?,
        libraries = library_packages(tree)?,
        depends = control.depends,
        fields = control.fields,
        description = control.description,
    );
    let meta = tree.root().join("DEBIAN");
    if meta.exists() {
        fs::remove_dir_all(&meta).map_err(XtaskError::file(&meta))?;
    }
    fs::create_dir(&meta).map_err(XtaskError::file(&meta))?;
    fs::write(meta.join("control"), text).map_err(XtaskError::file(&meta))?;
    if let Some(script) = control.preinst_script {
        let path = meta.join("preinst");
        fs::write(&path, script).map_err(XtaskError::file(&path))?;
        set_mode(&path, 0o755)?;
    }
    let sums = run_in_tree(tree, "find usr -type f -print0 | sort -z | xargs -0 md5sum")?;
    fs::write(meta.join("md5sums"), sums).map_err(XtaskError::file(&meta))?;
    let out = folder().join(format!("{}_{}_{architecture}.deb", control.package, options.version));
    let mut dpkg = program("dpkg-deb");
    // Programs of the development profile are large, and compressing them for a short-lived package would take too
    // long.
    let compression: &[&str] =
        if options.profile == Profile::Release { &["-Zxz", "-z9", "-Sextreme"] } else { &["-Znone"] };
    dpkg.arg("--root-owner-group").args(compression).arg("--build").arg(tree.root()).arg(&out);
    let built = capture_output(dpkg);
    fs::remove_dir_all(&meta).map_err(XtaskError::file(&meta))?;
    built.map(|_| out)
}

/// Returns the packages of the linked libraries. dpkg-shlibdeps expects a source package's control file, so a minimal
/// one is written.
fn library_packages(tree: &Tree) -> Result<String, XtaskError> {
    let scratch = folder().join("shlibdeps");
    fs::create_dir_all(scratch.join("debian")).map_err(XtaskError::file(&scratch))?;
    let control = scratch.join("debian/control");
    fs::write(&control, "Source: takt\n\nPackage: takt\nArchitecture: any\n").map_err(XtaskError::file(&control))?;
    let mut tool = program("dpkg-shlibdeps");
    tool.arg("-O").current_dir(&scratch);
    let programs = tree.root().join("usr/bin");
    for entry in fs::read_dir(&programs).map_err(XtaskError::file(&programs))? {
        tool.arg(format!("-e{}", entry.map_err(XtaskError::file(&programs))?.path().display()));
    }
    let printed = capture_output(tool)?;
    let found = printed.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    found
        .map(str::to_owned)
        .ok_or_else(|| XtaskError::Answer { program: "dpkg-shlibdeps".to_owned(), reason: printed.clone() })
}

fn size_in_kilobytes(tree: &Tree) -> Result<u64, XtaskError> {
    let printed = run_in_tree(tree, "du -sk usr")?;
    let number = printed.split_whitespace().next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| XtaskError::Answer { program: "du".to_owned(), reason: printed.clone() })
}

fn run_in_tree(tree: &Tree, line: &str) -> Result<String, XtaskError> {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(tree.root());
    capture_output(shell)
}
