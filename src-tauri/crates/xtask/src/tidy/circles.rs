//! A crate's top-level modules use each other in one direction: no edges between them run in a circle. And the root names what it
//! hands on, so that its page reads as a table of contents.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    error::XtaskError,
    tidy::{
        Complaint, Tree,
        paths::{bare, from_root},
        tree::Text,
    },
};

/// Where in the code one module uses another.
type Uses = BTreeMap<(String, String), BTreeSet<String>>;

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let roots = tree.texts().iter().filter_map(|text| {
        let folder = text.path.strip_suffix("lib.rs").or_else(|| text.path.strip_suffix("main.rs"))?;
        folder.ends_with("src/").then_some((folder, text))
    });
    let mut folders: BTreeMap<&str, &Text> = BTreeMap::new();
    for (folder, text) in roots {
        // A library with a program beside it is told by its library.
        if text.path.ends_with("lib.rs") || !folders.contains_key(folder) {
            folders.insert(folder, text);
        }
    }
    let complaints = folders.into_iter().flat_map(|(folder, root)| {
        let mut complaints = globs(root);
        complaints.extend(circles_within(root, &uses(tree, folder, root)));
        complaints
    });
    Ok(complaints.collect())
}

/// `pub use x::*` hides what a crate has.
fn globs(root: &Text) -> Vec<Complaint> {
    let lines = root.text.lines().enumerate();
    let hidden = lines.filter(|(_, line)| line.starts_with("pub use ") && line.contains('*'));
    hidden
        .map(|(index, _)| Complaint::new(&root.path, index + 1, "hands on everything of a module: name what it is"))
        .collect()
}

fn uses(tree: &Tree, folder: &str, root: &Text) -> Uses {
    let modules = modules(&bare(&root.text));
    let handed_on = handed_on(root, &modules);
    let mut uses = Uses::new();
    for text in tree.within(folder, ".rs") {
        let within = text.path.get(folder.len()..).unwrap_or_default().trim_end_matches(".rs");
        let user = within.split('/').next().unwrap_or_default();
        if !modules.contains(user) {
            continue;
        }
        let depth = within.split('/').count();
        for path in from_root(&bare(&text.text), depth) {
            let Some(first) = path.parts.first() else { continue };
            let used = if modules.contains(first) { Some(first) } else { handed_on.get(first) };
            if let Some(used) = used.filter(|used| *used != user) {
                let place = format!("{} in {}:{}", path.parts.join("::"), text.path, path.line);
                uses.entry((user.to_owned(), used.clone())).or_default().insert(place);
            }
        }
    }
    uses
}

/// Modules of the root that are more than tests.
fn modules(code: &str) -> BTreeSet<String> {
    let mut before = "";
    let mut found = BTreeSet::new();
    for line in code.lines() {
        let name =
            line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
        if let Some(name) = name.filter(|_| !before.contains("cfg(test)")) {
            found.insert(name.to_owned());
        }
        before = line;
    }
    found
}

/// Which module a name of the root comes from.
fn handed_on(root: &Text, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let code = bare(&root.text).replace("pub(crate) use ", "pub use ").replace("pub use ", "pub use crate::");
    let own = from_root(&code.replace("crate::crate::", "crate::").replace("crate::self::", "crate::"), 0);
    let named = own.into_iter().filter_map(|path| Some((path.parts.last()?.clone(), path.parts.first()?.clone())));
    named.filter(|(_, module)| modules.contains(module)).collect()
}

fn circles_within(root: &Text, uses: &Uses) -> Vec<Complaint> {
    circles(uses).iter().map(|circle| complaint(root, uses, circle)).collect()
}

fn complaint(root: &Text, uses: &Uses, circle: &BTreeSet<String>) -> Complaint {
    let names: Vec<&str> = circle.iter().map(String::as_str).collect();
    let edges: Vec<String> = inside(uses, circle)
        .map(|((user, used), places)| {
            format!("\n    {user} -> {used}: {}", places.first().map(String::as_str).unwrap_or_default())
        })
        .collect();
    Complaint::new(
        &root.path,
        None,
        format!("modules use each other in a circle: {}{}", names.join(", "), edges.concat()),
    )
}

fn inside<'a>(
    uses: &'a Uses,
    circle: &'a BTreeSet<String>,
) -> impl Iterator<Item = (&'a (String, String), &'a BTreeSet<String>)> {
    uses.iter().filter(|((user, used), _)| circle.contains(user) && circle.contains(used))
}

/// Sets of modules each of which leads to every other one.
fn circles(uses: &Uses) -> Vec<BTreeSet<String>> {
    let modules: BTreeSet<&String> = uses.keys().flat_map(|(user, used)| [user, used]).collect();
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        modules.iter().map(|&module| (module, reached(uses, module))).collect();
    let leads = |from: &String, to: &String| reach.get(from).is_some_and(|reached| reached.contains(to));
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for module in modules.iter().filter(|module| leads(module, module)) {
        if !found.iter().any(|circle| circle.contains(*module)) {
            let others = modules.iter().filter(|other| leads(module, other) && leads(other, module));
            found.push(others.map(|&other| other.clone()).collect());
        }
    }
    found
}

fn reached<'a>(uses: &'a Uses, from: &str) -> BTreeSet<&'a String> {
    let mut found: BTreeSet<&String> = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for (_, used) in uses.keys().filter(|(user, _)| user == next) {
            if found.insert(used) {
                open.push(used);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "c/src/lib.rs";

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let tree = Tree::of(files);
        let root = tree.texts().iter().find(|text| text.path == ROOT).unwrap();
        let found = circles_within(root, &uses(&tree, "c/src/", root));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_circle_is_told_with_its_edges() {
        let files = [
            (ROOT, "mod a;\nmod b;\nmod d;\npub use b::B;\npub use d::D;\n"),
            ("c/src/a.rs", "use crate::{B, D};\n"),
            ("c/src/b/part.rs", "use super::super::a::X;\n"),
            ("c/src/d.rs", ""),
        ];
        let found = complaints(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("circle: a, b\n    a -> b: B in c/src/a.rs:1\n    b -> a: a::X in c/src/b/part.rs:1")
        );
    }

    #[test]
    fn downwards_is_no_circle_and_tests_do_not_count() {
        let files = [
            (ROOT, "mod a;\nmod b;\n#[cfg(test)]\nmod testing;\n"),
            ("c/src/a.rs", "use crate::b::B;\n"),
            ("c/src/b.rs", "struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
            ("c/src/testing.rs", "use crate::a::A;\n"),
        ];
        assert_eq!(complaints(&files), Vec::<String>::new());
    }

    #[test]
    fn a_root_names_what_it_hands_on() {
        let tree = Tree::of(&[(ROOT, "mod a;\npub use a::*;\n"), ("c/src/a.rs", "")]);
        let found: Vec<String> = check(&tree).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(found, ["c/src/lib.rs:2: hands on everything of a module: name what it is"]);
    }
}
