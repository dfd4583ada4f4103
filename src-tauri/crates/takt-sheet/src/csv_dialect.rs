//! The csv dialect that Takt writes, and how Takt recognizes its own files.
//!
//! The files have a byte order mark, commas, CR LF, and quotes only around fields that need them. As a marker, the
//! first line also has quotes around its last field that needs none. Every reader still reads the same text, and no
//! other program writes files like that.

pub(crate) const BYTE_ORDER_MARK: &str = "\u{FEFF}";
const QUOTE: char = '"';
const SEPARATOR: char = ',';
const LINE_END: &str = "\r\n";
const QUOTED_CHARACTERS: [char; 6] = [QUOTE, SEPARATOR, ';', '\n', '\r', '\t'];

/// Appends a line and its line end. Only fields that need quotes are quoted.
pub(crate) fn push_line(line: &mut String, fields: impl Iterator<Item = impl AsRef<str>>) {
    push_fields(line, SEPARATOR, fields, |_, field| needs_quotes(field));
}

/// Appends a line with semicolons, as Excel writes it where the comma is the decimal sign.
pub(crate) fn push_semicolon_line(line: &mut String, fields: impl Iterator<Item = impl AsRef<str>>) {
    push_fields(line, ';', fields, |_, field| field.contains([QUOTE, ';', '\n', '\r', '\t']));
}

/// Appends the first line of a file with the marker.
pub(crate) fn push_first_line(line: &mut String, fields: &[impl AsRef<str>]) {
    let marked_index = fields.iter().rposition(|field| !needs_quotes(field.as_ref()));
    push_fields(line, SEPARATOR, fields.iter(), |index, field| Some(index) == marked_index || needs_quotes(field));
}

fn push_fields(
    line: &mut String,
    separator: char,
    fields: impl Iterator<Item = impl AsRef<str>>,
    is_quoted: impl Fn(usize, &str) -> bool,
) {
    for (index, field) in fields.enumerate() {
        let field = field.as_ref();
        if index > 0 {
            line.push(separator);
        }
        if is_quoted(index, field) {
            line.push(QUOTE);
            line.push_str(&field.replace(QUOTE, "\"\""));
            line.push(QUOTE);
        } else {
            line.push_str(field);
        }
    }
    line.push_str(LINE_END);
}

fn needs_quotes(field: &str) -> bool {
    field.contains(QUOTED_CHARACTERS)
}

/// Returns whether Takt wrote the file and no other program has saved it since. `head` is the beginning of the file
/// without the byte order mark, and may end anywhere.
pub(crate) fn is_written_by_takt(head: &str) -> bool {
    let (mut rest, mut is_first_line, mut is_marked) = (head, true, false);
    while !rest.is_empty() {
        let Some((field, is_quoted, rest_after)) = next_field(rest) else { break };
        if is_quoted != needs_quotes(field) {
            if !is_quoted || !is_first_line || is_marked {
                return false;
            }
            is_marked = true;
        }
        if let Some(rest_after) = rest_after.strip_prefix(SEPARATOR) {
            rest = rest_after;
        } else if let Some(rest_after) = rest_after.strip_prefix(LINE_END) {
            (rest, is_first_line) = (rest_after, false);
        } else {
            return rest_after == "\r" && is_marked;
        }
    }
    is_marked
}

/// Splits off a field: returns it, whether it is quoted, and the rest. Returns `None` if the text ends within the
/// field.
fn next_field(text: &str) -> Option<(&str, bool, &str)> {
    let Some(quoted) = text.strip_prefix(QUOTE) else {
        let end = text.find([SEPARATOR, '\r', '\n'])?;
        let (field, behind) = text.split_at(end);
        return Some((field, false, behind));
    };
    let mut from = 0;
    loop {
        let close = from + quoted.get(from..)?.find(QUOTE)?;
        let behind = quoted.get(close + 1..).filter(|behind| !behind.is_empty())?;
        if !behind.starts_with(QUOTE) {
            return Some((quoted.get(..close)?, true, behind));
        }
        from = close + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_rows(rows: &[&[&str]]) -> String {
        let mut text = String::new();
        let (first, others) = rows.split_first().unwrap();
        push_first_line(&mut text, first);
        others.iter().for_each(|row| push_line(&mut text, row.iter()));
        text
    }

    #[test]
    fn a_file_of_takt_is_known_wherever_its_head_ends() {
        let text =
            write_rows(&[&["code", "a;b", "note", "x,y"], &["1", "\"2\"\r\n3", "", "tab\there"], &["", "", "", ""]]);
        assert!(text.starts_with("code,\"a;b\",\"note\",\"x,y\"\r\n1,"), "{text}");
        let line = text.find("\r\n").unwrap();
        for end in (line..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(is_written_by_takt(&text[..end]), "{:?}", &text[..end]);
        }
        assert_eq!(write_rows(&[&["code"]]), "\"code\"\r\n");
    }

    #[test]
    fn a_file_of_another_program_is_not() {
        let others = [
            "code,note\r\n1,2\r\n",
            "\"code\",\"note\"\r\n\"1\",\"2\"\r\n",
            "\"code\"\r\n\"1\"\r\n",
            "code,\"note\"\n1,2\n",
            "code,\"note\"\r\n1,\"2\"\r\n",
            "code,\"note\"\r\n1,5\" pipe\r\n",
            "code,\"note\"x\r\n1,2\r\n",
            "code;\"note\"\r\n1;2\r\n",
            "code,\"note\"\r\n1;2,3\r\n",
            "",
        ];
        for text in others {
            assert!(!is_written_by_takt(text), "{text:?}");
        }
    }
}
