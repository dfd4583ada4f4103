//! The only module that prints: results to standard output, everything else to standard error.
//!
//! Control characters are removed from texts of files and services, so that they can't control the terminal.

use std::{
    io::{self, IsTerminal, Write},
    process,
};

use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

use crate::{
    exit_codes::{ExitStatus, Failure},
    texts::Texts,
};

/// The exit code if the reader closes the pipe. This is no error.
const PIPE_CLOSED_CODE: i32 = 0;

#[derive(Debug)]
pub(crate) struct Console {
    pub(crate) texts: Texts,
    /// The value of `--confirm`, which replaces the prompt.
    confirm: Option<String>,
}

impl Console {
    pub(crate) fn new(texts: Texts, confirm: Option<String>) -> Self {
        Self { texts, confirm }
    }

    /// Prints the local time until which requests to a site wait for its rate limit.
    pub(crate) fn print_wait(&self, site: &str, until: Timestamp) {
        let time = until.to_zoned_datetime(TimeZone::system()).strftime("%H:%M:%S").to_string();
        self.print_remark("waits.limit", &[("site", sanitize(site)), ("time", time)]);
    }

    /// Prints one line to standard output, where scripts expect results.
    pub(crate) fn print_line(&self, text: &str) {
        let mut line = text.to_owned();
        line.push('\n');
        self.write_bytes(line.as_bytes());
    }

    /// Prints the language file's text for a key to standard output.
    pub(crate) fn print_text(&self, key: &str, parameters: &[(&str, String)]) {
        self.print_line(&self.texts.text(key, parameters));
    }

    /// Prints one line of JSON to standard output.
    pub(crate) fn print_json(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.print_line(&text),
            Err(error) => self.print_note(&error.to_string()),
        }
    }

    /// Writes bytes, such as a file's content, to standard output. Ends the process if the pipe is closed.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            if error.kind() == io::ErrorKind::BrokenPipe {
                process::exit(PIPE_CLOSED_CODE);
            }
            self.print_note(&error.to_string());
        }
    }

    /// Returns a buffered writer to standard output. It ends the process if the reader closes the pipe.
    pub(crate) fn stdout_writer(&self) -> impl Write + Send + use<> {
        io::BufWriter::new(Pipe(io::stdout()))
    }

    /// Returns the terminal's width in characters, or `None` if standard output isn't a terminal.
    pub(crate) fn terminal_width(&self) -> Option<usize> {
        ::console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
    }

    /// Prints a line to standard error. Failures are ignored, since they can't be reported anywhere.
    pub(crate) fn print_note(&self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Prints the language file's text for a key to standard error.
    pub(crate) fn print_remark(&self, key: &str, parameters: &[(&str, String)]) {
        self.print_note(&self.texts.text(key, parameters));
    }

    /// Prints a failure, and returns its exit status.
    pub(crate) fn print_failure(&self, failure: &Failure) -> ExitStatus {
        match failure {
            Failure::Usage(key, parameters) => self.print_remark(key, parameters),
            Failure::Problem(problem) => self.print_problem(problem),
        }
        failure.exit_status()
    }

    /// Returns the text for an obstacle, as a part of a sentence.
    pub(crate) fn obstacle_text(&self, problem: &takt_engine::Problem) -> String {
        let obstacle = problem.parameters.get("obstacle").map(String::as_str).unwrap_or_default();
        sanitize(&self.texts.engine.text(&["obstacle", obstacle], &problem.parameters))
    }

    /// Prints a problem's title, the service's reasons, and the next step.
    pub(crate) fn print_problem(&self, problem: &takt_engine::Problem) {
        self.print_note(&sanitize(&self.texts.engine.problem_title(problem.code, &problem.parameters)));
        for reason in &problem.reasons {
            self.print_note(&format!("  {}", sanitize(reason)));
        }
        if let Some(log_id) = &problem.log_id {
            self.print_remark("problem.log-id", &[("id", sanitize(log_id))]);
        }
        self.print_note(&sanitize(&self.texts.engine.problem_hint(problem.code, &problem.parameters)));
        if let Some(details) = &problem.details {
            self.print_remark(
                "problem.details",
                &[("details", sanitize(&details.chars().take(MAX_DETAILS_LENGTH).collect::<String>()))],
            );
        }
    }

    /// Asks a yes-no question. Returns `None` if no terminal is available.
    pub(crate) fn ask(&self, key: &str, parameters: &[(&str, String)]) -> Option<bool> {
        let answer = self.read_answer(key, parameters)?;
        let yes = self.texts.text("ask.yes", &[]);
        Some(yes.split(' ').any(|yes| answer.trim().eq_ignore_ascii_case(yes)))
    }

    /// Returns the value of `--confirm`, or a site's name that the user types. Returns `None` if no terminal is
    /// available.
    pub(crate) fn ask_site_name(&self, key: &str, parameters: &[(&str, String)]) -> Option<String> {
        self.confirm.clone().or_else(|| self.read_answer(key, parameters).map(|answer| answer.trim().to_owned()))
    }

    /// Reads a line without echo. Returns `None` if no terminal is available or the line is empty.
    pub(crate) fn ask_hidden_line(&self, key: &str) -> Option<String> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let _ = write!(io::stderr().lock(), "{} ", self.texts.text(key, &[]));
        console::Term::stderr().read_secure_line().ok().filter(|line| !line.is_empty())
    }

    fn read_answer(&self, key: &str, parameters: &[(&str, String)]) -> Option<String> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let _ = write!(io::stderr().lock(), "{} ", self.texts.text(key, parameters));
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(answer)
    }

    /// Prints rows as a table with aligned columns. Callers pad numbers for right alignment.
    pub(crate) fn print_table(&self, rows: &[Vec<String>]) {
        for line in table_lines(rows) {
            self.print_line(&line);
        }
    }
}

/// Standard output that ends the process if the reader closes the pipe.
struct Pipe(io::Stdout);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        exit_if_closed(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        exit_if_closed(self.0.flush())
    }
}

fn exit_if_closed<T>(result: io::Result<T>) -> io::Result<T> {
    if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        process::exit(PIPE_CLOSED_CODE);
    }
    result
}

const MAX_DETAILS_LENGTH: usize = 2_000;
const MAX_CELL_LENGTH: usize = 60;
/// The maximum length of the last column. It may be longer, since it contains reasons and nothing is aligned after it.
const MAX_LAST_CELL_LENGTH: usize = 240;

/// Replaces characters that could control a terminal or break the line with spaces. This includes bidirectional
/// controls.
pub(crate) fn sanitize(text: &str) -> String {
    let is_control = |character: char| {
        character.is_control()
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    text.chars().map(|character| if is_control(character) { ' ' } else { character }).collect()
}

fn table_lines(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let max_length = |column: usize| if column + 1 == columns { MAX_LAST_CELL_LENGTH } else { MAX_CELL_LENGTH };
    let clean_row = |row: &Vec<String>| {
        (0..).zip(row).map(|(column, cell)| truncate(&sanitize(cell), max_length(column))).collect()
    };
    let clean: Vec<Vec<String>> = rows.iter().map(clean_row).collect();
    let width = |column: usize| clean.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    clean.iter().map(line).collect()
}

fn truncate(text: &str, max_length: usize) -> String {
    if text.chars().count() <= max_length {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max_length - 1).collect();
    short.push('…');
    short
}

/// Returns whether there is more than one item. Only then are items named and totals printed.
pub(crate) fn is_several<T>(items: &[T]) -> bool {
    items.get(1).is_some()
}

/// Returns the value that all items share, if there is one.
pub(crate) fn common_value<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Option<T> {
    let mut all = items.into_iter();
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_cannot_be_steered() {
        assert_eq!(sanitize("a\u{1b}[2Jb\r\nc\u{202e}d"), "a [2Jb  c d");
    }

    #[test]
    fn columns_line_up_and_long_cells_are_cut() {
        let rows = [vec!["a".to_owned(), "b".to_owned()], vec!["x".repeat(80), "y".repeat(300)]];
        let lines = table_lines(&rows);
        assert_eq!(lines[0], format!("a{}b", " ".repeat(MAX_CELL_LENGTH + 1)));
        assert_eq!(lines[1].chars().count(), MAX_CELL_LENGTH + 2 + MAX_LAST_CELL_LENGTH);
        assert!(lines[1].ends_with('…'));
    }
}
