//! Checks that the icons were generated from the current drawing.

use crate::{
    error::XtaskError,
    icons,
    tidy::{complaint::Complaint, tree::Tree},
};

const HASH: &str = "icons/.source-hash";

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let stored_hash = tree.text(HASH)?.trim();
    let current_hash = icons::hash(&tree.root().join("icons/takt.svg"))?;
    Ok(compare(stored_hash, &current_hash))
}

fn compare(stored_hash: &str, current_hash: &str) -> Vec<Complaint> {
    if stored_hash == current_hash {
        return Vec::new();
    }
    vec![Complaint::new("icons/takt.svg", None, "was changed after the icons were drawn: run `cargo xtask icons`")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_drawing_is_seen() {
        assert_eq!(compare("a", "a"), []);
        assert_eq!(compare("a", "b").len(), 1);
    }
}
