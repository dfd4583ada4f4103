//! What a company's IT sets on a computer for all its users: sites, and settings that users can't change.
//!
//! It is one JSON file in a folder that only an administrator may write to. Without it nothing is set.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use takt_contract::text_without_byte_order_mark;

use crate::{Code, Language, Problem};

const FILE: &str = "policy.json";
const FOLDER: &str = "Takt";
/// Without an administrator's policy, the user may name one at the start.
const VARIABLE: &str = "TAKT_POLICY";
/// Bytes of a policy.
const MAX_POLICY_BYTES: u64 = 1024 * 1024;

/// The file's content. What is absent is for each person to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Sites that everybody has.
    #[serde(default)]
    pub sites: Vec<PolicySite>,
    /// Other sites can't be seen or added. The practice plant stays.
    #[serde(default)]
    pub only_these_sites: bool,
    /// The language of users who have chosen none, for example `de`.
    #[serde(default)]
    pub language: Option<String>,
    /// The update channel, for everybody.
    #[serde(default)]
    pub update: Option<PolicyUpdate>,
    /// How long rows, requests and events are kept, for everybody.
    #[serde(default)]
    pub retention: Option<PolicyRetention>,
    /// Where the policy lies: paths in it begin there.
    #[serde(skip)]
    folder: PathBuf,
}

/// A site by its site file. Files that belong to this computer stand beside it.
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
    /// Absent: no check for updates.
    #[serde(default)]
    pub channel: Option<String>,
    /// Once a day by itself.
    #[serde(default)]
    pub daily: bool,
    /// The public key of minisign by which packages are signed. With it a person may install what the channel names; without it
    /// nobody does.
    #[serde(default)]
    pub public_key: Option<String>,
}

/// As in the settings; what is absent has no end.
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
    /// Reads a policy; without a path nothing is set.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`] (`policy`): the file can't be read, or says what Takt doesn't understand. A policy that only half
    /// applies would be worse than none.
    pub fn load(path: Option<&Path>) -> Result<Self, Problem> {
        let Some(path) = path else { return Ok(Self::default()) };
        let refused = |details: String| {
            let file = path.display().to_string();
            Problem::new(Code::InvalidInput).parameter("what", file).parameter("case", "policy").details(details)
        };
        let size = fs::metadata(path).map_err(|error| refused(error.to_string()))?.len();
        if size > MAX_POLICY_BYTES {
            return Err(refused(format!("{size} bytes")));
        }
        check_writers(path).map_err(refused)?;
        let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        let text = text_without_byte_order_mark(&text);
        let mut policy: Self = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
        if let Some(tag) = policy.language.as_deref().filter(|tag| Language::from_tag(tag).is_none()) {
            return Err(refused(format!("language: {tag}")));
        }
        policy.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(policy)
    }

    /// The language of users who have chosen none.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        self.language.as_deref().and_then(Language::from_tag)
    }

    /// A path of the policy, from the policy's own folder on.
    #[must_use]
    pub fn path(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}

/// Whoever may write a policy decides where secrets are sent: refuses one that every account of the computer may change.
///
/// # Errors
///
/// What is open to everybody.
#[cfg(unix)]
fn check_writers(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    const EVERYBODY_WRITES: u32 = 0o002;
    /// In such a folder people can't replace each other's files.
    const STICKY: u32 = 0o1000;
    let file = fs::canonicalize(path).map_err(|error| error.to_string())?;
    let is_open = |place: &Path, allowed: u32| {
        fs::metadata(place).is_ok_and(|found| {
            let mode = found.permissions().mode();
            mode & EVERYBODY_WRITES != 0 && mode & allowed == 0
        })
    };
    let folder = file.parent().filter(|folder| is_open(folder, STICKY));
    match folder.or_else(|| is_open(&file, 0).then_some(&*file)) {
        Some(place) => Err(format!("every account can change {}", place.display())),
        None => Ok(()),
    }
}

/// As on Unix. A place that keeps no list of access, such as some shares, is taken: nothing says who may change it.
#[cfg(windows)]
fn check_writers(path: &Path) -> Result<(), String> {
    use crate::access::{CHANGE_FILE, REPLACE_IN_FOLDER, descriptor, everybody_with};
    let file = fs::canonicalize(path).map_err(|error| error.to_string())?;
    let folder = file.parent().map(|folder| (folder, &REPLACE_IN_FOLDER));
    for (place, rights) in folder.into_iter().chain([(&*file, &CHANGE_FILE)]) {
        let group = descriptor(place).ok().and_then(|descriptor| everybody_with(rights, &descriptor));
        if let Some(group) = group {
            return Err(format!("every account ({group}) can change {}", place.display()));
        }
    }
    Ok(())
}

/// The policy of this computer, where there is one; else the one that the environment names.
#[must_use]
pub fn policy_file() -> Option<PathBuf> {
    let own = machine_folder().map(|folder| folder.join(FILE)).filter(|path| path.is_file());
    own.or_else(|| env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from))
}

#[cfg(windows)]
fn machine_folder() -> Option<PathBuf> {
    env::var_os("ProgramData").map(|folder| Path::new(&folder).join(FOLDER))
}

#[cfg(target_os = "macos")]
fn machine_folder() -> Option<PathBuf> {
    Some(Path::new("/Library/Application Support").join(FOLDER))
}

#[cfg(not(any(windows, target_os = "macos")))]
fn machine_folder() -> Option<PathBuf> {
    Some(Path::new("/etc").join(FOLDER.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Policy, Problem> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
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
        let file = inner.join(FILE);
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
        assert!(policy.path(&policy.sites[0].file).is_absolute());
        assert!(policy.path(Path::new("ca.pem")).ends_with("ca.pem"));
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
