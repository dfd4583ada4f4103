//! The components of a release as CycloneDX files. cargo-cyclonedx lists each program's crates, and npm lists the web
//! UI's packages.

use std::fs;

use super::files;
use crate::{
    error::XtaskError,
    paths,
    process::{capture_output, cargo, exists, npm, show_output},
};

const CYCLONEDX: (&str, &str) = ("cargo-cyclonedx", "0.5.9");
/// The folder of each program's crate, and the name of its file in the release.
const PROGRAMS: [(&str, &str); 2] = [("src-tauri", "takt-desktop"), ("src-tauri/crates/takt-cli", "takt-cli")];

pub(super) fn write() -> Result<(), XtaskError> {
    let tools = paths::target().join("tools");
    let path = tools.join("bin").join(format!("{}{}", CYCLONEDX.0, std::env::consts::EXE_SUFFIX));
    if !path.is_file() && !exists(CYCLONEDX.0) {
        let mut install =
            cargo(["install", "--quiet", "--debug", "--locked", CYCLONEDX.0, "--version", CYCLONEDX.1, "--root"]);
        install.arg(&tools);
        show_output(install)?;
    }
    for (folder, name) in PROGRAMS {
        let program = if path.is_file() { path.clone() } else { CYCLONEDX.0.into() };
        let mut tool = crate::process::program(&program.to_string_lossy());
        tool.args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--override-filename", "sbom"]);
        tool.arg("--manifest-path").arg(paths::root().join(folder).join("Cargo.toml"));
        capture_output(tool)?;
        collect_description(folder, name)?;
    }
    let web = capture_output(npm([
        "sbom",
        "--sbom-format",
        "cyclonedx",
        "--sbom-type",
        "application",
        "--omit",
        "dev",
        "--package-lock-only",
    ]))?;
    files::write("takt-ui.cdx.json", &web)
}

/// Copies the file of a program's crate. Removes the files that the tool wrote next to every crate of the workspace.
fn collect_description(folder: &str, name: &str) -> Result<(), XtaskError> {
    let root = paths::root();
    let source = root.join(folder).join("sbom.json");
    let text = fs::read_to_string(&source).map_err(XtaskError::file(&source))?;
    // The tool identifies crates of the workspace by their path on this computer.
    files::write(&format!("{name}.cdx.json"), &text.replace(&root.display().to_string(), "/takt"))?;
    let crates = root.join("src-tauri/crates");
    let folders = fs::read_dir(&crates).map_err(XtaskError::file(&crates))?.flatten().map(|entry| entry.path());
    for folder in folders.chain([root.join("src-tauri"), root.join("tests")]) {
        let file = folder.join("sbom.json");
        if file.is_file() {
            fs::remove_file(&file).map_err(XtaskError::file(&file))?;
        }
    }
    Ok(())
}
