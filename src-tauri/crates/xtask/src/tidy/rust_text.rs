//! The command line's words live in its language files: nothing that is printed stands in its code.
//! What clap shows for `--help` comes from doc comments, which this leaves alone.

use crate::{
    error::XtaskError,
    tidy::{Complaint, Tree},
};

const FOLDER: &str = "src-tauri/crates/takt-cli/src/";
/// Whatever writes to a person.
const PRINTING: [&str; 6] = ["println!(", "eprintln!(", "print!(", "eprint!(", "writeln!(", "write!("];
/// What a developer reads, not a person at work.
const TECHNICAL: [&str; 3] = ["reason = ", "#[error(", "tracing::"];

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    for file in tree.within(FOLDER, ".rs") {
        for (index, line) in product_lines(&file.text) {
            let technical = TECHNICAL.iter().any(|technical| line.contains(technical));
            let sentence = !technical && literals(line).any(|text| is_sentence(&text));
            if sentence || prints_words(line) {
                let text = "holds a text that belongs into takt-cli/locales";
                complaints.push(Complaint::new(&file.path, index + 1, text));
            }
        }
    }
    Ok(complaints)
}

/// Lines up to the unit tests, without comments.
fn product_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether a printing macro's own text has a word in it.
fn prints_words(line: &str) -> bool {
    PRINTING.iter().any(|printing| {
        let Some((before, after)) = line.split_once(printing) else { return false };
        if before.ends_with(|last: char| last.is_alphanumeric() || last == '_') {
            return false;
        }
        // The text is the first argument, or comes after where it is written to.
        let to_somewhere = printing.starts_with("write");
        let text = if to_somewhere { after.split_once(',').map_or("", |(_, text)| text) } else { after };
        text.trim_start().starts_with('"') && literals(text).next().is_some_and(|text| letters(&text) > 1)
    })
}

/// The string literals of a line.
fn literals(line: &str) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    let mut current: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (&mut current, character) {
            (Some(text), '\\') => text.extend(characters.next().filter(|next| !matches!(next, 'n' | 't' | 'r'))),
            (Some(_), '"') => found.extend(current.take()),
            (Some(text), other) => text.push(other),
            (None, '"') => current = Some(String::new()),
            (None, _) => {}
        }
    }
    found.into_iter()
}

/// Two words with a space between them.
fn is_sentence(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(2).any(|pair| pair.iter().all(|word| letters(word) > 1))
}

/// Letters outside the places to fill.
fn letters(text: &str) -> usize {
    let mut depth = 0_i32;
    let mut letters = 0;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            other if depth == 0 && other.is_alphabetic() => letters += 1,
            _ => {}
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(code: &str) -> usize {
        check(&Tree::of(&[("src-tauri/crates/takt-cli/src/a.rs", code)])).unwrap().len()
    }

    #[test]
    fn words_in_code_are_seen() {
        assert_eq!(complaints("println!(\"Sent {count} rows\");"), 1);
        assert_eq!(complaints("println!(\"Sent: {count}\");"), 1);
        assert_eq!(complaints("    writeln!(out, \"done\\n\")?;"), 1);
        assert_eq!(complaints("console.say(\"All rows accepted\");"), 1);
    }

    #[test]
    fn places_keys_comments_tests_and_technical_strings_are_not() {
        assert_eq!(complaints("println!(\"{name}: {value:>8}\");"), 0);
        assert_eq!(complaints("// println!(\"Sent\");"), 0);
        assert_eq!(complaints("#[cfg(test)]\nmod tests { fn f() { println!(\"Sent it\"); } }"), 0);
        assert_eq!(complaints("console.say(&words.text(\"sync.done\", &[]));"), 0);
        assert_eq!(complaints("#[expect(clippy::print_stdout, reason = \"the one place that prints\")]"), 0);
    }
}
