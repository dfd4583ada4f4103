//! `cargo xtask fuzz TARGET [SECONDS [FILE]]`: builds a fuzz target of `fuzz/` with the current compiler, and runs it
//! from seeds in the repository. Failing inputs are stored, and their paths are printed. With FILE, only that input is
//! run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    console::{print, timed},
    error::XtaskError,
    paths,
    process::{capture_output, cargo, program, show_output},
};

/// The targets with their seeds' extensions and folders.
const TARGETS: [(&str, &[&str], &[&str]); 4] = [
    ("openapi_document", &["json", "yaml"], DOCUMENTS),
    ("openapi_matching", &["json", "yaml"], DOCUMENTS),
    ("sheet_rows", &["rows"], &["fuzz/seeds/sheet_rows"]),
    ("workbook", &["xlsx", "xls", "xlsb", "ods", "csv", "xml"], &["tests/data/samples"]),
];
const DOCUMENTS: &[&str] = &["src-tauri/crates/takt-openapi/tests/documents", "tests/data"];
const DEFAULT_SECONDS: u32 = 60;
/// libFuzzer's time limit per input in seconds, and memory limit of the process in megabytes.
const LIMITS: [&str; 2] = ["-timeout=20", "-rss_limit_mb=2048"];
/// The compiler flags for libFuzzer: counters at each edge of the control flow, and tracing of comparisons.
const COVERAGE_FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let Some((name, rest)) = arguments.split_first() else {
        TARGETS.iter().for_each(|(name, ..)| print(name));
        return Ok(());
    };
    let unknown = || XtaskError::Command(format!("fuzz {}", arguments.join(" ")));
    let (_, extensions, folders) = TARGETS.iter().find(|(known, ..)| known == name).ok_or_else(unknown)?;
    let seconds = rest.first().map_or(Ok(DEFAULT_SECONDS), |text| text.parse()).map_err(|_| unknown())?;
    let fuzzer = timed(&format!("building the fuzz target {name}, optimised"), || build(name))?;
    let mut command = program(&fuzzer.to_string_lossy());
    command.args(LIMITS);
    if let Some(input) = rest.get(1) {
        return show_output({
            command.arg(input);
            command
        });
    }
    let (corpus, artifacts) = (make_folder(name, "corpus")?, make_folder(name, "artifacts")?);
    copy_seeds(&corpus, extensions, folders)?;
    command.arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
    command.arg(format!("-artifact_prefix={}{}", artifacts.display(), std::path::MAIN_SEPARATOR)).arg(&corpus);
    show_output(command)
}

/// Builds the target and returns its path. With an explicit `--target`, cargo doesn't apply the flags to build scripts.
fn build(name: &str) -> Result<PathBuf, XtaskError> {
    let host = host_triple()?;
    let target = paths::target().join("fuzz");
    let mut command = cargo(["build", "--release", "--bin", name, "--target", &host]);
    command.current_dir(paths::root().join("fuzz")).env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", COVERAGE_FLAGS);
    show_output(command)?;
    Ok(target.join(host).join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

fn host_triple() -> Result<String, XtaskError> {
    let printed = capture_output({
        let mut command = program("rustc");
        command.arg("-vV");
        command
    })?;
    let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| XtaskError::Answer { program: "rustc".to_owned(), reason: "it names no host".to_owned() })
}

fn make_folder(name: &str, kind: &str) -> Result<PathBuf, XtaskError> {
    let folder = paths::target().join("fuzz").join(kind).join(name);
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    Ok(folder)
}

/// Copies the seeds with these extensions into the corpus, the folder of libFuzzer's inputs.
fn copy_seeds(corpus: &Path, extensions: &[&str], folders: &[&str]) -> Result<(), XtaskError> {
    for folder in folders.iter().map(|folder| paths::root().join(folder)) {
        for entry in fs::read_dir(&folder).map_err(XtaskError::file(&folder))?.flatten() {
            let path = entry.path();
            let is_seed =
                path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| extensions.contains(&ending));
            if is_seed {
                fs::copy(&path, corpus.join(entry.file_name())).map_err(XtaskError::file(&path))?;
            }
        }
    }
    Ok(())
}
