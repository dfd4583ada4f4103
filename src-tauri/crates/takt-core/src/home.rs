//! Where Takt keeps its files, and which policy holds there. `TAKT_HOME` redirects all of them; without it the platform's folder for a person's data.
//!
//! Owns the folder names. What is inside the files belongs to those who write them; secrets are in none of them but one,
//! which a passphrase opens.

use std::{
    env,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use takt_journal::private::create_private_folder;

#[cfg(windows)]
use crate::access;
use crate::{Code, Problem, policy::policy_file};

const VARIABLE: &str = "TAKT_HOME";
const FOLDER: &str = "Takt";
/// Bytes of the hash that tell two homes apart.
const FINGERPRINT_BYTES: usize = 8;

/// Takt's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    policy: Option<PathBuf>,
}

impl Home {
    /// `TAKT_HOME`, or the platform's folder.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: `TAKT_HOME` isn't set and the platform names no folder for a person's data, or as
    /// [`Self::at`].
    pub fn from_environment() -> Result<Self, Problem> {
        let named = env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        match named.or_else(|| dirs::data_dir().map(|folder| folder.join(FOLDER))) {
            Some(root) => Ok(Self { policy: policy_file(), ..Self::at(root)? }),
            None => Err(Problem::new(Code::WriteFailed).parameter("file", VARIABLE)),
        }
    }

    /// A given folder. If it is missing, it is made for its owner alone: 0700 on Unix. On Windows, the parent's permissions apply.
    ///
    /// # Errors
    ///
    /// [`Code::WriteFailed`]: the folder, or one of `logs`, `locks` and `copies` in it, can't be made or opened.
    pub fn at(root: impl Into<PathBuf>) -> Result<Self, Problem> {
        let root = root.into();
        create_private_folder(&root).map_err(|cause| not_writable(&root, cause))?;
        // One folder has one name, however it was spelled: the fingerprint depends on it.
        let root = resolved(&root).map_err(|cause| not_writable(&root, cause))?;
        #[cfg(windows)]
        log_who_else_may_read(&root);
        let home = Self { root, policy: None };
        for folder in [home.logs(), home.locks(), home.copies()] {
            create_private_folder(&folder).map_err(|cause| not_writable(&folder, cause))?;
        }
        Ok(home)
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The same home where a policy holds.
    #[must_use]
    pub fn under_policy(self, file: PathBuf) -> Self {
        Self { policy: Some(file), ..self }
    }

    /// What a company's IT sets for everybody here, where it does.
    #[must_use]
    pub fn policy(&self) -> Option<&Path> {
        self.policy.as_deref()
    }

    /// Where the team's database is; absent where this desk belongs to none.
    #[must_use]
    pub fn team(&self) -> PathBuf {
        self.root.join("team.json")
    }

    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.sqlite")
    }

    /// What the receiver keeps.
    #[must_use]
    pub fn inbox(&self) -> PathBuf {
        self.root.join("inbox.sqlite")
    }

    /// The secrets, where a person chose to keep them in a file that a passphrase opens.
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

    /// Where sample workbooks are put for a person to find.
    #[must_use]
    pub fn samples(&self) -> PathBuf {
        self.root.join("samples")
    }

    /// The workbooks that are kept of what was deleted.
    #[must_use]
    pub fn deleted(&self) -> PathBuf {
        self.root.join("deleted")
    }

    /// Where large files are copied while they are open. The copies have no names and go with the program.
    pub fn copies(&self) -> PathBuf {
        self.root.join("copies")
    }

    /// Empty files by which two running Takts take turns.
    pub fn locks(&self) -> PathBuf {
        self.root.join("locks")
    }

    /// Tells this home's entries in the keychain from another home's.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let hash = Sha256::digest(self.root.as_os_str().as_encoded_bytes());
        crate::hex::hex(hash.get(..FINGERPRINT_BYTES).unwrap_or(&hash))
    }
}

#[cfg(not(windows))]
fn resolved(folder: &Path) -> std::io::Result<PathBuf> {
    folder.canonicalize()
}

/// Drives in memory and some shares don't tell Windows where a folder of theirs really is: there it is what it is called, in
/// the form that may be longer than 260 characters.
#[cfg(windows)]
fn resolved(folder: &Path) -> std::io::Result<PathBuf> {
    folder.canonicalize().or_else(|_| std::path::absolute(folder).map(|whole| any_length(&whole)))
}

/// `\\?\C:\…` of `C:\…`, and `\\?\UNC\server\…` of a share's path.
#[cfg(windows)]
fn any_length(path: &Path) -> PathBuf {
    use std::path::{Component, Prefix};
    let Some(Component::Prefix(prefix)) = path.components().next() else { return path.to_path_buf() };
    let rest = path.components().skip(1);
    let mut whole = std::ffi::OsString::from(r"\\?\");
    if let Prefix::UNC(server, share) = prefix.kind() {
        whole.push(r"UNC\");
        whole.push(server);
        whole.push(r"\");
        whole.push(share);
    } else if matches!(prefix.kind(), Prefix::Disk(_)) {
        whole.push(prefix.as_os_str());
    } else {
        return path.to_path_buf();
    }
    rest.fold(PathBuf::from(whole), |path, part| path.join(part))
}

/// Windows lets a folder be opened by whom the folder above it lets: within a person's profile by nobody else but the system
/// and its administrators. Whom else it lets in is written into the log, and so is that it couldn't be found out.
#[cfg(windows)]
fn log_who_else_may_read(root: &Path) {
    match access::descriptor(root).and_then(|descriptor| Ok((descriptor, access::current_account()?))) {
        Ok((descriptor, person)) => {
            let others = access::others_let_in(&descriptor, &person);
            if !others.is_empty() {
                tracing::warn!(folder = %root.display(), ?others, "other people may open this folder: choose one of your own");
            }
        }
        Err(cause) => tracing::warn!(folder = %root.display(), %cause, "who may open this folder isn't known"),
    }
}

fn not_writable(path: &Path, cause: std::io::Error) -> Problem {
    Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(cause)
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_length_names_the_same_place() {
        for (plain, whole) in [
            (r"C:\Users\Anna Müller\Takt", r"\\?\C:\Users\Anna Müller\Takt"),
            (r"\\server\plans\Takt", r"\\?\UNC\server\plans\Takt"),
            (r"\\?\C:\Takt", r"\\?\C:\Takt"),
        ] {
            assert_eq!(any_length(Path::new(plain)), Path::new(whole));
        }
    }
}
