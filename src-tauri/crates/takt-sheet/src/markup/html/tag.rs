//! Tags of a web page and their attributes, read as tolerantly as a browser reads them.

/// A longer tag is text.
const MAX_TAG_LENGTH: usize = 64 * 1024;

/// Splits off the text up to the next tag, and the tag without its angle brackets. Comments aren't tags.
pub(super) fn next_tag(text: &str) -> (&str, Option<&str>, &str) {
    let Some(open) = text.find('<') else { return (text, None, "") };
    let (words, rest) = text.split_at(open);
    if rest.starts_with("<!--") {
        return (words, None, rest.find("-->").and_then(|end| rest.get(end + 3..)).unwrap_or_default());
    }
    let is_tag = rest[1..].starts_with(|letter: char| letter.is_ascii_alphabetic() || "/!?".contains(letter));
    match is_tag.then(|| tag_end(rest)).flatten() {
        Some(end) => (words, rest.get(1..end), rest.get(end + 1..).unwrap_or_default()),
        // A lone angle bracket is text.
        None => (text.get(..=open).unwrap_or_default(), None, text.get(open + 1..).unwrap_or_default()),
    }
}

/// Returns the end of a tag. An angle bracket in quotes doesn't end it. Returns `None` if another tag begins first.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate().take(MAX_TAG_LENGTH) {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'<') if at > 0 => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Returns the name in lower case, and whether the tag is a closing one.
pub(super) fn tag_name(tag: &str) -> (String, bool) {
    let (closes, rest) = tag.strip_prefix('/').map_or((false, tag), |rest| (true, rest));
    let name = rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == ':').collect::<String>();
    (name.to_ascii_lowercase(), closes)
}

/// Returns the text from the closing tag of a script or a style on.
pub(super) fn skip_to_closing_tag<'a>(text: &'a str, name: &str) -> &'a str {
    let close = format!("</{name}");
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b'<', bytes)
        .find(|&at| bytes.get(at..at + close.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(close.as_bytes())));
    at.and_then(|at| text.get(at..)).unwrap_or_default()
}

/// Returns the value of an attribute, with or without quotes.
pub(super) fn attribute_value<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(at) = find_ignoring_case(tag.get(from..)?, name).map(|at| at + from) {
        from = at + name.len();
        let stands_alone = at > 0 && tag.as_bytes().get(at - 1).is_some_and(u8::is_ascii_whitespace);
        let rest = tag.get(from..)?.trim_start();
        let Some(rest) = rest.strip_prefix('=').filter(|_| stands_alone) else { continue };
        let rest = rest.trim_start();
        return match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest.get(1..)?.split(quote).next(),
            _ => rest.split(|letter: char| letter.is_ascii_whitespace() || letter == '/').next(),
        };
    }
    None
}

fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len()).position(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns whether a tag has an attribute, with or without a value.
pub(super) fn has_attribute(tag: &str, name: &str) -> bool {
    let mut quote = None;
    let outside_quotes: String = tag
        .chars()
        .map(|letter| match quote {
            Some(open) if letter == open => {
                quote = None;
                ' '
            }
            Some(_) => '.',
            None if matches!(letter, '"' | '\'') => {
                quote = Some(letter);
                '.'
            }
            None => letter,
        })
        .collect();
    let mut words = outside_quotes.split_ascii_whitespace().skip(1);
    words.any(|word| word.split(['=', '/']).next().is_some_and(|word| word.eq_ignore_ascii_case(name)))
}
