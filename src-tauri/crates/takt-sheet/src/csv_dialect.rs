//! The form of the csv files that Takt writes, and by what they are known again.
//!
//! They have a byte order mark, commas, CR LF, and quotes only where a field needs them, except for one field: the last one of the
//! first line that needs no quotes has some. Any reader takes it for the same text, and no other program writes like that.

pub(crate) const BYTE_ORDER_MARK: &str = "\u{FEFF}";
const QUOTE: char = '"';
const SEPARATOR: char = ',';
const LINE_END: &str = "\r\n";
const QUOTED: [char; 6] = [QUOTE, SEPARATOR, ';', '\n', '\r', '\t'];

/// Appends a line.
pub(crate) fn push_line(line: &mut String, fields: impl Iterator<Item = impl AsRef<str>>) {
    push_fields(line, fields, |_, field| needs_quotes(field));
}

/// Appends the first line of a file, by which it is known again.
pub(crate) fn push_first_line(line: &mut String, fields: &[impl AsRef<str>]) {
    let mark = fields.iter().rposition(|field| !needs_quotes(field.as_ref()));
    push_fields(line, fields.iter(), |index, field| Some(index) == mark || needs_quotes(field));
}

fn push_fields(
    line: &mut String,
    fields: impl Iterator<Item = impl AsRef<str>>,
    is_quoted: impl Fn(usize, &str) -> bool,
) {
    for (index, field) in fields.enumerate() {
        let field = field.as_ref();
        if index > 0 {
            line.push(SEPARATOR);
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
    field.contains(QUOTED)
}

/// Whether a file was written by Takt and not by another program since. `head` is its beginning without the byte order mark, and
/// may end anywhere.
pub(crate) fn is_own(head: &str) -> bool {
    let (mut rest, mut is_first_line, mut is_marked) = (head, true, false);
    while !rest.is_empty() {
        let Some((field, is_quoted, behind)) = next_field(rest) else { break };
        if is_quoted != needs_quotes(field) {
            if !is_quoted || !is_first_line || is_marked {
                return false;
            }
            is_marked = true;
        }
        if let Some(behind) = behind.strip_prefix(SEPARATOR) {
            rest = behind;
        } else if let Some(behind) = behind.strip_prefix(LINE_END) {
            (rest, is_first_line) = (behind, false);
        } else {
            return behind == "\r" && is_marked;
        }
    }
    is_marked
}

/// A field, whether it has quotes, and what follows it. Absent where the text ends within it.
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

    fn written(rows: &[&[&str]]) -> String {
        let mut text = String::new();
        let (first, others) = rows.split_first().unwrap();
        push_first_line(&mut text, first);
        others.iter().for_each(|row| push_line(&mut text, row.iter()));
        text
    }

    #[test]
    fn a_file_of_takt_is_known_wherever_its_head_ends() {
        let text =
            written(&[&["code", "a;b", "note", "x,y"], &["1", "\"2\"\r\n3", "", "tab\there"], &["", "", "", ""]]);
        assert!(text.starts_with("code,\"a;b\",\"note\",\"x,y\"\r\n1,"), "{text}");
        let line = text.find("\r\n").unwrap();
        for end in (line..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(is_own(&text[..end]), "{:?}", &text[..end]);
        }
        assert_eq!(written(&[&["code"]]), "\"code\"\r\n");
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
            assert!(!is_own(text), "{text:?}");
        }
    }
}
