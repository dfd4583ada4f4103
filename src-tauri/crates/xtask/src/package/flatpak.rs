//! Builds the Flatpak with flatpak-builder and `packaging/linux/app.takt.desktop.yml`. It needs the runtime that the
//! file names.

use std::path::PathBuf;

use crate::{
    console::timed,
    error::XtaskError,
    package::tree::{Trees, folder},
    process::{capture_output, exists, program},
};

const MANIFEST: &str = "packaging/linux/app.takt.desktop.yml";
const ID: &str = "app.takt.desktop";

/// Builds the Flatpak. The manifest reads the filled trees by path.
pub(super) fn build(_: &Trees) -> Result<PathBuf, XtaskError> {
    if !exists("flatpak-builder") || !exists("flatpak") {
        return Err(XtaskError::Missing(
            "a Flatpak needs flatpak and flatpak-builder, and the runtime of GNOME".to_owned(),
        ));
    }
    let (repository, out) = (folder().join("flatpak-repository"), folder().join("takt.flatpak"));
    timed("making the Flatpak", || {
        let mut builder = program("flatpak-builder");
        builder.args(["--force-clean", "--repo"]).arg(&repository).arg(folder().join("flatpak")).arg(MANIFEST);
        capture_output(builder)?;
        let mut bundle = program("flatpak");
        bundle.arg("build-bundle").arg(&repository).arg(&out).arg(ID);
        capture_output(bundle)
    })?;
    Ok(out)
}
