//! Words on screen live in `ui/src/locales`: text between tags, in attributes that are shown or read aloud, and in members such
//! as `title: "…"` is a complaint wherever it doesn't come out of `t(…)`.

mod scanner;

use crate::{
    error::XtaskError,
    tidy::{Complaint, Tree},
};

const SOURCE: &str = "ui/src/";
const TESTS: [&str; 4] = [".test.ts", ".test.tsx", ".d.ts", "bindings.ts"];
/// Members of objects that end up before a person.
const MEMBERS: [&str; 9] =
    ["title", "message", "label", "placeholder", "description", "headerName", "tooltip", "ariaLabel", "emptyText"];

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    for file in tree.within(SOURCE, "") {
        let code = file.path.ends_with(".tsx") || file.path.ends_with(".ts");
        if !code || TESTS.iter().any(|ending| file.path.ends_with(ending)) {
            continue;
        }
        let mut complain = |line: usize, text: &str| {
            let text = format!("holds the text “{text}”, which belongs into ui/src/locales");
            complaints.push(Complaint::new(&file.path, line, text));
        };
        if file.path.ends_with(".tsx") {
            for (line, text) in scanner::texts(&file.text) {
                complain(line, &text);
            }
        }
        for (index, line) in file.text.lines().enumerate() {
            if let Some(text) = member_text(line) {
                complain(index + 1, text);
            }
        }
    }
    Ok(complaints)
}

/// `label: "Save as"`: a text, since it begins with a capital letter or holds a space; `label: "left"` is a name.
fn member_text(line: &str) -> Option<&str> {
    MEMBERS.iter().find_map(|member| {
        let (before, after) = line.split_once(&format!("{member}:"))?;
        if before.ends_with(|last: char| last.is_alphanumeric() || last == '_') || before.trim_start().starts_with("//")
        {
            return None;
        }
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
        let text = after[1..].split(quote).next()?;
        let words = without_values(text);
        let spoken = words.starts_with(char::is_uppercase) || words.contains(' ');
        (spoken && words.chars().filter(|character| character.is_alphabetic()).count() > 1).then_some(text)
    })
}

/// A template's own text: what `${…}` puts in comes from elsewhere.
fn without_values(text: &str) -> String {
    let mut words = String::new();
    let mut depth = 0_usize;
    let mut before = ' ';
    for character in text.chars() {
        match character {
            '{' if before == '$' || depth > 0 => depth += 1,
            '}' if depth > 0 => depth -= 1,
            other if depth == 0 => words.push(other),
            _ => {}
        }
        before = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn members_that_are_shown_are_seen() {
        assert_eq!(complaints("ui/src/a.ts", "notify({ message: \"Saved\" });").len(), 1);
        assert_eq!(complaints("ui/src/a.tsx", "const column = { headerName: 'order code' };").len(), 1);
        assert_eq!(
            complaints("ui/src/a.ts", "const x = { label: \"left\", title: t(\"Save it\"), subtitle: \"No\" };"),
            [""; 0]
        );
        assert_eq!(complaints("ui/src/a.ts", "const x = { label: `${letter} · ${name || t('none')} *` };"), [""; 0]);
        assert_eq!(complaints("ui/src/a.ts", "const x = { label: `${count} rows` };").len(), 1);
        assert_eq!(complaints("ui/src/a.test.ts", "const x = { title: \"Saved\" };"), [""; 0]);
    }

    #[test]
    fn text_between_tags_is_seen_with_its_line() {
        let found = complaints("ui/src/a.tsx", "const a = (\n  <p>\n    Drop a file\n  </p>\n);");
        assert_eq!(found, ["ui/src/a.tsx:3: holds the text “Drop a file”, which belongs into ui/src/locales"]);
    }
}
