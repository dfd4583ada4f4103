//! The Debian package, by dpkg's own tools: what the program links to, and loads for the window, says which packages it needs.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    console::timed,
    error::XtaskError,
    package::{Options, Profile, Tree, folder, tree::PROGRAM},
    process::{catch, program},
    setup, window_libraries,
};

const DESCRIPTION: &str = "planner's console for a shop-floor production-execution service
 Sign in, drop a spreadsheet, see what it would change, send it in batches, and
 know for every row what became of it. With the window (takt-desktop), the
 command line (takt) and a practice plant.";

pub(super) fn build(tree: &Tree, options: &Options) -> Result<PathBuf, XtaskError> {
    setup::install(&["dpkg-dev"])?;
    timed(&format!("making the Debian package {}", options.version), || make(tree, options))
}

/// What the program needs, and the authorities by which servers are verified: without any no site can be talked to.
fn make(tree: &Tree, options: &Options) -> Result<PathBuf, XtaskError> {
    let mut query = program("dpkg");
    query.arg("--print-architecture");
    let architecture = catch(query)?.trim().to_owned();
    let size = kilobytes(tree)?;
    let control = format!(
        "Package: takt\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: The authors of Takt\nInstalled-Size: {size}\n\
         Depends: {depends}, ca-certificates\nRecommends: libayatana-appindicator3-1, gnome-keyring | kwalletmanager, xdg-utils\nSection: misc\n\
         Priority: optional\nDescription: {DESCRIPTION}\n",
        version = options.version,
        depends = dependencies(tree)?,
    );
    let meta = tree.root().join("DEBIAN");
    if meta.exists() {
        fs::remove_dir_all(&meta).map_err(XtaskError::file(&meta))?;
    }
    fs::create_dir(&meta).map_err(XtaskError::file(&meta))?;
    fs::write(meta.join("control"), control).map_err(XtaskError::file(&meta))?;
    let sums = in_tree(tree, "find usr -type f -print0 | sort -z | xargs -0 md5sum")?;
    fs::write(meta.join("md5sums"), sums).map_err(XtaskError::file(&meta))?;
    let out = folder().join(format!("takt_{}_{architecture}.deb", options.version));
    let mut dpkg = program("dpkg-deb");
    // Programs for developers are large, and this package of them is short-lived.
    let compression = if options.profile == Profile::Release { "-Zxz" } else { "-Znone" };
    dpkg.args(["--root-owner-group", compression, "--build"]).arg(tree.root()).arg(&out);
    let built = catch(dpkg);
    fs::remove_dir_all(&meta).map_err(XtaskError::file(&meta))?;
    built.map(|_| out)
}

/// The tool reads the description of a source package, which this isn't made from.
fn dependencies(tree: &Tree) -> Result<String, XtaskError> {
    let scratch = folder().join("shlibdeps");
    fs::create_dir_all(scratch.join("debian")).map_err(XtaskError::file(&scratch))?;
    let control = scratch.join("debian/control");
    fs::write(&control, "Source: takt\n\nPackage: takt\nArchitecture: any\n").map_err(XtaskError::file(&control))?;
    let mut tool = program("dpkg-shlibdeps");
    tool.arg("-O").current_dir(&scratch);
    for file in [tree.root().join("usr/bin").join(PROGRAM), window_libraries::link_all(&scratch)?] {
        tool.arg(format!("-e{}", file.display()));
    }
    let printed = catch(tool)?;
    let found = printed.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    found
        .map(str::to_owned)
        .ok_or_else(|| XtaskError::Answer { program: "dpkg-shlibdeps".to_owned(), reason: printed.clone() })
}

fn kilobytes(tree: &Tree) -> Result<u64, XtaskError> {
    let printed = in_tree(tree, "du -sk usr")?;
    let number = printed.split_whitespace().next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| XtaskError::Answer { program: "du".to_owned(), reason: printed.clone() })
}

fn in_tree(tree: &Tree, line: &str) -> Result<String, XtaskError> {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(tree.root());
    catch(shell)
}
