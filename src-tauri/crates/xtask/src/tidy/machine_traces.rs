//! Checks that no file contains a path of a developer's machine or the address of an internal package registry.
//!
//! The patterns are split into parts, since this file is checked, too.

use crate::{
    error::XtaskError,
    tidy::{complaint::Complaint, tree::Tree},
};

const FOLDERS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/tmp/", "target"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
const HOSTS: [&str; 4] = [
    concat!("registry", ".npmjs.org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("registry.", "yarnpkg.com"),
];
/// The line of Cargo.lock that contains cargo's registry, which is allowed.
const CARGO_LOCK: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    for file in tree.texts() {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(host) = HOSTS.iter().find(|host| line.contains(**host)) {
                complaints.push(Complaint::new(&file.path, index + 1, format!("names a registry: {host}")));
            }
            if line.contains("registry+") && file.path == "Cargo.lock" && line.trim() != CARGO_LOCK {
                complaints.push(Complaint::new(&file.path, index + 1, "names another registry than cargo's own"));
            }
            if let Some(folder) = FOLDERS.iter().find(|folder| contains_path_start(line, folder)) {
                complaints.push(Complaint::new(
                    &file.path,
                    index + 1,
                    format!("names a folder of a machine: {folder}"),
                ));
            }
        }
    }
    Ok(complaints)
}

/// Returns whether the line contains a path in the folder that isn't a part of a longer path or address.
fn contains_path_start(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '.' | '_' | '-' | '/' | '}' | '~'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        check(&Tree::from_files(&[(path, text)])).unwrap().len()
    }

    #[test]
    fn folders_and_registries_are_seen() {
        for folder in FOLDERS {
            assert_eq!(complaints("a.md", &format!("see `{folder}main`")), 1, "{folder}");
        }
        for host in HOSTS {
            assert_eq!(
                complaints("ui/package-lock.json", &format!("\"resolved\": \"https://{host}/x.tgz\"")),
                1,
                "{host}"
            );
        }
        assert_eq!(complaints("Cargo.lock", "source = \"registry+https://mirror.example/index\""), 1);
    }

    #[test]
    fn addresses_and_cargos_own_line_are_not() {
        assert_eq!(complaints("a.md", &format!("GET {{base_url}}{}orders", FOLDERS[0])), 0);
        assert_eq!(complaints("a.md", &format!("https://example.com{}x", FOLDERS[2])), 0);
        assert_eq!(complaints("Cargo.lock", CARGO_LOCK), 0);
    }
}
