//! Tests of workbooks, from file to items: findings by cell, and the items to send.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod ambiguity;
mod blocks;
mod checks;
mod drafts;
mod field_counts;
mod fix;
mod fix_all;
mod large;
mod mapping;
mod mapping_rules;
mod pasted_tables;
mod plan;
mod progress;
mod reading;
mod reference_checks;
mod values;
mod written_workbooks;

use std::{path::PathBuf, sync::Arc};

use takt_contract::Contract;
use takt_import::{Finding, ImportView, Imports, TextReading};
use takt_journal::Journal;
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};
use tempfile::TempDir;

/// A folder with its own journal, and the imports that use it.
struct Fixture {
    folder: TempDir,
    imports: Imports,
}

impl Fixture {
    fn new() -> Self {
        Self::with_contract(Arc::new(Contract::builtin().unwrap()))
    }

    fn with_contract(contract: Arc<Contract>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&folder.path().join("journal.sqlite")).unwrap());
        let imports = Imports::new(contract, None, journal, Arc::new(|| "2026-11-23T06:00:00Z".parse().unwrap()), None);
        Self { folder, imports }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, title: &[&str], headings: &[&str], rows: Vec<Vec<OutCell>>) -> PathBuf {
        let path = self.file(name);
        let sheet = OutSheet {
            name: "Plan".to_owned(),
            title: title.iter().map(ToString::to_string).collect(),
            columns: headings.iter().copied().map(OutColumn::new).collect(),
            rows,
        };
        write_workbook(&path, &[sheet]).unwrap();
        path
    }

    fn open(&self, name: &str, headings: &[&str], rows: Vec<Vec<OutCell>>) -> ImportView {
        self.imports.open(&self.write(name, &[], headings, rows)).unwrap()
    }

    fn open_csv(&self, text: &str) -> ImportView {
        let path = self.file("file.csv");
        std::fs::write(&path, text).unwrap();
        self.imports.open(&path).unwrap()
    }

    fn write_text_file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Writes a workbook with the cells of a semicolon-separated text.
    fn write_workbook_from_text(&self, name: &str, text: &str) -> PathBuf {
        let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
        let headings = lines.next().unwrap();
        self.write(name, &[], &headings, lines.map(|line| texts(&line)).collect())
    }

    /// Returns every finding as `B4 code`, or `4 code` without a column.
    fn finding_texts(&self, view: &ImportView) -> Vec<String> {
        let cell = |finding: &Finding| format!("{}{}", finding.column.clone().unwrap_or_default(), finding.row);
        let name = |finding: &Finding| serde_json::to_value(finding.code).unwrap().as_str().unwrap().to_owned();
        let findings = self.imports.findings(view.id).unwrap();
        findings.iter().map(|finding| format!("{} {}", cell(finding), name(finding))).collect()
    }
}

fn text(text: &str) -> OutCell {
    OutCell::Text(text.to_owned())
}

fn texts(texts: &[&str]) -> Vec<OutCell> {
    texts.iter().map(|&text| OutCell::from(text)).collect()
}

fn read_as(encoding: Option<&str>, separator: Option<&str>) -> TextReading {
    let [encoding, separator] = [encoding, separator].map(|text| text.map(str::to_owned));
    TextReading { encoding, separator, quotes_as_text: false }
}
