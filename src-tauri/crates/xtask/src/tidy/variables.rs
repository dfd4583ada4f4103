//! Each environment variable of Takt's own that the product reads stands in `docs/command-line.md`.

use std::collections::BTreeSet;

use crate::{
    error::XtaskError,
    tidy::{Complaint, Tree},
};

const PAGE: &str = "docs/command-line.md";
const FOLDER: &str = "src-tauri/";
/// Developers' commands, and what only tests compile.
const LEFT_OUT: [&str; 3] = ["/xtask/", "/tests/", "tests.rs"];
const BEGINS: &str = "\"TAKT_";
/// Where `cargo xtask crash` ends the process.
const FOR_TESTS: [&str; 1] = ["TAKT_END_AT"];

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let page = tree.text(PAGE)?;
    let mut complaints = Vec::new();
    for file in tree.within(FOLDER, ".rs").filter(|file| !LEFT_OUT.iter().any(|left_out| file.path.contains(left_out)))
    {
        for (index, name) in variables(&file.text) {
            if !page.contains(&format!("`{name}`")) {
                complaints.push(Complaint::new(
                    &file.path,
                    index + 1,
                    format!("reads {name}, which {PAGE} doesn't name"),
                ));
            }
        }
    }
    Ok(complaints)
}

/// Up to the unit tests, each once.
fn variables(text: &str) -> BTreeSet<(usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let names = lines.filter_map(|(index, line)| {
        let rest = line.split_once(BEGINS)?.1;
        let end = rest.find('"')?;
        let start = line.len() - rest.len() - (BEGINS.len() - 1);
        line.get(start..start + BEGINS.len() - 1 + end).map(|name| (index, name))
    });
    names.filter(|(_, name)| !FOR_TESTS.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(code: &str) -> Vec<String> {
        let tree = Tree::of(&[(PAGE, "| `TAKT_KNOWN` | … |"), ("src-tauri/src/a.rs", code)]);
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_unknown_variable_is_told_and_a_known_one_is_not() {
        assert_eq!(complaints("const A: &str = \"TAKT_KNOWN\";\n"), Vec::<String>::new());
        assert_eq!(complaints("#[cfg(test)]\nmod tests { const A: &str = \"TAKT_OTHER\"; }"), Vec::<String>::new());
        let found = complaints("\nlet a = var(\"TAKT_OTHER\");\n");
        assert_eq!(found, [format!("src-tauri/src/a.rs:2: reads TAKT_OTHER, which {PAGE} doesn't name")]);
    }
}
