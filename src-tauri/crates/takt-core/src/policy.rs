//! Loads the policy that a company's IT sets on a computer for all users: sites, and settings that users can't change.
//!
//! The policy is a JSON file in a folder that only administrators may write to. Without the file, nothing is set.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use takt_contract::text_without_byte_order_mark;

use crate::{Code, Language, Problem};

const FILE_NAME: &str = "policy.json";
const FOLDER_NAME: &str = "Takt";
/// The environment variable for a policy's path. The administrator's policy takes precedence.
const POLICY_VARIABLE: &str = "TAKT_POLICY";
/// The maximum size of a policy, in bytes.
const MAX_POLICY_BYTES: u64 = 1024 * 1024;

/// The content of a policy file. Users can choose settings that it doesn't contain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// The sites that are set up for all users.
    #[serde(default)]
    pub sites: Vec<PolicySite>,
    /// True if other sites are hidden and can't be added. The practice plant remains.
    #[serde(default)]
    pub only_these_sites: bool,
    /// The language of users who haven't chosen one, for example `de`.
    #[serde(default)]
    pub language: Option<String>,
    /// The update channel for all users.
    #[serde(default)]
    pub update: Option<PolicyUpdate>,
    /// The retention of rows, requests and events, for all users.
    #[serde(default)]
    pub retention: Option<PolicyRetention>,
    /// The folder of the policy. Paths in it are relative to this.
    #[serde(skip)]
    folder: PathBuf,
}

/// A site with its site file, and the files that belong to this computer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicySite {
    pub file: PathBuf,
    #[serde(default)]
    pub certificate_authorities: Option<PathBuf>,
    #[serde(default)]
    pub client_certificate: Option<PathBuf>,
    #[serde(default)]
    pub client_key: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyUpdate {
    /// If `None`, there are no checks for updates.
    #[serde(default)]
    pub channel: Option<String>,
    /// True if the channel is checked daily.
    #[serde(default)]
    pub daily: bool,
    /// The minisign public key for packages. Users may install packages from the channel only if it is set.
    #[serde(default)]
    pub public_key: Option<String>,
}

/// The retention as in the settings. `None` means forever.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyRetention {
    #[serde(default)]
    pub rows_days: Option<u32>,
    #[serde(default)]
    pub events_days: Option<u32>,
    #[serde(default)]
    pub most_megabytes: Option<u32>,
}

impl Policy {
    /// Loads a policy. Without a path, returns an empty policy.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`] (`policy`): the file is unreadable, too large or invalid, every account can change it, or it
    /// names an unknown member or language. A policy is never applied in part.
    pub fn load(path: Option<&Path>) -> Result<Self, Problem> {
        let Some(path) = path else { return Ok(Self::default()) };
        let invalid_policy = |details: String| {
            let file = path.display().to_string();
            Problem::new(Code::InvalidInput).parameter("what", file).parameter("case", "policy").details(details)
        };
        let size = fs::metadata(path).map_err(|error| invalid_policy(error.to_string()))?.len();
        if size > MAX_POLICY_BYTES {
            return Err(invalid_policy(format!("{size} bytes")));
        }
        check_writers(path).map_err(invalid_policy)?;
        let text = fs::read_to_string(path).map_err(|error| invalid_policy(error.to_string()))?;
        let text = text_without_byte_order_mark(&text);
        let mut policy: Self = serde_json::from_str(text).map_err(|error| invalid_policy(error.to_string()))?;
        if let Some(tag) = policy.language.as_deref().filter(|tag| Language::from_tag(tag).is_none()) {
            return Err(invalid_policy(format!("language: {tag}")));
        }
        policy.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(policy)
    }

    /// Returns the language of users who haven't chosen one.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        self.language.as_deref().and_then(Language::from_tag)
    }

    /// Resolves a path relative to the policy's folder.
    #[must_use]
    pub fn resolve_path(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}

/// Rejects a policy that every account of the computer can change, because it sets the addresses that secrets are sent
/// to.
///
/// # Errors
///
/// A text that names the file or folder that every account can change.
#[cfg(unix)]
fn check_writers(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    const WORLD_WRITABLE: u32 = 0o002;
    /// In such a folder, users can't replace other users' files.
    const STICKY: u32 = 0o1000;
    let file = fs::canonicalize(path).map_err(|error| error.to_string())?;
    let is_open = |place: &Path, allowed: u32| {
        fs::metadata(place).is_ok_and(|metadata| {
            let mode = metadata.permissions().mode();
            mode & WORLD_WRITABLE != 0 && mode & allowed == 0
        })
    };
    let folder = file.parent().filter(|folder| is_open(folder, STICKY));
    match folder.or_else(|| is_open(&file, 0).then_some(&*file)) {
        Some(place) => Err(format!("every account can change {}", place.display())),
        None => Ok(()),
    }
}

/// Like the function for Unix. A file without an access control list, for example on some shares, is accepted.
#[cfg(windows)]
fn check_writers(path: &Path) -> Result<(), String> {
    use crate::access::{CHANGE_FILE, REPLACE_IN_FOLDER, find_public_group, read_descriptor};
    let file = fs::canonicalize(path).map_err(|error| error.to_string())?;
    let folder = file.parent().map(|folder| (folder, &REPLACE_IN_FOLDER));
    for (place, rights) in folder.into_iter().chain([(&*file, &CHANGE_FILE)]) {
        let group = read_descriptor(place).ok().and_then(|descriptor| find_public_group(rights, &descriptor));
        if let Some(group) = group {
            return Err(format!("every account ({group}) can change {}", place.display()));
        }
    }
    Ok(())
}

/// Returns the path of this computer's policy, or of the policy that the environment variable names.
#[must_use]
pub fn policy_file() -> Option<PathBuf> {
    let own = machine_folder().map(|folder| folder.join(FILE_NAME)).filter(|path| path.is_file());
    own.or_else(|| env::var_os(POLICY_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from))
}

#[cfg(windows)]
fn machine_folder() -> Option<PathBuf> {
    env::var_os("ProgramData").map(|folder| Path::new(&folder).join(FOLDER_NAME))
}

#[cfg(target_os = "macos")]
fn machine_folder() -> Option<PathBuf> {
    Some(Path::new("/Library/Application Support").join(FOLDER_NAME))
}

#[cfg(not(any(windows, target_os = "macos")))]
fn machine_folder() -> Option<PathBuf> {
    Some(Path::new("/etc").join(FOLDER_NAME.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Policy, Problem> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        fs::write(&path, text).unwrap();
        Policy::load(Some(&path))
    }

    #[test]
    fn without_a_file_nothing_is_set() {
        let policy = Policy::load(None).unwrap();
        assert_eq!(
            (policy.sites.len(), policy.only_these_sites, policy.language(), policy.update),
            (0, false, None, None)
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_policy_that_everybody_may_change_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (inner, link) = (folder.path().join("takt"), folder.path().join("link.json"));
        let file = inner.join(FILE_NAME);
        fs::create_dir(&inner).unwrap();
        fs::write(&file, "{}").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let open = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (of_folder, of_file, is_taken) in [
            (0o755, 0o644, true),
            (0o755, 0o666, false),
            (0o777, 0o644, false),
            (0o1777, 0o644, true),
            (0o750, 0o660, true),
        ] {
            open(&inner, of_folder);
            open(&file, of_file);
            for path in [&file, &link] {
                let read = Policy::load(Some(path));
                assert_eq!(read.is_ok(), is_taken, "{of_folder:o} {of_file:o} {}", path.display());
            }
        }
    }

    #[test]
    fn paths_begin_where_the_policy_lies() {
        let policy = load(
            "\u{FEFF}{\"sites\": [{\"file\": \"works.json\", \"certificateAuthorities\": \"ca.pem\"}], \"language\": \"de\"}",
        );
        let policy = policy.unwrap();
        assert!(policy.resolve_path(&policy.sites[0].file).is_absolute());
        assert!(policy.resolve_path(Path::new("ca.pem")).ends_with("ca.pem"));
        assert_eq!(policy.language(), Some(Language::De));
    }

    #[test]
    fn the_example_for_it_is_a_policy() {
        let page = include_str!("../../../../docs/it.md").replace("\r\n", "\n");
        let example = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
        let policy = load(example).unwrap();
        assert!(policy.only_these_sites && policy.update.is_some() && policy.retention.is_some());
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_place() {
        for (text, told) in [
            ("", "EOF"),
            ("{\"sites\": [{}]}", "missing field `file`"),
            ("{\n\"onlyTheseSite\": true}", "line 2"),
            ("{\"language\": \"fr\"}", "language: fr"),
            (&format!("\"{}\"", "x".repeat(2_000_000)), "bytes"),
        ] {
            let problem = load(text).unwrap_err();
            assert_eq!((problem.code, problem.parameters["case"].as_str()), (Code::InvalidInput, "policy"));
            assert!(problem.details.as_deref().unwrap().contains(told), "{problem:?}");
        }
        assert!(Policy::load(Some(Path::new("/nowhere/policy.json"))).is_err());
    }
}
