//! The workbooks of a watched folder, and the files that are written next to them.

use std::{
    ffi::OsStr,
    fs::{self, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

use takt_engine::{Code, Problem};

use crate::console::sanitize;

const EXTENSIONS: [&str; 6] = ["xlsx", "xlsm", "xlsb", "xls", "ods", "csv"];
/// The end of the name of each file that Takt writes, before its extension.
const RESULT_MARKER: &str = ".result";
/// The maximum length of a file name on common file systems, in bytes on Linux and in UTF-16 units elsewhere.
const MAX_NAME_LENGTH: usize = 255;

/// The size and modification time, by which changes of a file are detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    pub(super) fn size(self) -> u64 {
        self.bytes
    }
}

/// A workbook in the folder, as of the last check.
#[derive(Debug)]
pub(super) struct WatchedFile {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) stamp: FileStamp,
    /// Whether a spreadsheet program's lock file exists next to it.
    pub(super) is_open: bool,
    /// Whether a result next to it is newer than it.
    pub(super) has_result: bool,
}

/// A file that Takt refuses because of its name or type, regardless of its content.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefusedFile {
    /// The name, with control characters replaced.
    pub(super) name: String,
    pub(super) reason: RefusalReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalReason {
    /// A symbolic link. The user who created it may not be allowed to read the target.
    Link,
    /// A control character in the name, which could add a line to the result's text.
    ControlCharacter,
    NotUnicode,
    /// A name that is too long for a result's name.
    NameTooLong,
}

impl RefusalReason {
    pub(super) fn text_key(self) -> &'static str {
        match self {
            Self::Link => "watch.refused-link",
            Self::ControlCharacter => "watch.refused-control-character",
            Self::NotUnicode => "watch.refused-not-unicode",
            Self::NameTooLong => "watch.refused-name-too-long",
        }
    }
}

/// The workbooks and refused files of a folder, sorted by name.
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
            // The file may have been removed since the folder was listed.
            let Ok(metadata) = fs::symlink_metadata(entry.path()) else { continue };
            let name = entry.file_name();
            let text_name = name.to_string_lossy();
            if !(metadata.is_file() || metadata.is_symlink()) || !is_workbook(&text_name) {
                continue;
            }
            if let Some(reason) = refusal_reason(&name, &metadata) {
                contents.refused.push(RefusedFile { name: sanitize(&text_name), reason });
                continue;
            }
            let stamp = FileStamp { bytes: metadata.len(), modified: metadata.modified().ok() };
            let (path, name) = (entry.path(), text_name.into_owned());
            let (is_open, has_result) = (is_open(folder, &name), has_result(&path, stamp));
            contents.workbooks.push(WatchedFile { path, name, stamp, is_open, has_result });
        }
        contents.workbooks.sort_by(|one, other| one.name.cmp(&other.name));
        contents.refused.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(contents)
    }
}

fn refusal_reason(name: &OsStr, metadata: &Metadata) -> Option<RefusalReason> {
    let Some(text) = name.to_str() else { return Some(RefusalReason::NotUnicode) };
    let result_length = text.len().max(text.encode_utf16().count()) + RESULT_MARKER.len() + ".xlsx".len();
    if metadata.is_symlink() {
        Some(RefusalReason::Link)
    } else if text.chars().any(char::is_control) {
        Some(RefusalReason::ControlCharacter)
    } else if result_length > MAX_NAME_LENGTH {
        Some(RefusalReason::NameTooLong)
    } else {
        None
    }
}

/// Atomically creates a file next to a workbook, with the workbook's permissions. Replaces an existing file or link.
/// Never follows links.
pub(super) fn write_next_to(workbook: &Path, target: &Path, content: &mut dyn Read) -> io::Result<()> {
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

/// Returns whether the name is a workbook's name. Results and lock files aren't workbooks.
fn is_workbook(name: &str) -> bool {
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_known = EXTENSIONS.iter().any(|extension| ending.eq_ignore_ascii_case(extension));
    is_known && !stem.ends_with(RESULT_MARKER) && !name.starts_with(['.', '~'])
}

/// Returns whether a spreadsheet program has the file open. Recognizes LibreOffice's `.~lock.orders.xlsx#` and Excel's
/// `~$orders.xlsx`, which drops the first two letters of long names.
fn is_open(folder: &Path, name: &str) -> bool {
    let short: String = name.chars().skip(2).collect();
    let lock_files = [format!("~${name}"), format!("~${short}"), format!(".~lock.{name}#")];
    lock_files.iter().any(|lock_file| folder.join(lock_file).exists())
}

fn has_result(path: &Path, stamp: FileStamp) -> bool {
    let results = [result_path(path), result_path(path).with_extension("xlsm"), error_path(path)];
    let written = results.iter().filter_map(|result| result.metadata().ok()?.modified().ok());
    stamp.modified.is_some_and(|modified| written.max().is_some_and(|result_time| result_time >= modified))
}

/// Returns the path of the workbook with the rows' results, next to the original.
pub(super) fn result_path(path: &Path) -> PathBuf {
    sibling_path(path, "xlsx")
}

/// Returns the path of the text file with the reason why a workbook wasn't sent.
pub(super) fn error_path(path: &Path) -> PathBuf {
    sibling_path(path, "txt")
}

fn sibling_path(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!("{RESULT_MARKER}.{ending}"));
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
        write_next_to(&workbook, &target, &mut "result".as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "untouched");
        let metadata = fs::symlink_metadata(&target).unwrap();
        assert!(metadata.is_file() && metadata.permissions().mode() & 0o777 == 0o640);
        assert_eq!(fs::read_to_string(&target).unwrap(), "result");
    }
}
