//! A file as a workbook. It is inspected once, and its sheets are read one by one from the same bytes.
//!
//! All bytes are from the version of the file that was opened, even if it is saved meanwhile. So the bytes that are
//! hashed and the bytes that are read can't differ.

use std::{fmt, path::Path, sync::Arc};

use crate::{
    FileKind, LimitKind, Limits, Sheet, SheetEntry, SheetError, TextChoice, TextForm,
    file_kind::detect_file_kind,
    markup::{self, Markup},
    open_document,
    panic_guard::catch_panics,
    password,
    progress::{ProgressReporter, ReadProgress},
    source::{Source, SourceReader, StampedFile},
    subprocess, text,
    xls::{self, Bounds},
    xlsb, xlsx,
};

/// An opened workbook.
///
/// ```
/// use takt_sheet::{Limits, Workbook};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = "Code;Quantity\nM-1;2,5\n".as_bytes();
/// let workbook = Workbook::from_bytes(bytes, "materials.csv", &Limits::default())?;
/// let sheet = workbook.read(&workbook.sheets()[0].name, &Limits::default(), &|| false)?;
///
/// assert_eq!(sheet.rows.len(), 2);
/// let quantity = sheet.rows.cell(1, 1).ok_or("the second row has two cells")?;
/// assert_eq!(quantity.shown(), "2,5");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Workbook {
    /// The file as it was opened.
    file: Source,
    /// The bytes to read: the file, or the workbook that was encrypted in it.
    source: Source,
    /// The file's path and properties. Absent for bytes in memory.
    stamped_file: Option<Arc<StampedFile>>,
    kind: FileKind,
    sheets: Vec<SheetEntry>,
    /// The form of a text. Absent for any other workbook.
    text: Option<TextForm>,
    /// See [`Limits::usual_encoding`].
    usual_encoding: Option<&'static str>,
}

impl fmt::Debug for Workbook {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Workbook")
            .field("kind", &self.kind)
            .field("sheets", &self.sheets)
            .finish_non_exhaustive()
    }
}

impl Workbook {
    /// Opens a file, detects its kind and lists its sheets.
    ///
    /// # Errors
    /// If the file can't be read, isn't a workbook, is damaged, or exceeds a limit.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, SheetError> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (source, stamped) = Source::open(path, limits)?;
        let workbook =
            Self::from_source(source.clone(), &name, limits).map_err(|error| source.replace_error_if_changed(error))?;
        Ok(Self { stamped_file: Some(Arc::new(stamped)), ..workbook })
    }

    /// Checks that the file is the same as when it was opened. Call it once, after reading.
    ///
    /// # Errors
    /// [`SheetError::ChangedWhileRead`] if the file has changed.
    pub fn check_unchanged(&self) -> Result<(), SheetError> {
        self.stamped_file.as_ref().map_or(Ok(()), |stamped| stamped.check_unchanged())
    }

    /// Opens a workbook from bytes in memory. `name` is the file's name.
    ///
    /// # Errors
    /// If the bytes aren't a workbook, are damaged, or exceed a limit.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>, name: &str, limits: &Limits) -> Result<Self, SheetError> {
        Self::from_source(Source::from_bytes(bytes), name, limits)
    }

    fn from_source(file: Source, name: &str, limits: &Limits) -> Result<Self, SheetError> {
        if file.len() > limits.file_bytes {
            return Err(SheetError::too_large(LimitKind::FileBytes, limits.file_bytes));
        }
        let source = catch_panics(|| password::decrypt_source(&file))?.unwrap_or_else(|| file.clone());
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let kind = catch_panics(|| detect_file_kind(&source, &extension.to_ascii_lowercase(), limits))?;
        if matches!(kind, FileKind::Xls | FileKind::Ods) && source.len() > limits.legacy_file_bytes {
            return Err(SheetError::too_large(LimitKind::FileBytes, limits.legacy_file_bytes));
        }
        let sheets = catch_panics(|| match kind {
            FileKind::Xlsx => xlsx::list_sheets(&source, limits),
            FileKind::Xlsb => xlsb::list_sheets(&source, limits),
            FileKind::Xls => list_xls_sheets(&source.read_all()?, limits),
            FileKind::Ods => open_document::list_sheets(&source, limits),
            FileKind::Text => Ok(vec![SheetEntry { name: stem.to_owned(), visible: true }]),
            FileKind::Html => markup::list_sheets(&source.read_all()?, Markup::Html, stem, limits),
            FileKind::XmlSpreadsheet => markup::list_sheets(&source.read_all()?, Markup::XmlSpreadsheet, stem, limits),
        })?;
        if sheets.len() > limits.sheets {
            return Err(SheetError::too_large(LimitKind::Sheets, limits.sheets as u64));
        }
        if sheets.is_empty() {
            return Err(SheetError::Empty);
        }
        let text = match kind {
            FileKind::Text => Some(TextForm::detect(&source, &TextChoice::default(), limits.usual_encoding)?),
            _ => None,
        };
        Ok(Self { file, source, stamped_file: None, kind, sheets, text, usual_encoding: limits.usual_encoding })
    }

    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Returns the sheets in the workbook's order.
    #[must_use]
    pub fn sheets(&self) -> &[SheetEntry] {
        &self.sheets
    }

    /// Returns a reader of the file's bytes, as they were when it was opened.
    #[must_use]
    pub fn file_reader(&self) -> SourceReader {
        self.file.reader()
    }

    /// Returns the SHA-256 of the file's bytes if it was computed while a large file was opened.
    #[must_use]
    pub fn sha256(&self) -> Option<[u8; 32]> {
        self.file.sha256()
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the detected or chosen form of a text, or `None` for any other workbook.
    #[must_use]
    pub fn text_form(&self) -> Option<&TextForm> {
        self.text.as_ref()
    }

    /// Chooses how a text is read from now on. Has no effect on any other workbook.
    ///
    /// # Errors
    /// If there is no such encoding or separator.
    pub fn choose_text(&mut self, choice: &TextChoice) -> Result<(), SheetError> {
        if self.text.is_some() {
            let text = TextForm::detect(&self.source, choice, self.usual_encoding);
            self.text = Some(text.map_err(|error| self.file.replace_error_if_changed(error))?);
        }
        Ok(())
    }

    /// Returns the first rows of a text under this choice, with their numbers. Returns no rows for any other workbook.
    ///
    /// # Errors
    /// If there is no such encoding or separator, or the file can't be read.
    pub fn preview_text(&self, choice: &TextChoice, max_rows: usize) -> Result<Vec<(u32, Vec<String>)>, SheetError> {
        if self.text.is_none() {
            return Ok(Vec::new());
        }
        catch_panics(|| text::preview_rows(&self.source, choice, max_rows, self.usual_encoding))
            .map_err(|error| self.file.replace_error_if_changed(error))
    }

    /// Reads one sheet. `cancel` is called regularly. Once it returns true, reading ends with
    /// [`SheetError::Cancelled`].
    ///
    /// # Errors
    /// If there is no such sheet, it is damaged or exceeds a limit, or reading was canceled.
    pub fn read(&self, name: &str, limits: &Limits, cancel: &dyn Fn() -> bool) -> Result<Sheet, SheetError> {
        self.read_with_progress(name, limits, &|_| !cancel())
    }

    /// Like [`Self::read`], but reports progress and the first rows. Once `on_progress` returns false, reading ends
    /// with [`SheetError::Cancelled`].
    ///
    /// # Errors
    /// If there is no such sheet, it is damaged or exceeds a limit, or reading was canceled.
    pub fn read_with_progress(
        &self,
        name: &str,
        limits: &Limits,
        on_progress: &dyn Fn(ReadProgress<'_>) -> bool,
    ) -> Result<Sheet, SheetError> {
        let progress = &ProgressReporter::new(on_progress);
        let position = self.sheets.iter().position(|sheet| sheet.name == name);
        let position = position.ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
        let source = &self.source;
        let markup = |markup| markup::read_sheet(&source.read_all()?, markup, position, name, limits, progress);
        catch_panics(|| match self.kind {
            FileKind::Xlsx => xlsx::read_sheet(source, name, limits, progress),
            FileKind::Xlsb => xlsb::read_sheet(source, name, limits, progress),
            FileKind::Xls => read_xls(&source.read_all()?, name, limits, progress),
            FileKind::Ods => open_document::read_sheet(source, position, name, limits, progress),
            FileKind::Text => {
                let form = self
                    .text
                    .clone()
                    .map_or_else(|| TextForm::detect(source, &TextChoice::default(), limits.usual_encoding), Ok)?;
                text::read_sheet(source, name, &form, limits, progress)
            }
            FileKind::Html => markup(Markup::Html),
            FileKind::XmlSpreadsheet => markup(Markup::XmlSpreadsheet),
        })
        .map_err(|error| match self.file.replace_error_if_changed(error) {
            // The name is in the list of sheets, so the file is damaged.
            SheetError::NoSuchSheet(name) => {
                SheetError::damaged(format!("the sheet `{name}` is listed and isn't there"))
            }
            other => other,
        })
    }
}

/// Lists the sheets of an xls file. If a reader process is configured, it reads files that exceed the bounds for this
/// process.
fn list_xls_sheets(bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let Some(process) = &limits.reader_process else { return xls::list_sheets(bytes, limits) };
    let bounds = Bounds::for_file(bytes.len(), process.memory_bytes);
    let found = bounds.map(|bounds| xls::list_sheets_within(bytes, limits, bounds)).transpose()?.flatten();
    found.map_or_else(|| subprocess::list_sheets(process, bytes, limits), Ok)
}

/// Like [`list_xls_sheets`], but reads one sheet.
fn read_xls(bytes: &[u8], name: &str, limits: &Limits, progress: &ProgressReporter<'_>) -> Result<Sheet, SheetError> {
    let Some(process) = &limits.reader_process else { return xls::read_sheet(bytes, name, limits, progress) };
    let bounds = Bounds::for_file(bytes.len(), process.memory_bytes);
    let sheet = bounds.map(|bounds| xls::read_sheet_within(bytes, name, limits, bounds, progress)).transpose()?;
    sheet.flatten().map_or_else(|| subprocess::read_sheet(process, bytes, name, limits, progress), Ok)
}
