//! Locates Takt's files and the policy. `TAKT_HOME` overrides the platform's folder for user data.
//!
//! Contains only names of folders and files. The modules that write the files define their content. Only the vault file
//! contains secrets, encrypted with a passphrase.

use std::{
    env,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use takt_journal::private_file::create_private_folder;

#[cfg(windows)]
use crate::access;
use crate::{Code, Problem, policy::policy_file};

const HOME_VARIABLE: &str = "TAKT_HOME";
const FOLDER_NAME: &str = "Takt";
/// The number of hash bytes that distinguish two home folders.
const FINGERPRINT_BYTES: usize = 8;

/// The folder with Takt's files, and the path of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    policy: Option<PathBuf>,
}

impl Home {
    /// Locates the home folder: `TAKT_HOME`, or the platform's folder.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: `TAKT_HOME` isn't set and the platform has no folder for user data. Also the errors of
    /// [`Self::open`].
    pub fn from_environment() -> Result<Self, Problem> {
        let named = env::var_os(HOME_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        match named.or_else(|| dirs::data_dir().map(|folder| folder.join(FOLDER_NAME))) {
            Some(root) => Ok(Self { policy: policy_file(), ..Self::open(root)? }),
            None => Err(Problem::new(Code::WriteFailed).parameter("file", HOME_VARIABLE)),
        }
    }

    /// Opens a home folder. If it is missing, it is created for its owner only: 0700 on Unix. On Windows, the parent's
    /// permissions apply.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: the folder, or `logs`, `locks` or `copies` in it, can't be created or opened.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, Problem> {
        let root = root.into();
        create_private_folder(&root).map_err(|cause| write_problem(&root, cause))?;
        // A folder must have one path regardless of its spelling, because the fingerprint depends on it.
        let root = canonicalize_folder(&root).map_err(|cause| write_problem(&root, cause))?;
        #[cfg(windows)]
        log_other_accounts(&root);
        let home = Self { root, policy: None };
        for folder in [home.logs(), home.locks(), home.copies()] {
            create_private_folder(&folder).map_err(|cause| write_problem(&folder, cause))?;
        }
        Ok(home)
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Sets the path of the policy, instead of the computer's policy.
    #[must_use]
    pub fn with_policy_file(self, file: PathBuf) -> Self {
        Self { policy: Some(file), ..self }
    }

    /// Returns the path of the policy, if there is one.
    #[must_use]
    pub fn policy(&self) -> Option<&Path> {
        self.policy.as_deref()
    }

    /// Returns the file with the address of the team's database. The file only exists in a team.
    #[must_use]
    pub fn team_file(&self) -> PathBuf {
        self.root.join("team.json")
    }

    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.sqlite")
    }

    /// Returns the receiver's database.
    #[must_use]
    pub fn inbox(&self) -> PathBuf {
        self.root.join("inbox.sqlite")
    }

    /// Returns the encrypted vault file, which the user can choose instead of the keychain.
    #[must_use]
    pub fn vault(&self) -> PathBuf {
        self.root.join("secrets.vault")
    }

    #[must_use]
    pub fn preferences(&self) -> PathBuf {
        self.root.join("preferences.json")
    }

    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Returns the folder for sample workbooks.
    #[must_use]
    pub fn samples(&self) -> PathBuf {
        self.root.join("samples")
    }

    /// Returns the folder for tables that the user pasted.
    #[must_use]
    pub fn pasted_tables(&self) -> PathBuf {
        self.root.join("pasted")
    }

    /// Returns the folder for workbooks with deleted rows.
    #[must_use]
    pub fn deleted_rows(&self) -> PathBuf {
        self.root.join("deleted")
    }

    /// Returns the folder for the rows of the window's practice plant.
    #[must_use]
    pub fn practice_plant(&self) -> PathBuf {
        self.root.join("practice-plant")
    }

    /// Returns the folder for copies of large files while they are open. The copies have no names, and are removed with
    /// the process.
    pub fn copies(&self) -> PathBuf {
        self.root.join("copies")
    }

    /// Returns the folder for lock files of concurrent processes.
    pub fn locks(&self) -> PathBuf {
        self.root.join("locks")
    }

    /// Returns a value that distinguishes this home folder's keychain entries from another's.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let hash = Sha256::digest(self.root.as_os_str().as_encoded_bytes());
        crate::hex::to_hex(hash.get(..FINGERPRINT_BYTES).unwrap_or(&hash))
    }
}

#[cfg(not(windows))]
fn canonicalize_folder(folder: &Path) -> std::io::Result<PathBuf> {
    folder.canonicalize()
}

/// Resolves a folder. RAM disks and some shares don't support that. There, the path is used as given, in the form
/// without a length limit.
#[cfg(windows)]
fn canonicalize_folder(folder: &Path) -> std::io::Result<PathBuf> {
    folder.canonicalize().or_else(|_| std::path::absolute(folder).map(|extended| to_extended_path(&extended)))
}

/// Converts `C:\…` to `\\?\C:\…`, and a share's path to `\\?\UNC\server\…`.
#[cfg(windows)]
fn to_extended_path(path: &Path) -> PathBuf {
    use std::path::{Component, Prefix};
    let Some(Component::Prefix(prefix)) = path.components().next() else { return path.to_path_buf() };
    let rest = path.components().skip(1);
    let mut extended = std::ffi::OsString::from(r"\\?\");
    if let Prefix::UNC(server, share) = prefix.kind() {
        extended.push(r"UNC\");
        extended.push(server);
        extended.push(r"\");
        extended.push(share);
    } else if matches!(prefix.kind(), Prefix::Disk(_)) {
        extended.push(prefix.as_os_str());
    } else {
        return path.to_path_buf();
    }
    rest.fold(PathBuf::from(extended), |path, part| path.join(part))
}

/// Logs which other accounts may open the folder. Windows applies the parent's permissions: within a user's profile,
/// only the system and administrators have access. Also logs if the permissions can't be read.
#[cfg(windows)]
fn log_other_accounts(root: &Path) {
    match access::read_descriptor(root).and_then(|descriptor| Ok((descriptor, access::current_account()?))) {
        Ok((descriptor, own_account)) => {
            let others = access::list_accounts_with_access(&descriptor, &own_account);
            if !others.is_empty() {
                tracing::warn!(folder = %root.display(), ?others, "other people may open this folder: choose one of your own");
            }
        }
        Err(cause) => tracing::warn!(folder = %root.display(), %cause, "who may open this folder isn't known"),
    }
}

fn write_problem(path: &Path, cause: std::io::Error) -> Problem {
    Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(cause)
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_length_names_the_same_place() {
        for (plain, extended) in [
            (r"C:\Users\Anna Müller\Takt", r"\\?\C:\Users\Anna Müller\Takt"),
            (r"\\server\plans\Takt", r"\\?\UNC\server\plans\Takt"),
            (r"\\?\C:\Takt", r"\\?\C:\Takt"),
        ] {
            assert_eq!(to_extended_path(Path::new(plain)), Path::new(extended));
        }
    }
}
