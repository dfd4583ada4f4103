//! Checks that each Rust file starts with a doc comment.

use crate::{
    error::XtaskError,
    tidy::{complaint::Complaint, tree::Tree},
};

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let files_without_head = tree.within("", ".rs").filter(|file| !file.text.starts_with("//!"));
    Ok(files_without_head.map(|file| Complaint::new(&file.path, 1, "doesn't open with what it owns (//!)")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_head_is_seen() {
        let tree = Tree::from_files(&[("a.rs", "//! Owns a.\n"), ("b.rs", "use c;\n")]);
        let found: Vec<String> = check(&tree).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(found, ["b.rs:1: doesn't open with what it owns (//!)"]);
    }
}
