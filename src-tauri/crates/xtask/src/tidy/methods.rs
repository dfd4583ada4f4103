//! No type has more public methods than a person can look through; the engine itself only composes.

use std::collections::BTreeMap;

use crate::{
    error::XtaskError,
    tidy::{Complaint, Tree},
};

const MOST: usize = 40;
/// Of types that only hand out their parts.
const FEWER: [(&str, usize); 1] = [("Engine", 25)];
/// Types from before this rule, with how many they have; it can only become fewer.
const KNOWN: [(&str, usize); 0] = [];

/// A type's public methods, by the folder of its crate and its name, and a file that has some of them.
type Counts<'a> = BTreeMap<(&'a str, &'a str), (usize, &'a str)>;

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    Ok(count(tree).into_iter().filter_map(|((_, name), (methods, path))| judge(name, methods, path)).collect())
}

fn judge(name: &str, methods: usize, path: &str) -> Option<Complaint> {
    if let Some((_, known)) = KNOWN.iter().find(|(known, _)| *known == name) {
        let text = format!(
            "{name} has {methods} public methods, and {known} are known: there may only be fewer, and then that is known"
        );
        return (methods != *known).then(|| Complaint::new(path, None, text));
    }
    let most = FEWER.iter().find(|(fewer, _)| *fewer == name).map_or(MOST, |(_, most)| *most);
    let text = format!("{name} has {methods} public methods; {most} are the most: give some to a type of their own");
    (methods > most).then(|| Complaint::new(path, None, text))
}

fn count(tree: &Tree) -> Counts<'_> {
    let mut counts = Counts::new();
    for file in tree.within("", ".rs") {
        let Some((folder, _)) = file.path.split_once("/src/") else { continue };
        let mut own = None;
        for line in file.text.lines() {
            if line.starts_with("impl") {
                own = own_methods(line);
            } else if line == "}" {
                own = None;
            } else if let Some(name) = own.filter(|_| is_public_method(line)) {
                let (methods, _) = counts.entry((folder, name)).or_insert((0, file.path.as_str()));
                *methods += 1;
            }
        }
    }
    counts
}

/// The type of `impl<'a> Name<'a> {`; none where a trait is implemented.
fn own_methods(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    if rest.contains(" for ") {
        return None;
    }
    let rest = if rest.starts_with('<') { rest.split_once("> ")?.1 } else { rest.trim_start() };
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

fn is_public_method(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("    pub ") else { return false };
    ["fn ", "async fn ", "const fn "].iter().any(|start| rest.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(name: &str, methods: usize) -> Vec<String> {
        let half = "    pub fn a() {}\n".repeat(methods / 2);
        let one = format!("//! One.\nimpl<'a> {name}<'a> {{\n{half}}}\n");
        let other = format!(
            "//! Other.\nimpl {name} {{\n{half}    fn own() {{}}\n    pub(crate) fn inner() {{}}\n}}\nimpl Read for {name} {{\n    pub fn not() {{}}\n}}\n"
        );
        let tree = Tree::of(&[("c/src/one.rs", &one), ("c/src/other.rs", &other), ("d/src/one.rs", &one)]);
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn methods_of_all_files_of_a_crate_are_counted() {
        assert_eq!(complaints("Thing", 40), Vec::<String>::new());
        assert_eq!(
            complaints("Thing", 42),
            ["c/src/one.rs: Thing has 42 public methods; 40 are the most: give some to a type of their own"]
        );
    }

    #[test]
    fn the_engine_has_fewer() {
        assert_eq!(complaints("Engine", 24), Vec::<String>::new());
        assert_eq!(complaints("Engine", 26).len(), 1);
    }
}
