//! The workbooks of a watched folder, and what is written beside them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use takt_engine::{Code, Problem};

const ENDINGS: [&str; 6] = ["xlsx", "xlsm", "xlsb", "xls", "ods", "csv"];
/// Stands before the ending of what Takt writes.
const RESULT: &str = ".result";

/// By these it is known that a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

/// A workbook that lies in the folder.
#[derive(Debug)]
pub(super) struct WatchedFile {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) stamp: FileStamp,
    /// A spreadsheet program says so by a file of its own beside it.
    pub(super) is_open: bool,
    /// What was written beside it is younger.
    pub(super) is_answered: bool,
}

/// By their names.
pub(super) fn workbooks(folder: &Path) -> Result<Vec<WatchedFile>, Problem> {
    let unreadable = |error: io::Error| {
        Problem::new(Code::FileUnreadable).parameter("file", folder.display().to_string()).details(error)
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // One that was taken away since isn't there.
        let Ok(known) = fs::metadata(entry.path()) else { continue };
        let Ok(name) = entry.file_name().into_string() else { continue };
        if known.is_file() && is_workbook(&name) {
            let stamp = FileStamp { bytes: known.len(), modified: known.modified().ok() };
            let (path, is_open) = (entry.path(), is_open(folder, &name));
            found.push(WatchedFile { is_answered: is_answered(&path, stamp), path, name, stamp, is_open });
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Not what Takt wrote, nor what programs keep beside the files that they have open.
fn is_workbook(name: &str) -> bool {
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_known = ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    is_known && !stem.ends_with(RESULT) && !name.starts_with(['.', '~'])
}

/// Excel's `~$orders.xlsx`, where long names lose their first two letters, and LibreOffice's `.~lock.orders.xlsx#`.
fn is_open(folder: &Path, name: &str) -> bool {
    let short: String = name.chars().skip(2).collect();
    let owners = [format!("~${name}"), format!("~${short}"), format!(".~lock.{name}#")];
    owners.iter().any(|owner| folder.join(owner).exists())
}

fn is_answered(path: &Path, stamp: FileStamp) -> bool {
    let answers = [result_path(path), result_path(path).with_extension("xlsm"), error_path(path)];
    let written = answers.iter().filter_map(|answer| answer.metadata().ok()?.modified().ok());
    stamp.modified.is_some_and(|modified| written.max().is_some_and(|answered| answered >= modified))
}

/// Where the rows' results of a workbook are written to.
pub(super) fn result_path(path: &Path) -> PathBuf {
    beside(path, "xlsx")
}

/// Where it is written why a workbook can't be read.
pub(super) fn error_path(path: &Path) -> PathBuf {
    beside(path, "txt")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!("{RESULT}.{ending}"));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_write_beside_isnt_taken() {
        for name in ["a.xlsx", "B.XLSX", "c.csv", "result.ods", "d.result.v2.xls"] {
            assert!(is_workbook(name), "{name}");
        }
        for name in ["a.xlsx.result.xlsx", "~$a.xlsx", ".~lock.a.ods#", ".a.csv", "a.txt", "xlsx", "a.xlsx.result.txt"]
        {
            assert!(!is_workbook(name), "{name}");
        }
        assert_eq!(result_path(Path::new("in/a.csv")), Path::new("in/a.csv.result.xlsx"));
    }

    #[test]
    fn an_open_workbook_is_known_by_its_neighbour() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["plan.xlsx", "orders.ods", "free.xlsx", "~$an.xlsx", ".~lock.orders.ods#"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = workbooks(folder.path()).unwrap();
        let found: Vec<_> = found.iter().map(|file| (file.name.as_str(), file.is_open)).collect();
        assert_eq!(found, [("free.xlsx", false), ("orders.ods", true), ("plan.xlsx", true)]);
    }
}
