//! The icons were drawn from the drawing that lies beside them.

use crate::{
    error::XtaskError,
    icons,
    tidy::{Complaint, Tree},
};

const HASH: &str = "icons/.source-hash";

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let kept = tree.text(HASH)?.trim();
    let now = icons::hash(&tree.root().join("icons/takt.svg"))?;
    Ok(compare(kept, &now))
}

fn compare(kept: &str, now: &str) -> Vec<Complaint> {
    if kept == now {
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
