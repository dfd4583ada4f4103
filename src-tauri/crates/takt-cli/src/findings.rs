//! Findings as text and as JSON lines.

use std::collections::HashMap;

use serde_json::{Value, json};
use takt_engine::{
    import::{ChangeKind, Finding, FormatCertainty, FormatChoice, FormatExample, FormatView, ImportView, ReadingView},
    item::{FindingCode, Severity},
};

use crate::console::{Console, sanitize};

/// The error messages of rows, by sheet and row.
pub(crate) type RowErrors = HashMap<(String, u32), Vec<String>>;

/// The maximum number of findings in text output. JSON lists all of them.
const MAX_PRINTED_FINDINGS: usize = 50;

pub(crate) fn finding_json(finding: &Finding, console: &Console) -> Value {
    json!({
        "sheet": finding.sheet,
        "row": finding.row,
        "column": finding.column,
        "field": finding.field,
        "severity": finding.severity,
        "code": finding.code,
        "message": console.texts.engine.finding_text(finding.code, &finding.parameters),
    })
}

/// Prints the most severe findings as text, and the number of further ones.
pub(crate) fn print_findings(findings: &[Finding], console: &Console) {
    let mut worst = WorstFindings::default();
    findings.iter().for_each(|finding| worst.add(finding.clone()));
    worst.print(console);
}

/// Collects the findings for text output, errors first. Counts all findings, but stores only a limited number.
#[derive(Debug, Default)]
pub(crate) struct WorstFindings {
    findings: Vec<Finding>,
    count: usize,
}

impl WorstFindings {
    pub(crate) fn add(&mut self, finding: Finding) {
        // The mapping is printed before and already lists missing columns.
        if finding.code == FindingCode::MissingColumn {
            return;
        }
        self.count += 1;
        self.findings.push(finding);
        if self.findings.len() > 4 * MAX_PRINTED_FINDINGS {
            self.truncate_to_worst();
        }
    }

    fn truncate_to_worst(&mut self) {
        self.findings.sort_by_key(|finding| (finding.severity, finding.row));
        self.findings.truncate(MAX_PRINTED_FINDINGS);
    }

    /// Prints to standard error, so that the findings appear before the confirmation prompt.
    pub(crate) fn print(mut self, console: &Console) {
        self.truncate_to_worst();
        for finding in &self.findings {
            console.print_note(&finding_line(finding, console));
        }
        let more = self.count - self.findings.len();
        if more > 0 {
            console.print_remark("more", &[("count", more.to_string())]);
        }
    }
}

/// Prints every column with its matched fields.
pub(crate) fn print_mapping(view: &ImportView, console: &Console) {
    let rows: Vec<Vec<String>> = view
        .columns
        .iter()
        .map(|column| {
            let matched = column.matched.iter().map(|matched| matched.field.as_str());
            let fields: Vec<&str> = matched.chain(column.also.iter().map(String::as_str)).collect();
            let fields = if fields.is_empty() { "–".to_owned() } else { fields.join(", ") };
            vec![column.letter.clone(), column.heading.clone(), fields]
        })
        .collect();
    console.print_table(&rows);
    for change in &view.changes {
        let key = match change.kind {
            ChangeKind::Renamed => "check.changed-renamed",
            ChangeKind::Moved => "check.changed-moved",
            ChangeKind::New => "check.changed-new",
            ChangeKind::Gone => "check.changed-gone",
        };
        let was = sanitize(change.was.as_deref().unwrap_or_default());
        console.print_text(key, &[("heading", sanitize(&change.heading)), ("was", was)]);
    }
    print_formats(view, console);
    for field in &view.missing {
        console.print_text("check.missing", &[("field", sanitize(field))]);
    }
}

/// Prints the number of values that the mapping's fixes changed, and the number of excluded rows.
pub(crate) fn print_fixes(view: &ImportView, console: &Console) {
    let changes = view.edited;
    if view.replayed > 0 && changes > 0 {
        console.print_remark("check.replayed", &[("changes", changes.to_string())]);
    }
    if view.counts.excluded > 0 {
        console.print_remark("check.excluded", &[("rows", view.counts.excluded.to_string())]);
    }
}

/// Prints the encoding, separator and other choices for reading the file, if there are alternatives.
pub(crate) fn print_reading(reading: &ReadingView, console: &Console) {
    if let (Some(encoding), Some(separator)) = (&reading.encoding, &reading.separator) {
        let separator = match separator.as_str() {
            "\t" => "tab",
            "" => "none",
            other => other,
        };
        console.print_remark("check.text", &[("encoding", encoding.clone()), ("separator", separator.to_owned())]);
    }
    if reading.hidden_rows > 0 {
        let key = if reading.choice.skip_hidden { "check.hidden-skipped" } else { "check.hidden-included" };
        console.print_remark(key, &[("rows", reading.hidden_rows.to_string())]);
    }
    if reading.merged.cells > 0 {
        let parameters = [("cells", reading.merged.cells.to_string()), ("columns", reading.merged.columns.join(", "))];
        console.print_remark("check.merged", &parameters);
    }
    if !reading.hidden_columns.is_empty() {
        console.print_remark("check.hidden-columns", &[("columns", reading.hidden_columns.join(", "))]);
    }
}

/// Prints the cells with several possible readings, and the options that choose one.
pub(crate) fn print_ambiguities(reading: &ReadingView, console: &Console) {
    if let Some(quote) = &reading.quote {
        let lines = [("lines".to_owned(), quote.lines.to_string())].into();
        let parameters = [
            ("place", format!("{}{}", quote.column, quote.row)),
            ("text", console.texts.engine.finding_text(quote.fault, &lines)),
            ("count", quote.count.to_string()),
        ];
        console.print_remark("check.quote", &parameters);
    }
    let Some(letters) = &reading.letters else { return };
    let mut encodings = letters.encodings.iter();
    let chosen = encodings.next().cloned().unwrap_or_default();
    let alternatives = encodings.cloned().collect::<Vec<_>>().join(", ");
    console.print_remark(
        "check.letters",
        &[("encoding", chosen), ("others", alternatives), ("count", letters.count.to_string())],
    );
    for cell in &letters.cells {
        let readings: Vec<String> = letters
            .encodings
            .iter()
            .zip(&cell.texts)
            .map(|(encoding, text)| format!("{encoding}: {}", sanitize(text)))
            .collect();
        console.print_note(&format!("  {}{}  {}", cell.column, cell.row, readings.join("  ")));
    }
}

/// Prints the site whose data the rows were checked against, and the fields that couldn't be checked.
pub(crate) fn print_reference_checks(view: &ImportView, console: &Console) {
    let checks = &view.reference_checks;
    if !checks.needed {
        return;
    }
    if let Some(problem) = &checks.problem {
        console.print_problem(problem);
    }
    if let (Some(site), Some(at)) = (&checks.site, &checks.at) {
        console.print_remark("check.against", &[("site", sanitize(site)), ("at", at.clone())]);
    }
    for unchecked in &checks.unchecked {
        let reason = unchecked.text(&console.texts.engine, unchecked.at.as_deref().unwrap_or_default());
        console.print_note(&format!("{}: {reason}", sanitize(&unchecked.field)));
    }
}

/// Prints the formats of each column's values with their evidence. If formats are ambiguous, prints the choices.
fn print_formats(view: &ImportView, console: &Console) {
    for column in &view.columns {
        let heading = sanitize(&column.heading);
        let mut open = Vec::new();
        for format in &column.formats {
            match (format.verdict, &format.shown) {
                (FormatCertainty::Proven, Some(shown)) => {
                    let of = format.of.to_string();
                    let parameters = [("heading", heading.clone()), ("shown", shown.clone()), ("of", of)];
                    console.print_text("check.format", &parameters);
                }
                (FormatCertainty::Ambiguous, _) => open.push(format),
                _ => {}
            }
        }
        if !open.is_empty() {
            let parameters = [("heading", heading), ("choices", format_choices(&open))];
            console.print_text("check.format-open", &parameters);
            open.iter().flat_map(|format| &format.examples).for_each(|example| print_example(example, console));
        }
    }
}

fn print_example(example: &FormatExample, console: &Console) {
    if let (Some(cell), Some(read)) = (&example.cell, &example.read) {
        console.print_line(&format!("  {}: {} → {}", choice_name(example.choice), sanitize(cell), sanitize(read)));
    }
}

/// Returns the value of a mapping's member `formats`, with the choices of each open format.
fn format_choices(open: &[&FormatView]) -> String {
    let choices = |format: &&FormatView| {
        let names: Vec<String> = format.examples.iter().map(|example| choice_name(example.choice)).collect();
        format!("\"{}\"", names.join("|"))
    };
    match open {
        [only] => choices(only),
        several => format!("[{}]", several.iter().map(choices).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the choice's name in mapping files.
fn choice_name(choice: FormatChoice) -> String {
    json!(choice).as_str().unwrap_or_default().to_owned()
}

/// Groups error messages by row, for explaining skipped rows.
pub(crate) fn errors_by_row(findings: &[Finding], console: &Console) -> RowErrors {
    let mut rows = RowErrors::new();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        rows.entry((finding.sheet.clone(), finding.row.get())).or_default().push(finding_message(finding, console));
    }
    rows
}

fn finding_line(finding: &Finding, console: &Console) -> String {
    let mark = match finding.severity {
        Severity::Error => '▲',
        Severity::Warning => '◆',
        Severity::Note => '■',
    };
    let column = finding.column.as_deref().unwrap_or_default();
    let sheet = sanitize(&finding.sheet);
    format!("{mark} {sheet} {column}{row}  {message}", row = finding.row, message = finding_message(finding, console))
}

/// Returns the finding's text, prefixed with the field's name if there is one.
fn finding_message(finding: &Finding, console: &Console) -> String {
    let text = sanitize(&console.texts.engine.finding_text(finding.code, &finding.parameters));
    match &finding.field {
        Some(field) => format!("{field}: {text}"),
        None => text,
    }
}
