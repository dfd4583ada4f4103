//! Checks that texts of the command line are in its language files instead of its code. Attributes aren't checked, nor
//! doc comments, which are the texts of `--help`.

use std::collections::BTreeSet;

use syn::{Macro, visit::Visit};

use crate::{
    error::XtaskError,
    tidy::{
        complaint::Complaint,
        rust::{Attributes, line, parse, strings, strings_in_tokens},
        tree::Tree,
    },
};

const FOLDER: &str = "src-tauri/crates/takt-cli/src/";
const PRINTING_MACROS: [&str; 6] = ["println", "eprintln", "print", "eprint", "writeln", "write"];

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    for text in tree.files_in(FOLDER, ".rs") {
        let file = parse(text)?;
        let sentences = strings(&file, Attributes::Excluded).into_iter().filter(|(_, text)| is_sentence(text));
        let mut printed = PrintedLines(BTreeSet::new());
        printed.visit_file(&file);
        printed.0.extend(sentences.map(|(line, _)| line));
        let complaint = |line| Complaint::new(&text.path, line, "holds a text that belongs into takt-cli/locales");
        complaints.extend(printed.0.into_iter().map(complaint));
    }
    Ok(complaints)
}

/// The lines of printing macros whose format string contains a word.
struct PrintedLines(BTreeSet<usize>);

impl<'ast> Visit<'ast> for PrintedLines {
    fn visit_macro(&mut self, call: &'ast Macro) {
        let prints = call.path.get_ident().is_some_and(|name| PRINTING_MACROS.iter().any(|printing| name == printing));
        if prints && strings_in_tokens(&call.tokens).first().is_some_and(|(_, text)| letter_count(text) > 1) {
            self.0.extend(call.path.segments.first().map(|first| line(first.ident.span())));
        }
    }
}

/// Returns whether a text contains two consecutive words of at least two letters.
fn is_sentence(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(2).any(|pair| pair.iter().all(|word| letter_count(word) > 1))
}

/// Counts letters outside of placeholders.
fn letter_count(text: &str) -> usize {
    let parts = text.split('{').enumerate();
    let outside = parts.filter_map(|(at, part)| if at == 0 { Some(part) } else { part.split_once('}').map(|it| it.1) });
    outside.flat_map(str::chars).filter(|letter| letter.is_alphabetic()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(code: &str) -> usize {
        let code = format!("fn f() {{\n{code}\n}}");
        check(&Tree::from_files(&[("src-tauri/crates/takt-cli/src/a.rs", &code)])).unwrap().len()
    }

    #[test]
    fn words_in_code_are_seen() {
        assert_eq!(complaints("println!(\"Sent {count} rows\");"), 1);
        assert_eq!(complaints("println!(\"Sent: {count}\");"), 1);
        assert_eq!(complaints("    writeln!(out, \"done\\n\")?;"), 1);
        assert_eq!(complaints("console.say(\"All rows accepted\");"), 1);
        assert_eq!(complaints("say(&format!(\"All rows\\\n    accepted\"));"), 1);
    }

    #[test]
    fn places_keys_comments_tests_and_technical_strings_are_not() {
        assert_eq!(complaints("println!(\"{name}: {value:>8}\");"), 0);
        assert_eq!(complaints("// println!(\"Sent\");"), 0);
        assert_eq!(complaints("}\n#[cfg(test)]\nmod tests { fn f() { println!(\"Sent it\"); } }\nfn g() {"), 0);
        assert_eq!(complaints("console.say(&words.text(\"sync.done\", &[]));"), 0);
        assert_eq!(complaints("tracing::warn!(\"no window opened\");"), 0);
        assert_eq!(
            complaints("#[expect(clippy::print_stdout, reason = \"the one place that prints\")]\nlet a = 1;"),
            0
        );
    }
}
