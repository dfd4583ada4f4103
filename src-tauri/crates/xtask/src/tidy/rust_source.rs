//! Rust files open with what they own, stay short enough to be read, and silence no lint without a reason.

use crate::{
    error::XtaskError,
    tidy::{Complaint, Tree},
};

const MOST_LINES: usize = 500;
/// Written in two parts: this file is checked too.
const SILENCED: [&str; 2] = [concat!("#[", "allow("), concat!("#![", "allow(")];

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    for file in tree.within("", ".rs") {
        if !file.text.starts_with("//!") {
            complaints.push(Complaint::new(&file.path, 1, "doesn't open with what it owns (//!)"));
        }
        let lines = file.text.lines().count();
        if lines > MOST_LINES {
            complaints.push(Complaint::new(&file.path, None, format!("has {lines} lines; {MOST_LINES} are the most")));
        }
        for (index, line) in file.text.lines().enumerate() {
            if SILENCED.iter().any(|silenced| line.contains(silenced)) {
                complaints.push(Complaint::new(&file.path, index + 1, "silences a lint: use #[expect(…, reason = …)]"));
            }
        }
    }
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_head_a_long_file_and_a_silenced_lint_are_seen() {
        let long = format!("//! Owns.\n{}", "\n".repeat(MOST_LINES));
        let silenced = format!("//! Owns.\n{}dead_code)]\n", SILENCED[0]);
        let tree = Tree::of(&[("a.rs", "//! Owns a.\n"), ("b.rs", "use c;\n"), ("c.rs", &long), ("d.rs", &silenced)]);
        let found: Vec<String> = check(&tree).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].starts_with("b.rs:1:") && found[1].starts_with("c.rs: has 501") && found[2].starts_with("d.rs:2:")
        );
    }
}
