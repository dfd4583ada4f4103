//! The web UI's files: short, colours only as tokens, and only `ui/src/ipc` knows Tauri.

use crate::{
    error::XtaskError,
    tidy::{Complaint, Tree, tree::Text},
};

const MOST_LINES: usize = 350;
const SOURCE: &str = "ui/src/";
const IPC: &str = "ui/src/ipc/";
/// The one file that says what the colours are.
const TOKENS: &str = "ui/src/base/style/tokens.css";
/// Written by a test of the desktop crate.
const GENERATED: &str = "ui/src/ipc/bindings.ts";
const TAURI: [&str; 2] = ["@tauri-apps/", "__TAURI"];
const COLOUR_FUNCTIONS: [&str; 7] = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch(", "oklab(", "hwb("];

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut complaints = Vec::new();
    for file in tree.within(SOURCE, "").filter(|file| file.path != GENERATED) {
        let code = file.path.ends_with(".ts") || file.path.ends_with(".tsx");
        let style = file.path.ends_with(".css");
        if code || style {
            length(file, &mut complaints);
            colours(file, &mut complaints);
        }
        if code {
            tauri(file, &mut complaints);
        }
    }
    Ok(complaints)
}

fn length(file: &Text, complaints: &mut Vec<Complaint>) {
    let lines = file.text.lines().count();
    if lines > MOST_LINES {
        complaints.push(Complaint::new(&file.path, None, format!("has {lines} lines; {MOST_LINES} are the most")));
    }
}

fn colours(file: &Text, complaints: &mut Vec<Complaint>) {
    if file.path == TOKENS {
        return;
    }
    for (index, line) in file.text.lines().enumerate() {
        let function = COLOUR_FUNCTIONS.iter().any(|function| starts_a_word(line, function));
        if function || has_hex_colour(line, file.path.ends_with(".css")) {
            let text = format!("holds a colour: name a token of {TOKENS} instead");
            complaints.push(Complaint::new(&file.path, index + 1, text));
        }
    }
}

fn starts_a_word(line: &str, word: &str) -> bool {
    let before = |at: usize| line[..at].chars().next_back();
    line.match_indices(word).any(|(at, _)| !before(at).is_some_and(|before| before.is_alphanumeric() || before == '-'))
}

/// `#fff`, `#ffff`, `#ffffff` or `#ffffffff`; in code only where a string begins with it.
fn has_hex_colour(line: &str, style: bool) -> bool {
    line.match_indices('#').any(|(at, _)| {
        let digits = line[at + 1..].chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
        let hex = matches!(digits.len(), 3 | 4 | 6 | 8) && digits.chars().all(|digit| digit.is_ascii_hexdigit());
        let before = line[..at].chars().next_back();
        hex && (matches!(before, Some('"' | '\'' | '`')) || style && matches!(before, Some(' ' | ':' | ',' | '(')))
    })
}

fn tauri(file: &Text, complaints: &mut Vec<Complaint>) {
    if file.path.starts_with(IPC) {
        return;
    }
    for (index, line) in file.text.lines().enumerate() {
        if TAURI.iter().any(|name| line.contains(name)) {
            complaints.push(Complaint::new(&file.path, index + 1, format!("knows Tauri: only {IPC} may")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).unwrap().len()
    }

    #[test]
    fn colours_are_seen_outside_the_tokens() {
        for line in
            ["color: #fff;", "border: 1px solid #0e5a66cc;", "fill: rgba(0, 0, 0, 0.5)", "color: oklch(0.5 0.1 200);"]
        {
            assert_eq!(complaints("ui/src/a.css", line), 1, "{line}");
            assert_eq!(complaints(TOKENS, line), 0, "{line}");
        }
        assert_eq!(complaints("ui/src/a.tsx", "const paint = \"#0e5a66\";"), 1);
        assert_eq!(complaints("ui/src/a.tsx", "const link = \"#settings\"; // see #123"), 0);
        assert_eq!(complaints("ui/src/a.css", "color: var(--text);"), 0);
    }

    #[test]
    fn tauri_is_seen_outside_its_folder() {
        let line = "import { listen } from \"@tauri-apps/api/event\";";
        assert_eq!(complaints("ui/src/features/a.ts", line), 1);
        assert_eq!(complaints("ui/src/ipc/a.ts", line), 0);
    }

    #[test]
    fn long_files_are_seen() {
        let long = "\n".repeat(MOST_LINES + 1);
        assert_eq!(complaints("ui/src/a.tsx", &long), 1);
        assert_eq!(complaints(GENERATED, &long), 0);
    }
}
