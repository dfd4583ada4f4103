//! Checks that the top-level modules of a crate don't use each other in cycles, and that the crate's root names its
//! exports.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    File, Item, ItemMod, ItemUse, Macro, Path, Visibility,
    visit::{self, Visit},
};

use crate::{
    error::XtaskError,
    tidy::{
        complaint::Complaint,
        rust::{leaves, line, parse},
        tree::{Text, Tree},
    },
};

/// The places at which one module uses another.
type Uses = BTreeMap<(String, String), BTreeSet<String>>;

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let roots = tree.texts().iter().filter_map(|text| {
        let folder = text.path.strip_suffix("lib.rs").or_else(|| text.path.strip_suffix("main.rs"))?;
        folder.ends_with("src/").then_some((folder, text))
    });
    let mut folders: BTreeMap<&str, &Text> = BTreeMap::new();
    for (folder, text) in roots {
        // A library next to a program represents the crate.
        if text.path.ends_with("lib.rs") || !folders.contains_key(folder) {
            folders.insert(folder, text);
        }
    }
    let mut complaints = Vec::new();
    for (folder, root) in folders {
        let file = parse(root)?;
        complaints.extend(glob_exports(root, &file));
        let uses = uses(tree, folder, &file)?;
        complaints.extend(cycles(&uses).iter().map(|circle| cycle_complaint(root, &uses, circle)));
    }
    Ok(complaints)
}

/// Complains about `pub use x::*`, which hides the names of the exports.
fn glob_exports(root: &Text, file: &File) -> Vec<Complaint> {
    let exports = imports(file).filter(|item| matches!(item.vis, Visibility::Public(_)));
    let hidden = exports.filter(|item| leaves(&item.tree).iter().any(|leaf| leaf.name.is_none()));
    hidden
        .map(|item| {
            Complaint::new(&root.path, line(item.use_token.span), "exports everything of a module: name what it is")
        })
        .collect()
}

fn imports(file: &File) -> impl Iterator<Item = &ItemUse> {
    file.items.iter().filter_map(|item| if let Item::Use(item) = item { Some(item) } else { None })
}

fn uses(tree: &Tree, folder: &str, root: &File) -> Result<Uses, XtaskError> {
    let module = |item: &Item| if let Item::Mod(module) = item { Some(module.ident.to_string()) } else { None };
    let modules: BTreeSet<String> = root.items.iter().filter_map(module).collect();
    let exported = exported_names(root, &modules);
    let mut uses = Uses::new();
    for text in tree.within(folder, ".rs") {
        let within = text.path.get(folder.len()..).unwrap_or_default().trim_end_matches(".rs");
        let user = within.split('/').next().unwrap_or_default();
        if !modules.contains(user) {
            continue;
        }
        let mut paths = Paths { depth: within.split('/').count(), found: Vec::new() };
        paths.visit_file(&parse(text)?);
        for (line, parts) in paths.found {
            let Some(first) = parts.first() else { continue };
            let used = if modules.contains(first) { Some(first) } else { exported.get(first) };
            if let Some(used) = used.filter(|used| *used != user) {
                let place = format!("{} in {}:{line}", parts.join("::"), text.path);
                uses.entry((user.to_owned(), used.clone())).or_default().insert(place);
            }
        }
    }
    Ok(uses)
}

/// Returns the module of each name that the root exports.
fn exported_names(root: &File, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let names = imports(root).flat_map(|item| leaves(&item.tree)).filter_map(|leaf| {
        let from_root = |part: &&String| !matches!(part.as_str(), "crate" | "self");
        Some((leaf.name?, leaf.parts.iter().find(from_root)?.clone()))
    });
    names.filter(|(_, module)| modules.contains(module)).collect()
}

/// Collects paths from the root of a crate: those after `crate::`, and those after enough `super::`.
struct Paths {
    /// The number of modules below the root.
    depth: usize,
    found: Vec<(usize, Vec<String>)>,
}

impl Paths {
    fn record(&mut self, line: usize, parts: &[String]) {
        let up = parts.iter().take_while(|part| *part == "super").count();
        match parts {
            [first, rest @ ..] if first == "crate" => self.found.push((line, rest.to_vec())),
            _ if up > 0 && up == self.depth => self.found.push((line, parts.iter().skip(up).cloned().collect())),
            _ => {}
        }
    }

    /// Collects paths in the tokens of a macro.
    fn scan(&mut self, tokens: TokenStream) {
        let (mut parts, mut first_line) = (Vec::new(), 0);
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.record(first_line, &std::mem::take(&mut parts));
                        first_line = line(name.span());
                    }
                    parts.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                other => {
                    self.record(first_line, &std::mem::take(&mut parts));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.scan(group.stream());
                    }
                }
            }
        }
        self.record(first_line, &parts);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for leaf in leaves(&item.tree) {
            self.record(line(item.use_token.span), &leaf.parts);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let first_line = path.segments.first().map(|first| line(first.ident.span()));
        self.record(first_line.unwrap_or_default(), &parts);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.scan(call.tokens.clone());
    }
}

fn cycle_complaint(root: &Text, uses: &Uses, circle: &BTreeSet<&String>) -> Complaint {
    let names: Vec<&str> = circle.iter().map(|name| name.as_str()).collect();
    let inside = uses.iter().filter(|((user, used), _)| circle.contains(user) && circle.contains(used));
    let edges: Vec<String> = inside
        .map(|((user, used), places)| {
            format!("\n    {user} -> {used}: {}", places.first().map(String::as_str).unwrap_or_default())
        })
        .collect();
    let text = format!("modules use each other in a circle: {}{}", names.join(", "), edges.concat());
    Complaint::new(&root.path, None, text)
}

/// Returns the sets of modules in which each module reaches every other one.
fn cycles(uses: &Uses) -> BTreeSet<BTreeSet<&String>> {
    let modules: BTreeSet<&String> = uses.keys().flat_map(|(user, used)| [user, used]).collect();
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        modules.iter().map(|&module| (module, reachable(uses, module))).collect();
    let reaches = |from: &String, to: &String| reach.get(from).is_some_and(|reached| reached.contains(to));
    let cycle_of = |module: &String| {
        modules.iter().copied().filter(|other| reaches(module, other) && reaches(other, module)).collect()
    };
    modules.iter().filter(|module| reaches(module, module)).map(|module| cycle_of(module)).collect()
}

fn reachable<'a>(uses: &'a Uses, from: &str) -> BTreeSet<&'a String> {
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
        check(&Tree::from_files(files)).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_circle_is_told_with_its_edges() {
        let files = [
            (ROOT, "mod a;\nmod b;\nmod d;\npub use b::B;\npub use crate::d::D;\n"),
            ("c/src/a.rs", "use crate::{B, D};\n"),
            ("c/src/b/part.rs", "use super::super::a::X;\n"),
            ("c/src/d.rs", ""),
        ];
        let found = complaints(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("circle: a, b\n    a -> b: B in c/src/a.rs:1\n    b -> a: a::X in c/src/b/part.rs:1"),
            "{found:?}"
        );
    }

    #[test]
    fn paths_in_code_in_macros_and_in_inner_modules_count() {
        for code in [
            "fn f() -> crate::a::X { todo() }",
            "fn f() { print!(\"{}\", crate::a::x(1)) }",
            "use crate::{d::{self, D}, a as other};",
            "mod inner { use super::super::a::X; }",
        ] {
            let files = [(ROOT, "mod a;\nmod b;\n"), ("c/src/a.rs", "use crate::b::B;\n"), ("c/src/b.rs", code)];
            assert_eq!(complaints(&files).len(), 1, "{code}");
        }
    }

    #[test]
    fn downwards_is_no_circle_and_tests_do_not_count() {
        let files = [
            (ROOT, "mod a;\nmod b;\n#[cfg(test)]\nmod testing;\n"),
            ("c/src/a.rs", "use crate::b::B; // crate::c\nuse super::super::x;\n"),
            ("c/src/b.rs", "struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
            ("c/src/testing.rs", "use crate::a::A;\n"),
        ];
        assert_eq!(complaints(&files), Vec::<String>::new());
    }

    #[test]
    fn a_root_names_what_it_exports() {
        let found = complaints(&[(ROOT, "mod a;\npub use a::*;\n"), ("c/src/a.rs", "")]);
        assert_eq!(found, ["c/src/lib.rs:2: exports everything of a module: name what it is"]);
    }
}
