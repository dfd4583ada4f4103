//! The results of a bench with their goals, as a Markdown table and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::{
    console::print,
    error::BenchError,
    machine,
    process::{folder, write},
};

/// The results of a run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: String,
    pub(crate) tables: Vec<Table>,
    pub(crate) goals: Vec<Goal>,
}

/// A table with text cells.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// A goal with the measured value.
#[derive(Debug, Serialize)]
pub(crate) struct Goal {
    what: String,
    goal: String,
    /// Absent if it couldn't be measured.
    measured: Option<f64>,
    unit: String,
    met: Option<bool>,
}

impl Table {
    pub(crate) fn new(title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { title: title.to_owned(), columns, rows: Vec::new() }
    }

    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { machine: machine::describe(), ..Self::default() }
    }

    /// Adds a goal that is met if the value is at least this large.
    pub(crate) fn at_least(&mut self, what: &str, least: f64, measured: Option<f64>, unit: &str) {
        let met = measured.map(|measured| measured >= least);
        self.add_goal(what, format!("≥ {}", format_number(least)), measured, unit, met);
    }

    /// Adds a goal that is met if the value is at most this large.
    pub(crate) fn at_most(&mut self, what: &str, most: f64, measured: Option<f64>, unit: &str) {
        let met = measured.map(|measured| measured <= most);
        self.add_goal(what, format!("≤ {}", format_number(most)), measured, unit, met);
    }

    fn add_goal(&mut self, what: &str, goal: String, measured: Option<f64>, unit: &str, met: Option<bool>) {
        self.goals.push(Goal { what: what.to_owned(), goal, measured, unit: unit.to_owned(), met });
    }

    /// Prints the tables and saves them as JSON under the bench's name.
    pub(crate) fn print_and_save(&self, name: &str) -> Result<(), BenchError> {
        print(&self.to_markdown());
        let file = folder().join(format!("{name}.json"));
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        write(&file, &text)?;
        print(&format!("The same as JSON: {}", file.display()));
        let missed = self.goals.iter().filter(|goal| goal.met == Some(false)).count();
        if missed > 0 {
            print(&format!("! {missed} of {} goals were missed", self.goals.len()));
        }
        Ok(())
    }

    fn to_markdown(&self) -> String {
        let mut text = format!("\nMeasured on {}; medians.\n", self.machine);
        let mut goals = Table::new("Goals", &["what", "goal", "measured", ""]);
        for goal in &self.goals {
            let verdict = match goal.met {
                Some(true) => "met",
                Some(false) => "**missed**",
                None => "",
            };
            let with_unit = |figure: &str| format!("{figure} {}", goal.unit).trim().to_owned();
            let measured =
                goal.measured.map_or_else(|| "not measured".to_owned(), |figure| with_unit(&format_number(figure)));
            goals.add_row([goal.what.clone(), with_unit(&goal.goal), measured, verdict.to_owned()]);
        }
        for table in self.tables.iter().chain([&goals]) {
            // Writing to a `String` can't fail.
            let _ = writeln!(text, "\n{}\n\n| {} |", table.title, table.columns.join(" | "));
            let _ = writeln!(text, "|{}", "---|".repeat(table.columns.len()));
            for row in &table.rows {
                let _ = writeln!(text, "| {} |", row.join(" | "));
            }
        }
        text
    }
}

/// Formats a number with about three significant digits: 0.0123, 1.73, 42.8, 13,122.
pub(crate) fn format_number(number: f64) -> String {
    match number.abs() {
        0.0..0.1 => format!("{number:.4}"),
        0.1..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => group_thousands(number),
    }
}

fn group_thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0.0 { format!("-{text}") } else { text }
}

/// Formats a value that may be absent.
pub(crate) fn format_optional(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), format_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        let shown: Vec<String> = [0.0123, 1.726, 42.84, 999.6, 13_122.4, 1_234_567.0].map(format_number).to_vec();
        assert_eq!(shown, ["0.0123", "1.73", "42.8", "1,000", "13,122", "1,234,567"]);
    }

    #[test]
    fn a_missed_goal_is_said_and_a_missing_figure_is_not_invented() {
        let mut report = Report::default();
        report.at_least("fast", 2.0, Some(1.7), "times");
        report.at_most("small", 60.0, None, "MB");
        let text = report.to_markdown();
        assert!(text.contains("| fast | ≥ 2.00 times | 1.70 times | **missed** |"), "{text}");
        assert!(text.contains("| small | ≤ 60.0 MB | not measured |  |"), "{text}");
    }
}
