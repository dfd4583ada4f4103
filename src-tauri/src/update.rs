//! Updates: the daily check in the background, if the user enabled it, and installing a newer version with Tauri's
//! updater. The package's signature must match a known key.
//!
//! Decides whether this installation can update. The system updates its own packages (`.deb`, `.rpm`). Installations of
//! a single user update themselves.

use std::{env, path::PathBuf, sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use takt_engine::{
    Code, Engine, Problem,
    update::{PackageSource, Updates},
};
use tauri::{AppHandle, Runtime, Url};
use tauri_plugin_updater::{Error, Updater, UpdaterExt};
use tauri_specta::Event;

use crate::{
    events::UpdateChecked,
    questions,
    state::{AppStateAccess, run_blocking},
};

/// The interval between two lookups whether the daily check is due.
const POLL_INTERVAL: Duration = Duration::from_secs(600);

/// The public key for checking packages. A release build sets it with `TAKT_UPDATE_KEY`.
const BUILT_IN_KEY: Option<&str> = option_env!("TAKT_UPDATE_KEY");
/// A package has about ten megabytes, and a connection may be slow.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(1800);
const UNINSTALLER: &str = "uninstall.exe";

/// Starts the checks, which continue until the program ends. Failures are retried, and only shown in the settings.
pub(crate) fn start_checks<R: Runtime>(app: &AppHandle<R>, engine: &Arc<Engine>) {
    let (app, updates) = (app.clone(), Updates::new(engine));
    tauri::async_runtime::spawn(async move {
        loop {
            let settings = updates.clone();
            if run_blocking(move || settings.is_due()).await.unwrap_or_default() {
                match updates.check().await {
                    Ok(()) => {
                        if let Err(error) = UpdateChecked.emit(&app) {
                            tracing::debug!(%error, "nobody hears of the check for updates");
                        }
                    }
                    Err(problem) => tracing::warn!(?problem, "the check for updates can't be kept"),
                }
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    });
}

/// Returns whether a newer version is available that this installation can install.
pub(crate) fn can_install<R: Runtime>(app: &AppHandle<R>) -> Result<bool, Problem> {
    Ok(installation_path().is_some() && package_source(app)?.is_some())
}

/// Asks the user, installs the newer version, and restarts Takt. Returns only if that was refused or failed. Then
/// nothing has changed.
pub(crate) async fn install<R: Runtime>(app: &AppHandle<R>) -> Result<(), Problem> {
    let nothing = || Problem::obstacle("nothing-to-install");
    let handle = app.clone();
    let found = run_blocking(move || Ok((package_source(&handle)?, installation_path()))).await?;
    let (Some(source), Some(executable)) = found else { return Err(nothing()) };
    questions::ask(app, [questions::about_update(&source.address)]).await?;
    let updater = build_updater(app, &source, executable).map_err(to_problem)?;
    let update = updater.check().await.map_err(to_problem)?.ok_or_else(nothing)?;
    update.download_and_install(|_, _| {}, || {}).await.map_err(to_problem)?;
    app.request_restart();
    Ok(())
}

fn package_source<R: Runtime>(app: &AppHandle<R>) -> Result<Option<PackageSource>, Problem> {
    Updates::new(&app.engine()).package_source(BUILT_IN_KEY)
}

fn build_updater<R: Runtime>(
    app: &AppHandle<R>,
    source: &PackageSource,
    executable: PathBuf,
) -> Result<Updater, Error> {
    let address = Url::parse(&source.address)?;
    let is_local = address.host_str() == Some("127.0.0.1");
    let mut builder = app
        .updater_builder()
        .executable_path(executable)
        .timeout(DOWNLOAD_TIMEOUT)
        .pubkey(key_file(&source.public_key));
    if is_local {
        builder = builder.no_proxy();
    }
    builder.endpoints(vec![address])?.build()
}

/// Converts a key to the updater's format: the content of a minisign key file, in base64.
fn key_file(key: &str) -> String {
    STANDARD.encode(format!("untrusted comment: minisign public key\n{}\n", key.trim()))
}

/// Returns the path that an update replaces, or `None` if the system or IT updates this installation.
fn installation_path() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    if cfg!(windows) {
        return program.with_file_name(UNINSTALLER).is_file().then_some(program);
    }
    if cfg!(target_os = "macos") {
        let is_bundle = program.ancestors().any(|folder| folder.extension().is_some_and(|ending| ending == "app"));
        return is_bundle.then_some(program);
    }
    // Only the AppImage runtime sets this variable.
    env::var_os("APPIMAGE").map(PathBuf::from).filter(|image| image.is_file())
}

fn to_problem(error: Error) -> Problem {
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
