//! A replacement for the user's browser. `$BROWSER` writes the address to a file, and the test signs in with it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::Program;

const TIMEOUT: Duration = Duration::from_secs(30);
/// The program that opens addresses on Linux. It may prefer another browser to `$BROWSER`, so [`path_with`] replaces
/// it, too.
#[cfg(unix)]
const OPENER: &str = "xdg-open";

/// The test's choice on the sign-in page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    Planner,
    /// A user who may read but not write.
    Viewer,
    /// Leaves the sign-in page without a choice.
    Nobody,
}

/// A program for `$BROWSER`, and the address that it was started with.
#[derive(Debug)]
pub struct Browser {
    folder: tempfile::TempDir,
}

impl Default for Browser {
    fn default() -> Self {
        Self::new()
    }
}

impl Browser {
    #[must_use]
    pub fn new() -> Self {
        let browser = Self { folder: tempfile::tempdir().expect("a temporary folder can be made") };
        // The script writes another file first and renames it, so that a reader never sees a partial address.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let wanted = browser.address_file();
            let script = format!("#!/bin/sh\nprintf %s \"$1\" > '{0}.part' && mv '{0}.part' '{0}'\n", wanted.display());
            for name in ["browser", OPENER] {
                let program = browser.folder.path().join(name);
                fs::write(&program, &script).expect("a temporary file can be written");
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(&program, mode).expect("a file of our own can be changed");
            }
        }
        #[cfg(windows)]
        fs::copy(crate::built_program("stand-in-browser"), browser.command()).expect("a temporary file can be written");
        browser
    }

    /// Returns the value for `$BROWSER`.
    #[must_use]
    pub fn command(&self) -> PathBuf {
        self.folder.path().join(if cfg!(windows) { "browser.exe" } else { "browser" })
    }

    /// Waits for the address that `program` opens, and returns it. Each address is returned once.
    #[must_use]
    pub fn wait_for_address(&self, program: &mut Program) -> String {
        let wanted = self.address_file();
        let address = program.wait_for("address to open", TIMEOUT, |_| fs::read_to_string(&wanted).ok());
        fs::remove_file(&wanted).expect("a file of our own can be removed");
        address.trim().to_owned()
    }

    /// Waits for an address that any program opens.
    pub async fn wait_for_any_address(&self) -> String {
        let wanted = self.address_file();
        let waiting = async {
            loop {
                if let Ok(address) = fs::read_to_string(&wanted) {
                    return address;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let address = tokio::time::timeout(TIMEOUT, waiting).await.expect("an address is opened");
        fs::remove_file(&wanted).expect("a file of our own can be removed");
        address.trim().to_owned()
    }

    fn address_file(&self) -> PathBuf {
        self.folder.path().join("address")
    }
}

/// Returns a value for `$PATH` with which desktop programs open addresses with this `$BROWSER`, too.
pub(crate) fn path_with(command: &str) -> String {
    let folder = Path::new(command).parent().map(Path::to_path_buf);
    let usual = env::var_os("PATH").unwrap_or_default();
    let folders = folder.into_iter().chain(env::split_paths(&usual));
    env::join_paths(folders).expect("folders were split from a path").to_string_lossy().into_owned()
}

/// Opens the sign-in page, chooses `person` and follows the redirect. Returns the last page's text.
pub async fn complete_sign_in(address: &str, person: Person) -> String {
    let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build().expect("a client can be made");
    let page = client.get(address).send().await.expect("the sign-in page answers");
    assert_eq!(page.status(), 200, "the sign-in page: {}", page.text().await.unwrap_or_default());
    let choice = match person {
        Person::Planner => ("user", "planner"),
        Person::Viewer => ("user", "viewer"),
        Person::Nobody => ("cancel", "1"),
    };
    let back = client.post(address).form(&[choice]).send().await.expect("the way back is open");
    back.text().await.expect("the last page is text")
}
