//! A file as a workbook: looked at once, read sheet by sheet from the same bytes.
//!
//! Its bytes are held, so that what was hashed and what is read can't differ, however often the file is saved meanwhile.

use std::{fmt, path::Path, sync::Arc};

use crate::{
    FileKind, Limits, Measure, Sheet, SheetEntry, SheetError, TextChoice, TextForm,
    legacy::{self, Bounds},
    markup::{self, Markup},
    open_document,
    panic_text::guarded,
    password,
    progress::{ProgressReporter, ReadProgress},
    sniff,
    source::{Source, SourceReader, StampedFile},
    subprocess, text, xlsb, xlsx,
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
    /// What is read: the file, or the workbook that was encrypted in it.
    source: Source,
    /// Where the bytes are from; absent for those that were in memory.
    stamped: Option<Arc<StampedFile>>,
    kind: FileKind,
    sheets: Vec<SheetEntry>,
    /// How a text is read; absent for all others.
    text: Option<TextForm>,
    /// As [`Limits::usual_encoding`].
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
    /// Takes the file in and looks at what it is and which sheets it has.
    ///
    /// # Errors
    /// Where the file can't be read, is no workbook, is damaged, or exceeds a limit.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, SheetError> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (source, stamped) = Source::open(path, limits)?;
        let workbook = Self::of(source.clone(), &name, limits).map_err(|error| source.cause(error))?;
        Ok(Self { stamped: Some(Arc::new(stamped)), ..workbook })
    }

    /// Whether the file is still as it was when its bytes were taken: to be asked once, when it was read.
    ///
    /// # Errors
    /// [`SheetError::ChangedWhileRead`]
    pub fn check_unchanged(&self) -> Result<(), SheetError> {
        self.stamped.as_ref().map_or(Ok(()), |stamped| stamped.check_unchanged())
    }

    /// The same from bytes in memory; `name` is the file's name.
    ///
    /// # Errors
    /// Where the bytes are no workbook, are damaged, or exceed a limit.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>, name: &str, limits: &Limits) -> Result<Self, SheetError> {
        Self::of(Source::of(bytes), name, limits)
    }

    fn of(file: Source, name: &str, limits: &Limits) -> Result<Self, SheetError> {
        if file.len() > limits.file_bytes {
            return Err(SheetError::too_large(Measure::FileBytes, limits.file_bytes));
        }
        let source = guarded(|| password::unlock(&file))?.unwrap_or_else(|| file.clone());
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let kind = guarded(|| sniff::sniff(&source, &extension.to_ascii_lowercase(), limits))?;
        if matches!(kind, FileKind::Xls | FileKind::Ods) && source.len() > limits.legacy_file_bytes {
            return Err(SheetError::too_large(Measure::FileBytes, limits.legacy_file_bytes));
        }
        let sheets = guarded(|| match kind {
            FileKind::Xlsx => xlsx::sheets(&source, limits),
            FileKind::Xlsb => xlsb::sheets(&source, limits),
            FileKind::Xls => xls_sheets(&source.whole()?, limits),
            FileKind::Ods => open_document::sheets(&source, limits),
            FileKind::Text => Ok(vec![SheetEntry { name: stem.to_owned(), visible: true }]),
            FileKind::Html => markup::sheets(&source.whole()?, Markup::Html, stem, limits),
            FileKind::XmlSpreadsheet => markup::sheets(&source.whole()?, Markup::XmlSpreadsheet, stem, limits),
        })?;
        if sheets.len() > limits.sheets {
            return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
        }
        if sheets.is_empty() {
            return Err(SheetError::Empty);
        }
        let text = match kind {
            FileKind::Text => Some(TextForm::of(&source, &TextChoice::default(), limits.usual_encoding)?),
            _ => None,
        };
        Ok(Self { file, source, stamped: None, kind, sheets, text, usual_encoding: limits.usual_encoding })
    }

    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// In the workbook's order.
    #[must_use]
    pub fn sheets(&self) -> &[SheetEntry] {
        &self.sheets
    }

    /// The file's bytes, as they were when it was opened.
    #[must_use]
    pub fn bytes(&self) -> SourceReader {
        self.file.reader()
    }

    /// The SHA-256 of the file's bytes, where it was found out when they were taken in: large files are gone through then anyway.
    #[must_use]
    pub fn sha256(&self) -> Option<[u8; 32]> {
        self.file.sha256()
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// How the letters and columns of a text were found, or chosen; absent for everything but a text.
    #[must_use]
    pub fn text(&self) -> Option<&TextForm> {
        self.text.as_ref()
    }

    /// From now on a text is read so. Nothing happens to any other workbook.
    ///
    /// # Errors
    /// Where there is no such encoding or separator.
    pub fn choose_text(&mut self, choice: &TextChoice) -> Result<(), SheetError> {
        if self.text.is_some() {
            let text = TextForm::of(&self.source, choice, self.usual_encoding);
            self.text = Some(text.map_err(|error| self.file.cause(error))?);
        }
        Ok(())
    }

    /// The first rows of a text as they would be with this choice, with their numbers; none for any other workbook.
    ///
    /// # Errors
    /// Where there is no such encoding or separator, or the file can't be read.
    pub fn preview_text(&self, choice: &TextChoice, most: usize) -> Result<Vec<(u32, Vec<String>)>, SheetError> {
        if self.text.is_none() {
            return Ok(Vec::new());
        }
        guarded(|| text::preview(&self.source, choice, most, self.usual_encoding))
            .map_err(|error| self.file.cause(error))
    }

    /// Reads one sheet. `cancel` is asked now and then; once it says true, reading ends with [`SheetError::Cancelled`].
    ///
    /// # Errors
    /// Where there is no such sheet, it is damaged or exceeds a limit, or reading was cancelled.
    pub fn read(&self, name: &str, limits: &Limits, cancel: &dyn Fn() -> bool) -> Result<Sheet, SheetError> {
        self.read_watched(name, limits, &|_| !cancel())
    }

    /// The same, telling how far it is and what the first rows are; once the answer is false, reading ends with
    /// [`SheetError::Cancelled`].
    ///
    /// # Errors
    /// Where there is no such sheet, it is damaged or exceeds a limit, or reading was cancelled.
    pub fn read_watched(
        &self,
        name: &str,
        limits: &Limits,
        tell: &dyn Fn(ReadProgress<'_>) -> bool,
    ) -> Result<Sheet, SheetError> {
        let progress = &ProgressReporter::new(tell);
        let position = self.sheets.iter().position(|sheet| sheet.name == name);
        let position = position.ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
        let source = &self.source;
        let markup = |markup| markup::read(&source.whole()?, markup, (position, name), limits, progress);
        guarded(|| match self.kind {
            FileKind::Xlsx => xlsx::read(source, name, limits, progress),
            FileKind::Xlsb => xlsb::read(source, name, limits, progress),
            FileKind::Xls => read_xls(&source.whole()?, name, limits, progress),
            FileKind::Ods => open_document::read(source, (position, name), limits, progress),
            FileKind::Text => {
                let form = self
                    .text
                    .clone()
                    .map_or_else(|| TextForm::of(source, &TextChoice::default(), limits.usual_encoding), Ok)?;
                text::read(source, name, &form, limits, progress)
            }
            FileKind::Html => markup(Markup::Html),
            FileKind::XmlSpreadsheet => markup(Markup::XmlSpreadsheet),
        })
        .map_err(|error| match self.file.cause(error) {
            // The file's own list names it.
            SheetError::NoSuchSheet(name) => {
                SheetError::damaged(format!("the sheet `{name}` is listed and isn't there"))
            }
            other => other,
        })
    }
}

/// Read in a process of its own where one is named and the file has more than is read in this one.
fn xls_sheets(bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let Some(process) = &limits.reader_process else { return legacy::sheets(bytes, limits) };
    let bounds = Bounds::of(bytes.len(), process.memory_bytes);
    let found = bounds.map(|bounds| legacy::sheets_within(bytes, limits, bounds)).transpose()?.flatten();
    found.map_or_else(|| subprocess::sheets(process, bytes, limits), Ok)
}

/// Likewise.
fn read_xls(bytes: &[u8], name: &str, limits: &Limits, progress: &ProgressReporter<'_>) -> Result<Sheet, SheetError> {
    let Some(process) = &limits.reader_process else { return legacy::read(bytes, name, limits, progress) };
    let bounds = Bounds::of(bytes.len(), process.memory_bytes);
    let within = bounds.map(|bounds| legacy::read_within(bytes, name, (limits, bounds), progress)).transpose()?;
    within.flatten().map_or_else(|| subprocess::read(process, bytes, name, limits, progress), Ok)
}
