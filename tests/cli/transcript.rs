//! Records commands and their output as a text, which is compared with a snapshot.
//!
//! The text must not contain ports, times, folders or versions, so that it is always the same. Tests never write
//! snapshots, see `.config/insta.yaml`. `INSTA_UPDATE=always` writes them.

use std::cell::RefCell;

use serde_json::Value;
use takt_tests::{CommandOutput, Takt};

/// The maximum length of a JSON value on one line. Longer values have one member per line.
const LINE_WIDTH: usize = 110;
const HOME: &str = "[home]";

/// Patterns of variable text, with their replacements.
const FILTERS: [(&str, &str); 24] = [
    (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
    (r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC|[+-]\d\d:\d\d)", "[time]"),
    (r"\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b", "[time]"),
    (r"[\w.-]+@[\w.-]+( approved| declined| with |  mapping )", "[person]$1"),
    (r"/takt_\d+\b", "/takt_[number]"),
    (r"(PostgreSQL  +)\S.*", "$1[version]"),
    (r"((Response time|Clock difference)  +)\S+ (ms|s)", "$1[number] $3"),
    (r"\b\d+\.\d MB", "[size]"),
    (r#"("(?:seconds|milliseconds|peakMemoryBytes|bytes)":)[0-9.e-]+"#, "$1[number]"),
    (r#"("hash":)"[0-9a-f]{64}""#, r#"$1"[hash]""#),
    (r#"("vault":)"[^"]+""#, r#"$1"[vault]""#),
    (r#"("person":)"[^"]+""#, r#"$1"[person]""#),
    (r"Sent by [^,]+,", "Sent by [person],"),
    (r"(requests?), (\d+ (h|min|s) ?)+;", "$1, [seconds] s;"),
    (r"\(\d+ ms\)", "([milliseconds] ms)"),
    (r"open this address: \S+", "open this address: [address]"),
    (r"\d+ are left\.", "[number] are left."),
    (r"the connection was lost: .+", "the connection was lost: [cause]"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "[uuid]"),
    (r#"( time=)"[0-9.e-]+""#, r#"$1"[seconds]""#),
    (r"(No such file or directory|The system cannot find the file specified\.) \(os error \d+\)", "[no such file]"),
    (r#"(you have |"installed":")\d+\.\d+\.\d+"#, "$1[version]"),
    // This remark depends on the computer, since some have no keychain.
    (r"! There's no keychain here: .*\n", ""),
    // The program's file name on Windows.
    (r"takt\.exe\b", "takt"),
];

/// The commands that ran in one home, in order.
pub(crate) struct Transcript<'a> {
    takt: &'a Takt,
    text: RefCell<String>,
}

impl<'a> Transcript<'a> {
    pub(crate) fn new(takt: &'a Takt) -> Self {
        Self { takt, text: RefCell::default() }
    }

    /// Runs a command, and adds it with its output to the text.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_with(arguments, "")
    }

    /// Like [`Transcript::run`], but with standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> CommandOutput {
        let ran = self.takt.run_with(arguments, input);
        self.add(arguments, &ran);
        ran
    }

    /// Adds a command that was run elsewhere.
    pub(crate) fn add(&self, arguments: &[&str], ran: &CommandOutput) {
        let words: Vec<String> = arguments.iter().map(|word| quote_word(word)).collect();
        let code = ran.code.map_or_else(|| "killed".to_owned(), |code| code.to_string());
        let complaints: String = ran.err.lines().map(|line| format!("! {line}").trim_end().to_owned() + "\n").collect();
        self.append(&format!(
            "$ takt {}\n[exit code {code}]\n{}{complaints}\n",
            words.join(" "),
            layout_json_lines(&ran.out)
        ));
    }

    /// Adds a text under a title, such as a file's content or members of JSON.
    pub(crate) fn note(&self, title: &str, text: &str) {
        self.append(&format!("# {title}\n{}\n", layout_json_lines(text)));
    }

    fn append(&self, text: &str) {
        let text = self.without_home(text);
        self.text.borrow_mut().push_str(&text);
    }

    /// Replaces the home's path with a fixed name, in each notation of the system.
    fn without_home(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let real = self.takt.home().canonicalize().unwrap_or_default();
        for home in [real.as_path(), self.takt.home()] {
            let home = home.to_string_lossy();
            if !home.is_empty() {
                text = text.replace(&home.replace('\\', "\\\\"), HOME).replace(home.as_ref(), HOME);
            }
        }
        text.replace("[home]\\\\", "[home]/").replace("[home]\\", "[home]/")
    }

    pub(crate) fn text(&self) -> String {
        self.text.borrow().clone()
    }

    /// Returns the settings that all snapshots have.
    pub(crate) fn settings() -> insta::Settings {
        let mut settings = insta::Settings::clone_current();
        settings.set_omit_expression(true);
        settings.set_filters(FILTERS);
        settings
    }
}

/// Compares a transcript with the current test's snapshot.
macro_rules! assert_transcript {
    ($transcript:expr) => {
        $crate::transcript::Transcript::settings().bind(|| insta::assert_snapshot!($transcript.text()))
    };
}
pub(crate) use assert_transcript;

/// Quotes a word if it is empty or contains spaces or control characters.
fn quote_word(word: &str) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|letter| !letter.is_whitespace() && !letter.is_control());
    if is_plain { word.to_owned() } else { format!("{word:?}") }
}

/// Formats long lines of JSON with one member per line. Other lines remain unchanged.
fn layout_json_lines(text: &str) -> String {
    let line = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => layout_value(&value, 0),
        _ => line.to_owned(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

fn layout_value(value: &Value, indent: usize) -> String {
    let compact = value.to_string();
    let is_flat = |items: &[Value]| items.iter().all(|item| !item.is_object() && !item.is_array());
    let (open, members, close) = match value {
        _ if indent + compact.chars().count() <= LINE_WIDTH => return compact,
        Value::Array(items) if is_flat(items) => return compact,
        Value::Array(items) => ('[', items.iter().map(|item| layout_value(item, indent + 2)).collect(), ']'),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{name:?}:{}", layout_value(value, indent + 2));
            ('{', members.iter().map(member).collect::<Vec<_>>(), '}')
        }
        _ => return compact,
    };
    let pad = " ".repeat(indent + 2);
    format!("{open}\n{pad}{}\n{}{close}", members.join(&format!(",\n{pad}")), " ".repeat(indent))
}
