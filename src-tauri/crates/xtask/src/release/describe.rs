//! What is in a release, as CycloneDX: the crates of each program by cargo-cyclonedx, the packages of the web UI by npm.

use std::fs;

use crate::{
    error::XtaskError,
    place,
    process::{cargo, catch, exists, npm, show},
};

const TOOL: (&str, &str) = ("cargo-cyclonedx", "0.5.9");
/// The folder of each program's crate, and the name of its file.
const PROGRAMS: [(&str, &str); 2] = [("src-tauri", "takt-desktop"), ("src-tauri/crates/takt-cli", "takt-cli")];

pub(super) fn write() -> Result<(), XtaskError> {
    let tools = place::target().join("tools");
    let path = tools.join("bin").join(format!("{}{}", TOOL.0, std::env::consts::EXE_SUFFIX));
    if !path.is_file() && !exists(TOOL.0) {
        let mut install = cargo(["install", "--quiet", "--debug", "--locked", TOOL.0, "--version", TOOL.1, "--root"]);
        install.arg(&tools);
        show(install)?;
    }
    for (folder, name) in PROGRAMS {
        let program = if path.is_file() { path.clone() } else { TOOL.0.into() };
        let mut tool = crate::process::program(&program.to_string_lossy());
        tool.args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--override-filename", "sbom"]);
        tool.arg("--manifest-path").arg(place::root().join(folder).join("Cargo.toml"));
        catch(tool)?;
        gather(folder, name)?;
    }
    let web = catch(npm([
        "sbom",
        "--sbom-format",
        "cyclonedx",
        "--sbom-type",
        "application",
        "--omit",
        "dev",
        "--package-lock-only",
    ]))?;
    super::write("takt-ui.cdx.json", &web)
}

/// The tool writes beside every crate of the workspace; one of them is wanted.
fn gather(folder: &str, name: &str) -> Result<(), XtaskError> {
    let root = place::root();
    let wanted = root.join(folder).join("sbom.json");
    let text = fs::read_to_string(&wanted).map_err(XtaskError::file(&wanted))?;
    // Our own crates are named by their place.
    super::write(&format!("{name}.cdx.json"), &text.replace(&root.display().to_string(), "/takt"))?;
    let crates = root.join("src-tauri/crates");
    let folders = fs::read_dir(&crates).map_err(XtaskError::file(&crates))?.flatten().map(|entry| entry.path());
    for place in folders.chain([root.join("src-tauri"), root.join("tests")]) {
        let file = place.join("sbom.json");
        if file.is_file() {
            fs::remove_file(&file).map_err(XtaskError::file(&file))?;
        }
    }
    Ok(())
}
