//! Parses the Markdown that the specification uses: sections, tables, and sentences that list members.

/// Returns the lines after a heading, up to the next heading of any level.
pub(crate) fn find_section<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let is_heading = |line: &&str| line.starts_with('#');
    let below = text.lines().skip_while(|line| !is_heading(line) || line.trim_start_matches('#').trim() != heading);
    below.skip(1).take_while(|line| !is_heading(line)).collect()
}

/// Returns the tables in these lines as rows of cells, without header row and separator.
pub(crate) fn parse_tables<'a>(lines: &[&'a str]) -> Vec<Vec<Vec<&'a str>>> {
    let blocks = lines.split(|line| !line.starts_with('|')).filter(|block| !block.is_empty());
    blocks.map(|block| block.iter().skip(2).map(|line| parse_cells(line)).collect()).collect()
}

/// Returns the rows of a section's first table.
pub(crate) fn parse_first_table<'a>(text: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    parse_tables(&find_section(text, heading)).into_iter().next().unwrap_or_default()
}

fn parse_cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// A member that a sentence or a table row describes.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// The type as phrased in the specification.
    pub(crate) phrase: String,
    pub(crate) note: Option<String>,
}

/// Parses a sentence such as: `Code` string, `Opened`, `Closed` (date-time strings), `Parts` array of {`Id` integer}.
pub(crate) fn parse_members(sentence: &str) -> Vec<Member> {
    let mut found = Vec::new();
    let mut waiting = Vec::new();
    for (name, rest) in named_parts(sentence) {
        waiting.push(name);
        let rest = rest.trim().trim_end_matches([',', '.']).trim();
        let rest = if rest.contains('{') { rest } else { rest.split(". ").next().unwrap_or(rest) };
        if rest.is_empty() {
            continue;
        }
        let (phrase, note) = phrase_and_note(rest);
        found.extend(waiting.drain(..).map(|name| Member { name, phrase: phrase.clone(), note: note.clone() }));
    }
    found
}

/// Returns each name in backticks outside of braces, with the text up to the next name.
fn named_parts(sentence: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut depth, mut in_name) = (0, false);
    for letter in sentence.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if letter == '`' && depth == 0 {
            in_name = !in_name;
            if in_name {
                parts.push((String::new(), String::new()));
            }
        } else if let Some((name, rest)) = parts.last_mut() {
            if in_name { name.push(letter) } else { rest.push(letter) }
        }
    }
    parts
}

/// Splits a type and its note, as in `string (may be empty)` or `array of link, in request order`.
fn phrase_and_note(text: &str) -> (String, Option<String>) {
    if text.contains('{') {
        return (text.to_owned(), None);
    }
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let (phrase, note) = match (inside, text.split_once(" (")) {
        (Some(inside), _) => split_note(inside),
        (None, Some((phrase, note))) => (phrase, Some(note.trim_end_matches(')'))),
        (None, None) => split_note(text),
    };
    (phrase.to_owned(), note.map(str::to_owned))
}

fn split_note(text: &str) -> (&str, Option<&str>) {
    let split = text.split_once("; each ").or_else(|| text.split_once(", "));
    split.map_or((text, None), |(phrase, note)| (phrase, Some(note)))
}
