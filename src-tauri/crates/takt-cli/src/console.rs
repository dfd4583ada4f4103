//! The only place that prints: results to standard output, everything else to standard error.
//!
//! Text that comes from a file or from the service is stripped of control characters first: it mustn't steer a terminal.

use std::{
    io::{self, IsTerminal, Write},
    process,
};

use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

use crate::{
    ending::{ExitStatus, Failure},
    words::Texts,
};

/// Somebody closed the pipe: nobody reads any more, which is no error of ours.
const PIPE_CLOSED: i32 = 0;

#[derive(Debug)]
pub(crate) struct Console {
    pub(crate) texts: Texts,
    /// What `--confirm` said, so that nobody has to be asked.
    confirm: Option<String>,
}

impl Console {
    pub(crate) fn new(texts: Texts, confirm: Option<String>) -> Self {
        Self { texts, confirm }
    }

    /// Until when a site's rate limit is waited for, by this computer's clock.
    pub(crate) fn waits(&self, site: &str, until: Timestamp) {
        let time = until.to_zoned_datetime(TimeZone::system()).strftime("%H:%M:%S").to_string();
        self.remark("waits.limit", &[("site", plain(site)), ("time", time)]);
    }

    /// One line of the result.
    pub(crate) fn line(&self, text: &str) {
        let mut line = text.to_owned();
        line.push('\n');
        self.bytes(line.as_bytes());
    }

    /// A text of the language files as a line of the result.
    pub(crate) fn status(&self, key: &str, places: &[(&str, String)]) {
        self.line(&self.texts.text(key, places));
    }

    /// One line of JSON.
    pub(crate) fn json(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.line(&text),
            Err(error) => self.note(&error.to_string()),
        }
    }

    /// A file's content as the result.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            if error.kind() == io::ErrorKind::BrokenPipe {
                process::exit(PIPE_CLOSED);
            }
            self.note(&error.to_string());
        }
    }

    /// Where the result goes, piece by piece.
    pub(crate) fn out(&self) -> impl Write + Send + use<> {
        io::BufWriter::new(Pipe(io::stdout()))
    }

    /// Characters of a line, where the result goes to a terminal.
    pub(crate) fn width(&self) -> Option<usize> {
        ::console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
    }

    /// A line beside the result. Where even that can't be written, there is nobody to tell.
    pub(crate) fn note(&self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// A text of the language files beside the result.
    pub(crate) fn remark(&self, key: &str, places: &[(&str, String)]) {
        self.note(&self.texts.text(key, places));
    }

    /// Says what is in the way and what to do, and how the program ends.
    pub(crate) fn failed(&self, failure: &Failure) -> ExitStatus {
        match failure {
            Failure::Usage(key, places) => self.remark(key, places),
            Failure::Problem(problem) => self.problem(problem),
        }
        failure.ending()
    }

    /// What happened, the service's own words, and what to do.
    /// What is in the way, as a part of a sentence.
    pub(crate) fn obstacle(&self, problem: &takt_engine::Problem) -> String {
        let obstacle = problem.parameters.get("obstacle").map(String::as_str).unwrap_or_default();
        plain(&self.texts.engine.text(&["obstacle", obstacle], &problem.parameters))
    }

    pub(crate) fn problem(&self, problem: &takt_engine::Problem) {
        self.note(&plain(&self.texts.engine.problem_title(problem.code, &problem.parameters)));
        for reason in &problem.reasons {
            self.note(&format!("  {}", plain(reason)));
        }
        if let Some(log_id) = &problem.log_id {
            self.remark("problem.log-id", &[("id", plain(log_id))]);
        }
        self.note(&plain(&self.texts.engine.problem_hint(problem.code, &problem.parameters)));
        if let Some(details) = &problem.details {
            self.remark(
                "problem.details",
                &[("details", plain(&details.chars().take(MAX_DETAILS_LENGTH).collect::<String>()))],
            );
        }
    }

    /// Asks, where a person can answer. `None` where there is nobody.
    pub(crate) fn ask(&self, key: &str, places: &[(&str, String)]) -> Option<bool> {
        let answer = self.answer(key, places)?;
        let yes = self.texts.text("ask.yes", &[]);
        Some(yes.split(' ').any(|yes| answer.trim().eq_ignore_ascii_case(yes)))
    }

    /// A site's name, given ahead with `--confirm` or typed now. `None` where there is nobody.
    pub(crate) fn name_of_site(&self, key: &str, places: &[(&str, String)]) -> Option<String> {
        self.confirm.clone().or_else(|| self.answer(key, places).map(|answer| answer.trim().to_owned()))
    }

    /// A line that nobody sees while it is typed; nothing where nobody can be asked, or nothing is typed.
    pub(crate) fn hidden_line(&self, key: &str) -> Option<String> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let _ = write!(io::stderr().lock(), "{} ", self.texts.text(key, &[]));
        console::Term::stderr().read_secure_line().ok().filter(|line| !line.is_empty())
    }

    fn answer(&self, key: &str, places: &[(&str, String)]) -> Option<String> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let _ = write!(io::stderr().lock(), "{} ", self.texts.text(key, places));
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(answer)
    }

    /// Columns that line up; numbers are up to whoever made the texts.
    pub(crate) fn table(&self, rows: &[Vec<String>]) {
        for line in table(rows) {
            self.line(&line);
        }
    }
}

/// Standard output; ends the program where nobody reads it any more.
struct Pipe(io::Stdout);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush())
    }
}

fn unless_closed<T>(result: io::Result<T>) -> io::Result<T> {
    if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        process::exit(PIPE_CLOSED);
    }
    result
}

const MAX_DETAILS_LENGTH: usize = 2_000;
const MAX_CELL_LENGTH: usize = 60;
/// Nothing has to line up after the last column, which is where reasons stand.
const MAX_LAST_CELL_LENGTH: usize = 240;

/// Without what could steer a terminal, on one line.
pub(crate) fn plain(text: &str) -> String {
    let steers = |character: char| {
        character.is_control()
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    text.chars().map(|character| if steers(character) { ' ' } else { character }).collect()
}

fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let most = |column: usize| if column + 1 == columns { MAX_LAST_CELL_LENGTH } else { MAX_CELL_LENGTH };
    let clean_row = |row: &Vec<String>| (0..).zip(row).map(|(column, cell)| cut(&plain(cell), most(column))).collect();
    let clean: Vec<Vec<String>> = rows.iter().map(clean_row).collect();
    let width = |column: usize| clean.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    clean.iter().map(line).collect()
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most - 1).collect();
    short.push('…');
    short
}

/// Whether it has to be said which of them is meant, and what they are together: of one it is clear.
pub(crate) fn is_several<T>(of: &[T]) -> bool {
    of.get(1).is_some()
}

/// What all of them have in common.
pub(crate) fn common<T: PartialEq>(of: impl IntoIterator<Item = T>) -> Option<T> {
    let mut all = of.into_iter();
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_cannot_be_steered() {
        assert_eq!(plain("a\u{1b}[2Jb\r\nc\u{202e}d"), "a [2Jb  c d");
    }

    #[test]
    fn columns_line_up_and_long_cells_are_cut() {
        let rows = [vec!["a".to_owned(), "b".to_owned()], vec!["x".repeat(80), "y".repeat(300)]];
        let lines = table(&rows);
        assert_eq!(lines[0], format!("a{}b", " ".repeat(MAX_CELL_LENGTH + 1)));
        assert_eq!(lines[1].chars().count(), MAX_CELL_LENGTH + 2 + MAX_LAST_CELL_LENGTH);
        assert!(lines[1].ends_with('…'));
    }
}
