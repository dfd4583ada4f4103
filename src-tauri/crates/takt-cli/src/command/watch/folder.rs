//! The workbooks of a watched folder, and what is written beside them.

use std::{
    ffi::OsStr,
    fs::{self, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

use takt_engine::{Code, Problem};

use crate::console::plain;

const ENDINGS: [&str; 6] = ["xlsx", "xlsm", "xlsb", "xls", "ods", "csv"];
/// Stands before the ending of what Takt writes.
const RESULT: &str = ".result";
/// Of a file's name, on every common file system: in bytes on Linux, in UTF-16 units elsewhere.
const MAX_NAME_LENGTH: usize = 255;

/// By these it is known that a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    pub(super) fn bytes(self) -> u64 {
        self.bytes
    }
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

/// A file that Takt refuses, whatever it contains.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefusedFile {
    /// Without what a terminal could take for a command.
    pub(super) name: String,
    pub(super) reason: RefusalReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalReason {
    /// Its author may not be allowed to read the file that it leads to.
    Link,
    /// A line end in a name would add a line to the result's text.
    ControlCharacter,
    NotUnicode,
    /// No result with its name could stand beside it.
    NameTooLong,
}

impl RefusalReason {
    /// The key of its text.
    pub(super) fn text_key(self) -> &'static str {
        match self {
            Self::Link => "watch.refused-link",
            Self::ControlCharacter => "watch.refused-control-character",
            Self::NotUnicode => "watch.refused-not-unicode",
            Self::NameTooLong => "watch.refused-name-too-long",
        }
    }
}

/// What lies in the folder, by names.
#[derive(Debug, Default)]
pub(super) struct FolderContents {
    pub(super) workbooks: Vec<WatchedFile>,
    pub(super) refused: Vec<RefusedFile>,
}

impl FolderContents {
    pub(super) fn read(folder: &Path) -> Result<Self, Problem> {
        let unreadable = |error: io::Error| {
            Problem::new(Code::FileUnreadable).parameter("file", folder.display().to_string()).details(error)
        };
        let mut contents = Self::default();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // One that was taken away since isn't there.
            let Ok(known) = fs::symlink_metadata(entry.path()) else { continue };
            let name = entry.file_name();
            let shown = name.to_string_lossy();
            if !(known.is_file() || known.is_symlink()) || !is_workbook(&shown) {
                continue;
            }
            if let Some(reason) = refusal(&name, &known) {
                contents.refused.push(RefusedFile { name: plain(&shown), reason });
                continue;
            }
            let stamp = FileStamp { bytes: known.len(), modified: known.modified().ok() };
            let (path, name) = (entry.path(), shown.into_owned());
            let (is_open, is_answered) = (is_open(folder, &name), is_answered(&path, stamp));
            contents.workbooks.push(WatchedFile { path, name, stamp, is_open, is_answered });
        }
        contents.workbooks.sort_by(|one, other| one.name.cmp(&other.name));
        contents.refused.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(contents)
    }
}

fn refusal(name: &OsStr, known: &Metadata) -> Option<RefusalReason> {
    let Some(text) = name.to_str() else { return Some(RefusalReason::NotUnicode) };
    let longest = text.len().max(text.encode_utf16().count()) + RESULT.len() + ".xlsx".len();
    if known.is_symlink() {
        Some(RefusalReason::Link)
    } else if text.chars().any(char::is_control) {
        Some(RefusalReason::ControlCharacter)
    } else if longest > MAX_NAME_LENGTH {
        Some(RefusalReason::NameTooLong)
    } else {
        None
    }
}

/// Puts a file beside a workbook in one step, with the workbook's permissions. It replaces an existing file or link. Links are
/// never followed.
pub(super) fn put_beside(workbook: &Path, target: &Path, content: &mut dyn Read) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".takt-").suffix(".part").tempfile_in(folder)?;
    io::copy(content, &mut file)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::symlink_metadata(workbook)?.permissions().mode() & 0o666;
        file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = workbook;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
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
        let found = FolderContents::read(folder.path()).unwrap();
        let found: Vec<_> = found.workbooks.iter().map(|file| (file.name.as_str(), file.is_open)).collect();
        assert_eq!(found, [("free.xlsx", false), ("orders.ods", true), ("plan.xlsx", true)]);
    }

    #[test]
    #[cfg(unix)]
    fn links_and_odd_names_are_refused_with_their_reason() {
        use std::os::unix::{ffi::OsStrExt, fs::symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &OsStr| folder.path().join(name);
        fs::write(at(OsStr::new("a.csv")), "").unwrap();
        symlink("/etc/hostname", at(OsStr::new("link.csv"))).unwrap();
        fs::write(at(OsStr::new("two\nlines.csv")), "").unwrap();
        fs::write(at(OsStr::from_bytes(b"\xFF.csv")), "").unwrap();
        fs::write(at(OsStr::new(&format!("{}.csv", "n".repeat(245)))), "").unwrap();
        let found = FolderContents::read(folder.path()).unwrap();
        assert_eq!(found.workbooks.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["a.csv"]);
        let mut reasons: Vec<_> = found.refused.iter().map(|file| file.reason.text_key()).collect();
        reasons.sort_unstable();
        let expected = ["control-character", "link", "name-too-long", "not-unicode"];
        assert_eq!(reasons, expected.map(|reason| format!("watch.refused-{reason}")));
        assert!(found.refused.iter().all(|file| !file.name.contains('\n')));
    }

    #[test]
    #[cfg(unix)]
    fn a_result_takes_a_links_place_and_the_workbooks_mode() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [workbook, target, other] = ["a.csv", "a.csv.result.txt", "private"].map(|name| folder.path().join(name));
        fs::write(&workbook, "rows").unwrap();
        fs::set_permissions(&workbook, fs::Permissions::from_mode(0o640)).unwrap();
        fs::write(&other, "untouched").unwrap();
        symlink(&other, &target).unwrap();
        put_beside(&workbook, &target, &mut "result".as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "untouched");
        let known = fs::symlink_metadata(&target).unwrap();
        assert!(known.is_file() && known.permissions().mode() & 0o777 == 0o640);
        assert_eq!(fs::read_to_string(&target).unwrap(), "result");
    }
}
