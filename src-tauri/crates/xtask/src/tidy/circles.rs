//! The top-level modules of a crate use each other in one direction: no edges between them run in a circle. The crate's root names
//! what it exports, so that its page reads as a table of contents.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    File, Item, ItemMod, ItemUse, Macro, Path, Visibility,
    visit::{self, Visit},
};

use crate::{
    error::XtaskError,
    tidy::{
        Complaint, Tree,
        rust::{leaves, line, parse},
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
    let mut complaints = Vec::new();
    for (folder, root) in folders {
        let file = parse(root)?;
        complaints.extend(globs(root, &file));
        let uses = uses(tree, folder, &file)?;
        complaints.extend(circles(&uses).iter().map(|circle| complaint(root, &uses, circle)));
    }
    Ok(complaints)
}

/// `pub use x::*` hides what a crate has.
fn globs(root: &Text, file: &File) -> Vec<Complaint> {
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
    let exports = exports(root, &modules);
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
            let used = if modules.contains(first) { Some(first) } else { exports.get(first) };
            if let Some(used) = used.filter(|used| *used != user) {
                let place = format!("{} in {}:{line}", parts.join("::"), text.path);
                uses.entry((user.to_owned(), used.clone())).or_default().insert(place);
            }
        }
    }
    Ok(uses)
}

/// The modules that names of the root come from.
fn exports(root: &File, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let named = imports(root).flat_map(|item| leaves(&item.tree)).filter_map(|leaf| {
        let from_root = |part: &&String| !matches!(part.as_str(), "crate" | "self");
        Some((leaf.name?, leaf.parts.iter().find(from_root)?.clone()))
    });
    named.filter(|(_, module)| modules.contains(module)).collect()
}

/// Paths from the root of a crate: those behind `crate::`, and behind as many `super::` as lead there.
struct Paths {
    /// Modules below the root.
    depth: usize,
    found: Vec<(usize, Vec<String>)>,
}

impl Paths {
    fn note(&mut self, line: usize, parts: &[String]) {
        let up = parts.iter().take_while(|part| *part == "super").count();
        match parts {
            [first, rest @ ..] if first == "crate" => self.found.push((line, rest.to_vec())),
            _ if up > 0 && up == self.depth => self.found.push((line, parts.iter().skip(up).cloned().collect())),
            _ => {}
        }
    }

    /// Paths in a macro, whose tokens can mean anything.
    fn scan(&mut self, tokens: TokenStream) {
        let (mut parts, mut begins) = (Vec::new(), 0);
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.note(begins, &std::mem::take(&mut parts));
                        begins = line(name.span());
                    }
                    parts.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                other => {
                    self.note(begins, &std::mem::take(&mut parts));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.scan(group.stream());
                    }
                }
            }
        }
        self.note(begins, &parts);
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
            self.note(line(item.use_token.span), &leaf.parts);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let begins = path.segments.first().map(|first| line(first.ident.span()));
        self.note(begins.unwrap_or_default(), &parts);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.scan(call.tokens.clone());
    }
}

fn complaint(root: &Text, uses: &Uses, circle: &BTreeSet<&String>) -> Complaint {
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

/// Sets of modules each of which leads to every other one.
fn circles(uses: &Uses) -> BTreeSet<BTreeSet<&String>> {
    let modules: BTreeSet<&String> = uses.keys().flat_map(|(user, used)| [user, used]).collect();
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        modules.iter().map(|&module| (module, reached(uses, module))).collect();
    let leads = |from: &String, to: &String| reach.get(from).is_some_and(|reached| reached.contains(to));
    let of_module = |module: &String| {
        modules.iter().copied().filter(|other| leads(module, other) && leads(other, module)).collect()
    };
    modules.iter().filter(|module| leads(module, module)).map(|module| of_module(module)).collect()
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
        check(&Tree::of(files)).unwrap().iter().map(ToString::to_string).collect()
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
