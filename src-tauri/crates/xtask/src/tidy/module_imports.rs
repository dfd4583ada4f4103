//! Checks imports inside each crate. Files must not use each other in cycles, and children must rarely use their
//! parents. The crate's root must list its exports by name.

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
        rust::{line, parse, use_leaves},
        tree::{Text, Tree},
    },
};

/// The maximum number of uses of parents by their children per crate.
const MAX_UPWARD_USES: usize = 5;
/// The maximum depth to which re-exports of re-exports are followed.
const MAX_REEXPORTS: usize = 8;

/// The places at which one module's file uses another's. A module's name is its path from the root, such as `a::b`.
type Uses = BTreeMap<(String, String), BTreeSet<String>>;

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let roots = tree.texts().iter().filter_map(|text| {
        let folder = text.path.strip_suffix("lib.rs").or_else(|| text.path.strip_suffix("main.rs"))?;
        folder.ends_with("src/").then_some((folder, text))
    });
    let mut folders: BTreeMap<&str, &Text> = BTreeMap::new();
    for (folder, text) in roots {
        // If a crate has a library and a program, the library is checked.
        if text.path.ends_with("lib.rs") || !folders.contains_key(folder) {
            folders.insert(folder, text);
        }
    }
    let mut complaints = Vec::new();
    for (folder, root) in folders {
        let file = parse(root)?;
        complaints.extend(glob_exports(root, &file));
        let uses = module_uses(&crate_modules(tree, folder, root, file)?);
        complaints.extend(cycles(&uses).iter().map(|circle| cycle_complaint(root, &uses, circle)));
        complaints.extend(upward_complaint(root, &uses));
    }
    Ok(complaints)
}

/// Returns a complaint for each `pub use x::*`, which hides the names of the exports.
fn glob_exports(root: &Text, file: &File) -> Vec<Complaint> {
    let exports = imports(file).filter(|item| matches!(item.vis, Visibility::Public(_)));
    let hidden = exports.filter(|item| use_leaves(&item.tree).iter().any(|leaf| leaf.name.is_none()));
    hidden
        .map(|item| {
            Complaint::new(&root.path, line(item.use_token.span), "exports everything of a module: name what it is")
        })
        .collect()
}

fn imports(file: &File) -> impl Iterator<Item = &ItemUse> {
    file.items.iter().filter_map(|item| if let Item::Use(item) = item { Some(item) } else { None })
}

/// A module with its own file.
struct Module {
    /// The full paths of imported names, by the name in this module.
    imports: BTreeMap<String, Vec<String>>,
    /// Paths in the module's code, each with its place for the complaint.
    paths: Vec<(String, Vec<String>)>,
}

/// Modules by their path from the root.
type Modules = BTreeMap<Vec<String>, Module>;

/// Returns a crate's modules with their own files. Excludes modules for tests.
fn crate_modules(tree: &Tree, folder: &str, root: &Text, file: File) -> Result<Modules, XtaskError> {
    let mut modules = Modules::new();
    let mut open = vec![(Vec::new(), root, file)];
    while let Some((path, text, file)) = open.pop() {
        for child in file.items.iter().filter_map(declared_module) {
            let child_path = [path.as_slice(), &[child]].concat();
            let location = format!("{folder}{}", child_path.join("/"));
            // The file may be missing if the module is for other systems.
            let found = [format!("{location}.rs"), format!("{location}/mod.rs")]
                .iter()
                .find_map(|name| tree.texts().iter().find(|text| text.path == *name));
            if let Some(text) = found {
                open.push((child_path, text, parse(text)?));
            }
        }
        modules.insert(path, module_of_file(text, &file));
    }
    Ok(modules)
}

/// Returns the name of a declared module whose content is in another file.
fn declared_module(item: &Item) -> Option<String> {
    match item {
        Item::Mod(module) if module.content.is_none() => Some(module.ident.to_string()),
        _ => None,
    }
}

fn module_of_file(text: &Text, file: &File) -> Module {
    let named = imports(file).flat_map(|item| use_leaves(&item.tree)).filter_map(|leaf| Some((leaf.name?, leaf.parts)));
    let mut paths = Paths::default();
    paths.visit_file(file);
    let place = |(line, parts): (usize, Vec<String>)| (format!("{} in {}:{line}", parts.join("::"), text.path), parts);
    Module { imports: named.collect(), paths: paths.found.into_iter().map(place).collect() }
}

fn module_uses(modules: &Modules) -> Uses {
    let mut uses = Uses::new();
    for (user, module) in modules {
        for (place, parts) in &module.paths {
            let used = defining_module(modules, user, parts, MAX_REEXPORTS);
            if let Some(used) = used.filter(|used| used != user) {
                uses.entry((user.join("::"), used.join("::"))).or_default().insert(place.clone());
            }
        }
    }
    uses
}

/// Returns the module that defines a path's item, as seen from the module `from`. Returns `None` for items of other
/// crates.
fn defining_module(modules: &Modules, from: &[String], parts: &[String], reexports: usize) -> Option<Vec<String>> {
    let (mut module, mut rest) = match parts.split_first()? {
        (first, rest) if first == "crate" => (Vec::new(), rest),
        (first, rest) if first == "self" => (from.to_vec(), rest),
        (first, _) if first == "super" => {
            let up = parts.iter().take_while(|part| *part == "super").count();
            (from.get(..from.len().checked_sub(up)?)?.to_vec(), parts.get(up..)?)
        }
        (first, _) if modules.contains_key(&[from, std::slice::from_ref(first)].concat()) => (from.to_vec(), parts),
        _ => return None,
    };
    while let Some((first, behind)) = rest.split_first() {
        let child = [module.as_slice(), std::slice::from_ref(first)].concat();
        if !modules.contains_key(&child) {
            break;
        }
        (module, rest) = (child, behind);
    }
    let imported = rest.first().and_then(|name| modules.get(&module)?.imports.get(name));
    match imported {
        Some(parts) if reexports > 0 => defining_module(modules, &module, parts, reexports - 1).or(Some(module)),
        _ => Some(module),
    }
}

/// Collects the paths in a file that can lead to other files of the crate.
#[derive(Default)]
struct Paths {
    /// The number of enclosing inline modules at the current position.
    depth: usize,
    found: Vec<(usize, Vec<String>)>,
}

impl Paths {
    fn record(&mut self, line: usize, parts: &[String]) {
        let up = parts.iter().take_while(|part| *part == "super").count();
        let is_absolute = parts.first().is_some_and(|first| first == "crate");
        if is_absolute || self.depth == 0 && !parts.is_empty() {
            self.found.push((line, parts.to_vec()));
        } else if up > self.depth {
            self.found.push((line, parts.iter().skip(self.depth).cloned().collect()));
        }
    }

    /// Collects the paths in a macro's tokens, which syn doesn't parse.
    fn collect_from_tokens(&mut self, tokens: TokenStream) {
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
                        self.collect_from_tokens(group.stream());
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
        // A re-export isn't a use. Modules that import the name use the module that defines it.
        if !matches!(item.vis, Visibility::Inherited) {
            return;
        }
        for leaf in use_leaves(&item.tree) {
            self.record(line(item.use_token.span), &leaf.parts);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let first_line = path.segments.first().map(|first| line(first.ident.span()));
        self.record(first_line.unwrap_or_default(), &parts);
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {
        // The path in `pub(in crate::a)` isn't a use.
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.collect_from_tokens(call.tokens.clone());
    }
}

fn upward_complaint(root: &Text, uses: &Uses) -> Option<Complaint> {
    let is_upward = |user: &str, used: &str| user.strip_prefix(used).is_some_and(|rest| rest.starts_with("::"));
    let upward: Vec<String> = uses
        .iter()
        .filter(|((user, used), _)| !used.is_empty() && is_upward(user, used))
        .map(|((user, used), places)| {
            format!("\n    {user} -> {used}: {}", places.first().map(String::as_str).unwrap_or_default())
        })
        .collect();
    let text = format!("{} modules use their parents, more than {MAX_UPWARD_USES}:{}", upward.len(), upward.concat());
    (upward.len() > MAX_UPWARD_USES).then(|| Complaint::new(&root.path, None, text))
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

/// Returns the import cycles: sets of modules in which each module reaches every other one.
fn cycles(uses: &Uses) -> BTreeSet<BTreeSet<&String>> {
    let modules: BTreeSet<&String> = uses.keys().flat_map(|(user, used)| [user, used]).collect();
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        modules.iter().map(|&module| (module, reachable_modules(uses, module))).collect();
    let reaches = |from: &String, to: &String| reach.get(from).is_some_and(|reached| reached.contains(to));
    let cycle_of = |module: &String| {
        modules.iter().copied().filter(|other| reaches(module, other) && reaches(other, module)).collect()
    };
    modules.iter().filter(|module| reaches(module, module)).map(|module| cycle_of(module)).collect()
}

fn reachable_modules<'a>(uses: &'a Uses, from: &str) -> BTreeSet<&'a String> {
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
            ("c/src/b.rs", "mod part;\npub use part::B;\n"),
            ("c/src/b/part.rs", "use super::super::a::X;\nstruct B;\n"),
            ("c/src/d.rs", ""),
        ];
        let found = complaints(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains(
                "circle: a, b::part\n    a -> b::part: crate::B in c/src/a.rs:1\n    b::part -> a: super::super::a::X in c/src/b/part.rs:1"
            ),
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
    fn a_child_that_uses_its_parent_is_a_circle_if_the_parent_uses_the_child() {
        let child = ("c/src/a/child.rs", "use super::Parent;\npub struct Child;\n");
        let alone = [(ROOT, "mod a;\n"), ("c/src/a.rs", "mod child;\npub use child::Child;\nstruct Parent;\n"), child];
        assert_eq!(complaints(&alone), Vec::<String>::new());
        let code = "mod child;\nuse child::Child;\nstruct Parent(Child);\n";
        assert_eq!(complaints(&[(ROOT, "mod a;\n"), ("c/src/a.rs", code), child]).len(), 1);
    }

    #[test]
    fn few_children_may_use_their_parents() {
        let names: Vec<String> = (0..=MAX_UPWARD_USES).map(|number| format!("c{number}")).collect();
        let parent: String = names.iter().map(|name| format!("mod {name};\n")).collect::<String>() + "struct Parent;\n";
        let files: Vec<String> = names.iter().map(|name| format!("c/src/a/{name}.rs")).collect();
        let mut all = vec![(ROOT, "mod a;\n"), ("c/src/a.rs", parent.as_str())];
        all.extend(files.iter().map(|file| (file.as_str(), "use super::Parent;\n")));
        assert!(complaints(&all)[0].contains("6 modules use their parents, more than 5"));
        all.pop();
        assert_eq!(complaints(&all), Vec::<String>::new());
    }

    #[test]
    fn a_root_names_what_it_exports() {
        let found = complaints(&[(ROOT, "mod a;\npub use a::*;\n"), ("c/src/a.rs", "")]);
        assert_eq!(found, ["c/src/lib.rs:2: exports everything of a module: name what it is"]);
    }
}
