//! Pretty-prints JSON. Only whitespace changes: numbers keep their digits, and members keep their order.

const INDENT: &str = "  ";

/// Puts each member or value on a line. The text must be JSON.
pub(super) fn pretty_print(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 2);
    let mut depth = 0_usize;
    let mut rest = json.trim();
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => {
                let end = end_of_string(rest);
                out.push_str(rest.get(..end).unwrap_or_default());
                end
            }
            '{' | '[' => {
                out.push(first);
                let after = rest.get(1..).unwrap_or_default().trim_start();
                if let Some(close) = after.chars().next().filter(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                    rest.len() - after.len() + 1
                } else {
                    depth += 1;
                    push_line_break(&mut out, depth);
                    1
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                push_line_break(&mut out, depth);
                out.push(first);
                1
            }
            ',' => {
                out.push(',');
                push_line_break(&mut out, depth);
                1
            }
            ':' => {
                out.push_str(": ");
                1
            }
            blank if blank.is_ascii_whitespace() => 1,
            other => {
                out.push(other);
                other.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

fn push_line_break(out: &mut String, depth: usize) {
    out.push('\n');
    (0..depth).for_each(|_| out.push_str(INDENT));
}

/// Returns the offset after the quotes that close the string at the start.
fn end_of_string(json: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in json.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_change() {
        let json = r#" {"b":[1.50,{"a":"{\"x\":[é]}"} , 12345678901234567890123],"e":{ },"f":[ ],"g":null} "#;
        let lines = [
            "{",
            "  \"b\": [",
            "    1.50,",
            "    {",
            r#"      "a": "{\"x\":[é]}""#,
            "    },",
            "    12345678901234567890123",
            "  ],",
            "  \"e\": {},",
            "  \"f\": [],",
            "  \"g\": null",
            "}",
        ];
        assert_eq!(pretty_print(json), lines.join("\n"));
        assert_eq!(pretty_print("\"unfinished"), "\"unfinished");
    }
}
