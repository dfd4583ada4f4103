//! `cargo xtask fuzz TARGET [SECONDS [FILE]]`: a fuzz target of `fuzz/`, built by the compiler that is in use and run from the
//! repository's own files of its kind. What made it fail is kept and named; with FILE only that input is run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    console::{print, timed},
    error::XtaskError,
    place,
    process::{cargo, catch, program, show},
};

/// Each with the endings of the files that it starts from, and where they lie.
const TARGETS: [(&str, &[&str], &[&str]); 4] = [
    ("openapi_document", &["json", "yaml"], DOCUMENTS),
    ("openapi_matching", &["json", "yaml"], DOCUMENTS),
    ("sheet_rows", &["rows"], &["fuzz/seeds/sheet_rows"]),
    ("workbook", &["xlsx", "xls", "xlsb", "ods", "csv", "xml"], &["tests/data/samples"]),
];
const DOCUMENTS: &[&str] = &["src-tauri/crates/takt-openapi/tests/documents", "tests/data"];
const SECONDS: u32 = 60;
/// Seconds that one input may take, and MB that the process may have.
const BOUNDS: [&str; 2] = ["-timeout=20", "-rss_limit_mb=2048"];
/// What libFuzzer wants of the compiler: counters at each edge, and what is compared with what.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let Some((name, rest)) = arguments.split_first() else {
        TARGETS.iter().for_each(|(name, ..)| print(name));
        return Ok(());
    };
    let unknown = || XtaskError::Command(format!("fuzz {}", arguments.join(" ")));
    let (_, endings, folders) = TARGETS.iter().find(|(known, ..)| known == name).ok_or_else(unknown)?;
    let seconds = rest.first().map_or(Ok(SECONDS), |text| text.parse()).map_err(|_| unknown())?;
    let fuzzer = timed(&format!("building the fuzz target {name}, optimised"), || build(name))?;
    let mut command = program(&fuzzer.to_string_lossy());
    command.args(BOUNDS);
    if let Some(input) = rest.get(1) {
        return show({
            command.arg(input);
            command
        });
    }
    let (corpus, artifacts) = (folder(name, "corpus")?, folder(name, "artifacts")?);
    seed(&corpus, endings, folders)?;
    command.arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
    command.arg(format!("-artifact_prefix={}{}", artifacts.display(), std::path::MAIN_SEPARATOR)).arg(&corpus);
    show(command)
}

/// Where the target lies once it is built. It is built for a target by name, so that build scripts stay as they are.
fn build(name: &str) -> Result<PathBuf, XtaskError> {
    let host = host()?;
    let target = place::target().join("fuzz");
    let mut command = cargo(["build", "--release", "--bin", name, "--target", &host]);
    command.current_dir(place::root().join("fuzz")).env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", COVERAGE);
    show(command)?;
    Ok(target.join(host).join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

fn host() -> Result<String, XtaskError> {
    let printed = catch({
        let mut command = program("rustc");
        command.arg("-vV");
        command
    })?;
    let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| XtaskError::Answer { program: "rustc".to_owned(), reason: "it names no host".to_owned() })
}

fn folder(name: &str, kind: &str) -> Result<PathBuf, XtaskError> {
    let folder = place::target().join("fuzz").join(kind).join(name);
    fs::create_dir_all(&folder).map_err(XtaskError::file(&folder))?;
    Ok(folder)
}

/// Copies what the fuzzer starts from beside what it has come to itself.
fn seed(corpus: &Path, endings: &[&str], folders: &[&str]) -> Result<(), XtaskError> {
    for folder in folders.iter().map(|folder| place::root().join(folder)) {
        for entry in fs::read_dir(&folder).map_err(XtaskError::file(&folder))?.flatten() {
            let path = entry.path();
            let fits =
                path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending));
            if fits {
                fs::copy(&path, corpus.join(entry.file_name())).map_err(XtaskError::file(&path))?;
            }
        }
    }
    Ok(())
}
