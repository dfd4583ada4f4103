//! Checks that the commands and files that README.md, ARCHITECTURE.md and docs/performance.md mention exist.

use std::collections::BTreeSet;

use crate::{
    command_names::COMMANDS,
    error::XtaskError,
    tidy::{complaint::Complaint, rust::parse, tree::Tree},
};

const PAGES: [&str; 3] = ["README.md", "ARCHITECTURE.md", "docs/performance.md"];
/// The file in which the command line declares its subcommands.
const ARGUMENTS: &str = "src-tauri/crates/takt-cli/src/arguments.rs";

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let subcommands = subcommands(&parse(tree.file(ARGUMENTS)?)?);
    let mut complaints = Vec::new();
    for page in PAGES {
        for (index, line) in code_lines(tree.text(page)?) {
            let mut complain = |text: String| complaints.push(Complaint::new(page, index + 1, text));
            for word in word_after(line, "cargo xtask ").filter(|word| !COMMANDS.contains(&word.as_str())) {
                complain(format!("mentions `cargo xtask {word}`, which doesn't exist"));
            }
            for word in word_after(line, "takt ").filter(|word| !subcommands.contains(word)) {
                complain(format!("mentions `takt {word}`, which doesn't exist"));
            }
        }
        for (index, link) in file_links(tree.text(page)?) {
            if !exists(tree, link) {
                complaints.push(Complaint::new(page, index + 1, format!("links to {link}, which doesn't exist")));
            }
        }
    }
    Ok(complaints)
}

/// Returns the texts between backticks and the lines of fenced blocks, with their 0-based lines.
fn code_lines(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    page.lines().enumerate().flat_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let pieces: Vec<&str> = match (fence, fenced) {
            (true, _) => Vec::new(),
            // The text after ` # ` is a comment.
            (false, true) => vec![line.split(" # ").next().unwrap_or(line)],
            (false, false) => line.split('`').skip(1).step_by(2).collect(),
        };
        pieces.into_iter().map(move |piece| (index, piece))
    })
}

/// Returns the word after a command, if the code starts with that command.
fn word_after(code: &str, command: &str) -> impl Iterator<Item = String> {
    let code = code.trim_start();
    let word = code
        .strip_prefix(command)
        .map(|rest| rest.chars().take_while(|next| next.is_ascii_lowercase() || *next == '-').collect());
    word.filter(|word: &String| !word.is_empty() && !word.starts_with('-')).into_iter()
}

/// Returns the targets of Markdown links and pictures that are files, with their 0-based lines.
fn file_links(page: &str) -> impl Iterator<Item = (usize, &str)> {
    page.lines().enumerate().flat_map(|(index, line)| {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
        targets.filter(|target| !target.contains("://") && !target.starts_with('#')).map(move |target| (index, target))
    })
}

/// Returns whether the target exists. The tree contains only text files, so other files are checked on the disk.
fn exists(tree: &Tree, link: &str) -> bool {
    let path = link.split('#').next().unwrap_or(link);
    tree.texts().iter().any(|text| text.path == path) || tree.root().join(path).exists()
}

/// Returns the variants of `enum Command` with their names on the command line.
fn subcommands(file: &syn::File) -> BTreeSet<String> {
    let commands = file.items.iter().filter_map(|item| match item {
        syn::Item::Enum(item) if item.ident == "Command" => Some(&item.variants),
        _ => None,
    });
    commands.flatten().map(|variant| to_kebab_case(&variant.ident.to_string())).collect()
}

fn to_kebab_case(name: &str) -> String {
    let mut kebab = String::new();
    for (index, character) in name.char_indices() {
        if character.is_ascii_uppercase() && index > 0 {
            kebab.push('-');
        }
        kebab.push(character.to_ascii_lowercase());
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "pub(crate) enum Command {\n    /// Sends.\n    Sync {\n        file: PathBuf,\n    },\n    SignIn(SignIn),\n}\nenum Other {\n    Undo,\n}\n";

    fn complaints(readme: &str) -> Vec<String> {
        let pages = [("README.md", readme), ("ARCHITECTURE.md", ""), ("docs/performance.md", "")];
        let tree = Tree::from_files(&[&pages[..], &[(ARGUMENTS, CODE), ("a.md", "")]].concat());
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_exists_may_be_mentioned() {
        let page = "`cargo xtask run` and [a](a.md#b)\n```sh\ntakt sync x.xlsx\ntakt sign-in   # takt undoes nothing\n```\nTakt undo; `takt --help`";
        assert_eq!(complaints(page), Vec::<String>::new());
    }

    #[test]
    fn what_does_not_exist_is_seen() {
        let found = complaints("`cargo xtask fly`\n```sh\ntakt undo 3\n```\n![b](b.png)\n");
        assert_eq!(
            found,
            [
                "README.md:1: mentions `cargo xtask fly`, which doesn't exist",
                "README.md:3: mentions `takt undo`, which doesn't exist",
                "README.md:5: links to b.png, which doesn't exist",
            ]
        );
    }
}
