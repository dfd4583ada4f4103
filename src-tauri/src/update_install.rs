//! Installing a newer version: by Tauri's updater, from what the update channel names, signed by a key that is known here.
//!
//! Owns where that is possible at all. A package of the system's own (`.deb`, `.rpm`) is the system's to update; what a person installed
//! alone updates itself.

use std::{env, path::PathBuf, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use takt_engine::{
    Code, Problem,
    update::{PackageSource, Updates},
};
use tauri::{AppHandle, Runtime, Url};
use tauri_plugin_updater::{Error, Updater, UpdaterExt};

use crate::{questions, state::AppStateAccess};

/// The owner's public key, set when a release is built.
const BUILT_IN_KEY: Option<&str> = option_env!("TAKT_UPDATE_KEY");
/// A package has about ten megabytes, and a line may be slow.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(1800);
const UNINSTALLER: &str = "uninstall.exe";

/// Whether a newer version is there that this installation can install.
pub(crate) fn is_possible<R: Runtime>(app: &AppHandle<R>) -> Result<bool, Problem> {
    Ok(installation().is_some() && source(app)?.is_some())
}

/// Asks a person, installs the newer version, and starts it. Comes back only where that fails: then everything is as it was.
pub(crate) async fn install<R: Runtime>(app: &AppHandle<R>) -> Result<(), Problem> {
    let nothing = || Problem::in_the_way("nothing-to-install");
    let source = source(app)?.ok_or_else(nothing)?;
    let place = installation().ok_or_else(nothing)?;
    questions::ask(app, [questions::of_update(&source.address)]).await?;
    let updater = updater(app, &source, place).map_err(problem)?;
    let update = updater.check().await.map_err(problem)?.ok_or_else(nothing)?;
    update.download_and_install(|_, _| {}, || {}).await.map_err(problem)?;
    app.request_restart();
    Ok(())
}

fn source<R: Runtime>(app: &AppHandle<R>) -> Result<Option<PackageSource>, Problem> {
    Updates::of(&app.app_state().engine).package_source(BUILT_IN_KEY)
}

fn updater<R: Runtime>(app: &AppHandle<R>, source: &PackageSource, place: PathBuf) -> Result<Updater, Error> {
    let address = Url::parse(&source.address)?;
    let is_here = address.host_str() == Some("127.0.0.1");
    let mut builder =
        app.updater_builder().executable_path(place).timeout(DOWNLOAD_TIMEOUT).pubkey(key_file(&source.public_key));
    if is_here {
        builder = builder.no_proxy();
    }
    builder.endpoints(vec![address])?.build()
}

/// A key as the updater takes it: minisign's file, as base64.
fn key_file(key: &str) -> String {
    STANDARD.encode(format!("untrusted comment: minisign public key\n{}\n", key.trim()))
}

/// What an update replaces; none where it is the system's or IT's to update.
fn installation() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    if cfg!(windows) {
        return program.with_file_name(UNINSTALLER).is_file().then_some(program);
    }
    if cfg!(target_os = "macos") {
        let is_bundle = program.ancestors().any(|folder| folder.extension().is_some_and(|ending| ending == "app"));
        return is_bundle.then_some(program);
    }
    // Set by the AppImage's own start, and by nothing else.
    env::var_os("APPIMAGE").map(PathBuf::from).filter(|image| image.is_file())
}

fn problem(error: Error) -> Problem {
    let case = match &error {
        Error::Minisign(_)
        | Error::SignatureUtf8(_)
        | Error::MissingSignedVersion
        | Error::SignedVersionMismatch { .. } => "signature",
        _ => "install",
    };
    Problem::new(Code::UpdateChannelFailed).parameter("case", case).details(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_handed_on_as_minisign_writes_it() {
        let file = STANDARD.decode(key_file(" RWQ \n")).unwrap();
        assert_eq!(String::from_utf8(file).unwrap(), "untrusted comment: minisign public key\nRWQ\n");
    }
}
