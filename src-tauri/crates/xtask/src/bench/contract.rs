//! `cargo xtask bench contract`: a large OpenAPI document read and matched, against those who merely parse it.

mod document;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    bench::{
        option::number,
        peers::{folder, write},
        report::{Report, plain},
        subject::wrong,
        timing::{Runner, in_turns, table},
    },
    console::{print, timed},
    error::XtaskError,
    place,
    process::program,
};

/// The name under which this program starts itself, so that parsing is measured as a process of its own.
pub(super) const PARSE: &str = "contract-parse";
const CHECK: &str = "**`takt contract check`**: read, judged, matched";
const LINES: usize = 50_000;
/// Seconds and MB.
const GOALS: (f64, f64) = (2.0, 300.0);

#[derive(Debug)]
struct Options {
    lines: usize,
    rounds: usize,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self, XtaskError> {
        let mut options = Self { lines: LINES, rounds: 5 };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--quick" => options = Self { lines: LINES / 10, rounds: 2 },
                "--lines" => options.lines = number(option, &mut rest, 100..=1_000_000)?,
                "--rounds" => options.rounds = number(option, &mut rest, 1..=100)?,
                _ => return Err(XtaskError::Bench(option.clone())),
            }
        }
        Ok(options)
    }
}

/// A document on disk.
struct DocumentFile {
    form: &'static str,
    path: PathBuf,
    lines: usize,
}

pub(super) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let options = Options::read(arguments)?;
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    for file in files(options.lines)? {
        timed(&format!("a document of {} lines as {}", file.lines, file.form), || {
            measure(&file, options.rounds, &mut report)
        })?;
    }
    report.close("contract")
}

/// What the hidden name does: parses a document and says how many paths it has.
pub(super) fn parse(options: &[String]) -> Result<(), XtaskError> {
    let path = options.first().ok_or_else(|| XtaskError::Bench(PARSE.to_owned()))?;
    let text = fs::read_to_string(path).map_err(XtaskError::file(path))?;
    let json = Path::new(path).extension().is_some_and(|extension| extension == "json");
    let parsed: Option<Value> =
        if json { serde_json::from_str(&text).ok() } else { serde_saphyr::from_str(&text).ok() };
    let paths = parsed.as_ref().and_then(|document| document["paths"].as_object()).map(serde_json::Map::len);
    let paths = paths.ok_or_else(|| wrong("parsing", "the document has no paths"))?;
    print(&paths.to_string());
    Ok(())
}

fn files(lines: usize) -> Result<Vec<DocumentFile>, XtaskError> {
    let document = document::document(lines);
    let json = serde_json::to_string_pretty(&document).unwrap_or_default();
    let file = |form: &'static str, extension: &str, text: &str| {
        let path = folder().join(format!("document-{lines}.{extension}"));
        write(&path, text.as_bytes())?;
        Ok(DocumentFile { form, path, lines: text.lines().count() })
    };
    Ok(vec![file("JSON", "json", &json)?, file("YAML", "yaml", &document::yaml(&document))?])
}

fn measure(file: &DocumentFile, rounds: usize, report: &mut Report) -> Result<(), XtaskError> {
    verify(file)?;
    let here = std::env::current_exe().map_err(XtaskError::file("the bench"))?;
    let parse = || {
        let mut command = program(&here.to_string_lossy());
        command.args(["bench", PARSE]).arg(&file.path);
        command
    };
    let check = || check(&file.path);
    let parser = if file.form == "JSON" { "serde_json, merely parsing" } else { "serde-saphyr, merely parsing" };
    let courses =
        in_turns(&[Runner { name: parser, command: &parse }, Runner { name: CHECK, command: &check }], rounds)?;
    let lines = plain(f64::from(u32::try_from(file.lines).unwrap_or(u32::MAX)));
    if let [_, check] = &courses[..] {
        let (seconds, megabytes) = GOALS;
        report.at_most(&format!("{}, {lines} lines: `takt contract check`", file.form), seconds, check.wall(), "s");
        report.at_most(&format!("{}, {lines} lines: peak memory", file.form), megabytes, check.peak(), "MB");
    }
    report.tables.push(table(&format!("OpenAPI document, {}, {lines} lines", file.form), &courses));
    Ok(())
}

fn check(file: &Path) -> Command {
    let takt = place::target().join("release").join(format!("takt{}", std::env::consts::EXE_SUFFIX));
    let mut command = program(&takt.to_string_lossy());
    command.args(["contract", "check", "--json"]).arg(file).env("TAKT_HOME", folder().join("home"));
    command
}

/// Speed counts only where the document was taken for one and every one of Takt's operations was looked for.
fn verify(file: &DocumentFile) -> Result<(), XtaskError> {
    let start = |source| XtaskError::Start { program: "takt".to_owned(), source };
    let output = check(&file.path).stdin(Stdio::null()).output().map_err(start)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let matches = printed.lines().filter(|line| line.contains(r#""type":"match""#)).count();
    if matches > 0 {
        return Ok(());
    }
    Err(wrong("takt contract check", &String::from_utf8_lossy(&output.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused() {
        let read = |words: &[&str]| Options::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        let options = read(&["--quick", "--lines", "5000"]).unwrap();
        assert_eq!((options.lines, options.rounds), (5_000, 2));
        assert!(read(&["--lines", "many"]).is_err() && read(&["--faster"]).is_err());
    }
}
