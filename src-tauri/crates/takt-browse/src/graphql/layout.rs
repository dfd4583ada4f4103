//! JSON laid out to be read. Only blanks change: a number keeps all its digits, and members stay in the service's order.

const STEP: &str = "  ";

/// One member or value per line. The text must be JSON.
pub(super) fn laid_out(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 2);
    let mut depth = 0_usize;
    let mut rest = json.trim();
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => {
                let end = end_of_text(rest);
                out.push_str(rest.get(..end).unwrap_or_default());
                end
            }
            '{' | '[' => {
                out.push(first);
                let behind = rest.get(1..).unwrap_or_default().trim_start();
                if let Some(close) = behind.chars().next().filter(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                    rest.len() - behind.len() + 1
                } else {
                    depth += 1;
                    line(&mut out, depth);
                    1
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(first);
                1
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
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

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    (0..depth).for_each(|_| out.push_str(STEP));
}

/// Behind the quotes that close what the first ones open.
fn end_of_text(json: &str) -> usize {
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
        assert_eq!(laid_out(json), lines.join("\n"));
        assert_eq!(laid_out("\"unfinished"), "\"unfinished");
    }
}
