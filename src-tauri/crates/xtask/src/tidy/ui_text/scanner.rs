//! Reads TSX just well enough to tell a tag from a comparison, and finds the texts that a person would read.
//!
//! Within braces of a child or of a shown attribute, a string is shown where it is the value itself: alone, as a branch of
//! `? :`, after `&&`, `||`, `??` or `+`. An argument of a call, such as of `t(…)`, is not.
//!
//! The linter's own rule (`react/jsx-no-literals`) sees only a string that is the whole child or the whole attribute.

/// Attributes that are shown or read aloud.
const SHOWN: [&str; 13] = [
    "placeholder",
    "label",
    "title",
    "alt",
    "description",
    "heading",
    "tooltip",
    "summary",
    "aria-label",
    "aria-description",
    "aria-roledescription",
    "aria-valuetext",
    "nothingFoundMessage",
];
/// Names that are the same in every language.
const NAMES: [&str; 1] = ["Takt"];
/// Words after which a value begins.
const BEFORE_VALUE: [&str; 6] = ["return", "default", "case", "await", "yield", "typeof"];

/// The texts with their lines, 1-based.
pub(super) fn texts(code: &str) -> Vec<(usize, String)> {
    let mut scanner = Scanner { characters: code.chars().collect(), at: 0, line: 1, found: Vec::new() };
    scanner.code(false);
    scanner.found
}

/// What stood before, as far as it decides what comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Before {
    Start,
    Sign(char),
    Word(String),
    Value,
}

impl Before {
    fn ends_value(&self) -> bool {
        match self {
            Self::Start => false,
            Self::Sign(sign) => matches!(sign, ')' | ']' | '}'),
            Self::Word(word) => !BEFORE_VALUE.contains(&word.as_str()),
            Self::Value => true,
        }
    }

    /// Whether a string that follows is the value that is shown.
    fn gives_value(&self) -> bool {
        matches!(self, Self::Start | Self::Sign('?' | ':' | '|' | '&' | '+'))
    }
}

struct Scanner {
    characters: Vec<char>,
    at: usize,
    line: usize,
    found: Vec<(usize, String)>,
}

impl Scanner {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek(0)?;
        self.at += 1;
        if character == '\n' {
            self.line += 1;
        }
        Some(character)
    }

    /// Code up to the brace that closes it, or to the end of the file.
    fn code(&mut self, shown: bool) {
        let mut before = Before::Start;
        // One entry per open bracket: whether its value is shown.
        let mut open: Vec<bool> = Vec::new();
        while let Some(character) = self.peek(0) {
            let shown_here = open.last().copied().unwrap_or(shown);
            match character {
                _ if character.is_whitespace() => drop(self.next()),
                '/' if self.skip_comment() => {}
                '/' if !before.ends_value() => {
                    self.skip_pattern();
                    before = Before::Value;
                }
                '"' | '\'' => {
                    let (line, text) = self.string();
                    self.note(line, &text, shown_here && before.gives_value());
                    before = Before::Value;
                }
                '`' => {
                    let (line, text) = self.template();
                    self.note(line, &text, shown_here && before.gives_value());
                    before = Before::Value;
                }
                '<' if !before.ends_value() && self.opens_element() => {
                    self.element();
                    before = Before::Value;
                }
                '(' | '[' | '{' => {
                    open.push(character == '(' && shown_here && !before.ends_value());
                    self.next();
                    before = Before::Sign('(');
                }
                ')' | ']' | '}' => {
                    self.next();
                    if open.pop().is_none() {
                        return;
                    }
                    before = Before::Sign(character);
                }
                _ if character.is_alphanumeric() || matches!(character, '_' | '$') => {
                    before = Before::Word(self.word())
                }
                _ => {
                    self.next();
                    before = Before::Sign(character);
                }
            }
        }
    }

    /// A tag, or the parameter of a generic function?
    fn opens_element(&self) -> bool {
        let rest = &self.characters[self.at + 1..];
        match rest.first() {
            Some('>') => true,
            Some(first) if first.is_alphabetic() => {
                let name = rest.iter().take_while(|next| next.is_alphanumeric() || **next == '.').count();
                let after: String = rest[name..].iter().take(12).collect();
                let generic = after.starts_with(',') || after.trim_start().starts_with("extends ");
                let parameter = name == 1 && first.is_uppercase() && after.starts_with(">(");
                !generic && !parameter
            }
            _ => false,
        }
    }

    fn element(&mut self) {
        self.next();
        self.word();
        if self.peek(0) == Some('<') {
            self.skip_type_arguments();
        }
        loop {
            match self.peek(0) {
                None => return,
                Some('/') if self.skip_comment() => {}
                Some('/') => {
                    self.next();
                    if self.next() == Some('>') {
                        return;
                    }
                }
                Some('>') => {
                    self.next();
                    return self.children();
                }
                Some('{') => {
                    self.next();
                    self.code(false);
                }
                Some(first) if first.is_alphabetic() || first == '_' => self.attribute(),
                Some(_) => drop(self.next()),
            }
        }
    }

    fn attribute(&mut self) {
        let name = self.word();
        if self.peek(0) != Some('=') {
            return;
        }
        self.next();
        let shown = SHOWN.contains(&name.as_str());
        match self.peek(0) {
            Some('"' | '\'') => {
                let (line, text) = self.string();
                self.note(line, &text, shown);
            }
            Some('{') => {
                self.next();
                self.code(shown);
            }
            Some('<') => self.element(),
            _ => {}
        }
    }

    fn children(&mut self) {
        let mut text = String::new();
        let mut line = self.line;
        loop {
            match self.peek(0) {
                None => return,
                Some('{') => {
                    self.note(line, &std::mem::take(&mut text), true);
                    self.next();
                    self.code(true);
                }
                Some('<') => {
                    self.note(line, &std::mem::take(&mut text), true);
                    if self.peek(1) == Some('/') {
                        while self.next().is_some_and(|character| character != '>') {}
                        return;
                    }
                    self.element();
                }
                Some(character) => {
                    if text.trim().is_empty() {
                        line = self.line;
                    }
                    text.push(character);
                    self.next();
                }
            }
        }
    }

    fn note(&mut self, line: usize, text: &str, shown: bool) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let letters = without_entities(&text).chars().filter(|character| character.is_alphabetic()).count();
        if shown && letters > 1 && !NAMES.contains(&text.as_str()) {
            self.found.push((line, text));
        }
    }

    /// A name of a tag, an attribute or anything else.
    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(next) =
            self.peek(0).filter(|next| next.is_alphanumeric() || matches!(next, '_' | '$' | '-' | '.' | ':'))
        {
            // In code, `a-b` and `a:b` are more than a name; what is cut off is read as signs.
            if matches!(next, '-' | ':') && !self.peek(1).is_some_and(char::is_alphabetic) {
                break;
            }
            word.push(next);
            self.next();
        }
        word
    }

    fn string(&mut self) -> (usize, String) {
        let line = self.line;
        let quote = self.next();
        let mut text = String::new();
        while let Some(character) = self.next() {
            match character {
                '\\' => text.extend(self.next().filter(|next| !next.is_alphabetic())),
                _ if Some(character) == quote => break,
                _ => text.push(character),
            }
        }
        (line, text)
    }

    /// What stands outside `${…}`.
    fn template(&mut self) -> (usize, String) {
        let line = self.line;
        self.next();
        let mut text = String::new();
        while let Some(character) = self.next() {
            match character {
                '`' => break,
                '\\' => drop(self.next()),
                '$' if self.peek(0) == Some('{') => {
                    self.next();
                    self.code(false);
                    text.push(' ');
                }
                _ => text.push(character),
            }
        }
        (line, text)
    }

    fn skip_comment(&mut self) -> bool {
        match self.peek(1) {
            Some('/') => while self.next().is_some_and(|character| character != '\n') {},
            Some('*') => {
                self.at += 2;
                while self.at < self.characters.len() && (self.peek(0), self.peek(1)) != (Some('*'), Some('/')) {
                    self.next();
                }
                self.at = (self.at + 2).min(self.characters.len());
            }
            _ => return false,
        }
        true
    }

    /// A regular expression.
    fn skip_pattern(&mut self) {
        self.next();
        let mut class = false;
        while let Some(character) = self.next() {
            match character {
                '\\' => drop(self.next()),
                '[' => class = true,
                ']' => class = false,
                '/' if !class => break,
                '\n' => break,
                _ => {}
            }
        }
    }

    fn skip_type_arguments(&mut self) {
        let mut depth = 0;
        while let Some(character) = self.next() {
            depth += match character {
                '<' => 1,
                '>' => -1,
                _ => 0,
            };
            if depth == 0 {
                return;
            }
        }
    }
}

/// `&nbsp;` is no word.
fn without_entities(text: &str) -> String {
    let mut plain = String::new();
    for (index, part) in text.split('&').enumerate() {
        let rest = if index > 0 { part.split_once(';').filter(|(name, _)| !name.contains(' ')) } else { None };
        plain.push_str(rest.map_or(part, |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<String> {
        texts(code).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn texts_that_a_person_reads_are_found() {
        for (code, text) in [
            ("const a = <b>Save</b>;", "Save"),
            ("return <Button title=\"Save it\" />;", "Save it"),
            ("x = <Input placeholder='Order code' />", "Order code"),
            ("x = <A label={busy ? \"Busy\" : t(\"ready\")} />", "Busy"),
            ("x = <A aria-label={`Row ${n}`} />", "Row"),
            ("x = <p>{open && \"Open\"}</p>", "Open"),
            ("x = <p>{(open ? t(\"a\") : \"Shut\")}</p>", "Shut"),
            ("x = <p>{t(\"a\")} rows</p>", "rows"),
            ("x = <><Icon />Text</>", "Text"),
            ("x = rows.map((row) => <li key={row}>Row</li>)", "Row"),
            ("x = <Grid<Row> title=\"Rows\" />", "Rows"),
            ("x = <A icon={<B alt=\"Logo\" />} />", "Logo"),
        ] {
            assert_eq!(found(code), [text], "{code}");
        }
    }

    #[test]
    fn code_is_not_taken_for_text() {
        for code in [
            "const a = useState<string>(\"Text\"); const b = a < c && c > d;",
            "x = <p className=\"big text\" data-x=\"A b\">{t(\"a.b\")}</p>",
            "x = <p title={t(\"a b\")}>{kind === \"Open it\" ? t(\"a\") : null}</p>",
            "x = <p>{/* A comment */}{\" \"}· 1 &nbsp; %</p>",
            "x = <h1>Takt</h1>",
            "const pick = <T,>(rows: T[]) => rows[0]; const g = <T extends Row>(x: T) => x;",
            "const r = /<b>Text<\\/b>/.test(x); // <b>Text</b>",
            "/* <b>Text</b> */ const s = \"<b>Text</b>\"; const t = `<b>Text</b>`;",
            "x = <A style={{ color: \"some red\" }} onClick={() => open(\"A file\")} />",
            "x = <ul>{rows.map((row) => (row.kind === \"A b\" ? <B /> : <C name=\"A b\" />))}</ul>",
            "function f(a: Array<string>): Map<string, number> { return a.length < 3 ? x : y; }",
        ] {
            assert_eq!(found(code), [""; 0], "{code}");
        }
    }
}
