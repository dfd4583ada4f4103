//! Checks Rust files: each must start with a doc comment, and no type may have too many public methods.

use std::collections::BTreeMap;

use syn::{ImplItem, Item, Type, Visibility};

use crate::{
    error::XtaskError,
    tidy::{complaint::Complaint, rust::parse, tree::Tree},
};

const MAX_METHODS: usize = 40;
/// Lower limits for types that only provide access to other types.
const LOWER_LIMITS: [(&str, usize); 1] = [("Engine", 25)];

/// Checks that no type has too many public methods.
pub(crate) fn check_method_counts(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    // Public methods by crate folder and type name, with a file that contains some of them.
    let mut counts: BTreeMap<(&str, String), (usize, &str)> = BTreeMap::new();
    for text in tree.files_in("", ".rs") {
        let Some((folder, _)) = text.path.split_once("/src/") else { continue };
        for item in parse(text)?.items {
            let Item::Impl(block) = item else { continue };
            let (None, Type::Path(path)) = (&block.trait_, &*block.self_ty) else { continue };
            let Some(name) = path.path.segments.last() else { continue };
            let is_public =
                |item: &&ImplItem| matches!(item, ImplItem::Fn(method) if matches!(method.vis, Visibility::Public(_)));
            let count = counts.entry((folder, name.ident.to_string())).or_insert((0, &text.path));
            count.0 += block.items.iter().filter(is_public).count();
        }
    }
    let complaints = counts.into_iter().filter_map(|((_, name), (methods, path))| {
        let limit = LOWER_LIMITS
            .iter()
            .find(|(limited_type, _)| *limited_type == name)
            .map_or(MAX_METHODS, |(_, limit)| *limit);
        let text = format!("{name} has {methods} public methods; {limit} are the most: give some to another type");
        (methods > limit).then(|| Complaint::new(path, None, text))
    });
    Ok(complaints.collect())
}

/// Checks that each Rust file starts with a doc comment.
pub(crate) fn check_heads(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let files_without_head = tree.files_in("", ".rs").filter(|file| !file.text.starts_with("//!"));
    Ok(files_without_head.map(|file| Complaint::new(&file.path, 1, "doesn't open with what it owns (//!)")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method_complaints(name: &str, methods: usize) -> Vec<String> {
        let half = "    pub fn a() {}\n".repeat(methods / 2);
        let one = format!("//! One.\nimpl<'a> {name}<'a> {{\n{half}}}\n");
        let other = format!(
            "//! Other.\nimpl {name} {{\n{half}    fn own() {{}}\n    pub(crate) fn inner() {{}}\n}}\nimpl Read for {name} {{\n    fn not() {{}}\n}}\n"
        );
        let tree = Tree::from_files(&[("c/src/one.rs", &one), ("c/src/other.rs", &other), ("d/src/one.rs", &one)]);
        check_method_counts(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn methods_of_all_files_of_a_crate_are_counted() {
        assert_eq!(method_complaints("Thing", 40), Vec::<String>::new());
        assert_eq!(
            method_complaints("Thing", 42),
            ["c/src/one.rs: Thing has 42 public methods; 40 are the most: give some to another type"]
        );
    }

    #[test]
    fn the_engine_has_fewer() {
        assert_eq!(method_complaints("Engine", 24), Vec::<String>::new());
        assert_eq!(method_complaints("Engine", 26).len(), 1);
    }

    #[test]
    fn a_missing_head_is_seen() {
        let tree = Tree::from_files(&[("a.rs", "//! Owns a.\n"), ("b.rs", "use c;\n")]);
        let found: Vec<String> = check_heads(&tree).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(found, ["b.rs:1: doesn't open with what it owns (//!)"]);
    }
}
