//! Checks that `docs/command-line.md` lists every environment variable `TAKT_*` that the product reads.

use std::collections::BTreeSet;

use crate::{
    error::XtaskError,
    tidy::{
        complaint::Complaint,
        rust::{Attributes, parse, strings},
        tree::Tree,
    },
};

const PAGE: &str = "docs/command-line.md";
const FOLDER: &str = "src-tauri/";
/// Parts of the paths of developers' commands and tests, which aren't the product.
const EXCLUDED_PATHS: [&str; 4] = ["/xtask/", "/takt-bench/", "/tests/", "tests.rs"];
const PREFIX: &str = "TAKT_";
/// Variables for tests only. `cargo xtask crash` uses this one to end the process.
const FOR_TESTS: [&str; 1] = ["TAKT_END_AT"];

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let page = tree.text(PAGE)?;
    let mut complaints = Vec::new();
    let files =
        tree.files_in(FOLDER, ".rs").filter(|file| !EXCLUDED_PATHS.iter().any(|excluded| file.path.contains(excluded)));
    // Parsing is slow, so files without the prefix are skipped.
    for file in files.filter(|file| file.text.contains(PREFIX)) {
        let named = strings(&parse(file)?, Attributes::Included).into_iter().filter(|(_, text)| is_variable(text));
        for (line, name) in named.collect::<BTreeSet<_>>() {
            if !page.contains(&format!("`{name}`")) {
                complaints.push(Complaint::new(&file.path, line, format!("reads {name}, which {PAGE} doesn't name")));
            }
        }
    }
    Ok(complaints)
}

fn is_variable(text: &str) -> bool {
    let letters = text.strip_prefix(PREFIX).unwrap_or_default();
    let is_name = letters.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
    !letters.is_empty() && is_name && !FOR_TESTS.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(code: &str) -> Vec<String> {
        let tree = Tree::from_files(&[(PAGE, "| `TAKT_KNOWN` | … |"), ("src-tauri/src/a.rs", code)]);
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_unknown_variable_is_told_and_a_known_one_is_not() {
        assert_eq!(complaints("const A: &str = \"TAKT_KNOWN\";\n"), Vec::<String>::new());
        assert_eq!(complaints("#[cfg(test)]\nmod tests { const A: &str = \"TAKT_OTHER\"; }"), Vec::<String>::new());
        let found = complaints("\nfn f() { var(\"TAKT_OTHER\"); }\n");
        assert_eq!(found, [format!("src-tauri/src/a.rs:2: reads TAKT_OTHER, which {PAGE} doesn't name")]);
    }
}
