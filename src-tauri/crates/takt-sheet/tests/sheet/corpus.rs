//! Reads all files in the folder `TAKT_CORPUS`. Each is read or refused with an error within seconds.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use takt_sheet::{Limits, ReaderProcess, SheetError, Workbook};

const EXTENSIONS: [&str; 12] =
    ["xlsx", "xlsm", "xltx", "xlsb", "xls", "ods", "fods", "csv", "tsv", "tab", "txt", "xml"];
const MAX_READ_TIME: Duration = Duration::from_secs(10);

fn collect_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_files(&path, found);
        } else if path
            .extension()
            .is_some_and(|ending| EXTENSIONS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
        {
            found.push(path);
        }
    }
}

/// Returns the number of cells that were read.
fn count_cells(path: &Path, limits: &Limits) -> Result<u64, SheetError> {
    let workbook = Workbook::open(path, limits)?;
    let sheets = workbook.sheets().iter().map(|sheet| workbook.read(&sheet.name, limits, &|| false));
    sheets.map(|sheet| sheet.map(|sheet| sheet.cells)).sum()
}

#[test]
fn every_file_of_a_corpus_is_read_or_refused() {
    let Some(folder) = env::var_os("TAKT_CORPUS") else { return };
    let mut found = Vec::new();
    collect_files(Path::new(&folder), &mut found);
    found.sort();
    let reader_process = ReaderProcess::new(PathBuf::from(env!("CARGO_BIN_EXE_sheet-reader")));
    let limits = Limits { reader_process: Some(reader_process), ..Limits::default() };
    let mut tally: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for path in &found {
        let begin = Instant::now();
        let ending = path.extension().unwrap().to_string_lossy().to_lowercase();
        let (read, refused) = tally.entry(ending).or_default();
        match count_cells(path, &limits) {
            Ok(cells) => {
                *read += 1;
                println!("{}: {cells} cells", path.display());
            }
            Err(error) => {
                *refused += 1;
                println!("{}: {error}", path.display());
                let gave_up = matches!(&error, SheetError::Damaged(cause) if cause == "the reader gave up");
                assert!(!gave_up, "a reader panicked over {}", path.display());
            }
        }
        assert!(begin.elapsed() < MAX_READ_TIME, "{} took {:?}", path.display(), begin.elapsed());
    }
    for (ending, (read, refused)) in tally {
        println!("{ending}: {read} read, {refused} refused");
    }
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
    }
}
