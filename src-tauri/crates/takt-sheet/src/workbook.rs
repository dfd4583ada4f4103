//! A file as a workbook: looked at once, read sheet by sheet from the same bytes.
//!
//! The bytes are kept, so that what was hashed and what is read can't differ, however often the file is saved meanwhile.

use std::{
    fmt, fs,
    io::{self, Read},
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::Arc,
};

use crate::{
    Kind, Limits, Measure, Sheet, SheetEntry, SheetError, TextChoice, TextForm, apart, legacy,
    markup::{self, Markup},
    open_document, sniff, text,
    watch::{Glimpse, Watch},
    xlsb, xlsx,
};

/// An opened workbook.
#[derive(Clone)]
pub struct Workbook {
    bytes: Arc<[u8]>,
    kind: Kind,
    sheets: Vec<SheetEntry>,
    /// How a text is read; absent for all others.
    text: Option<TextForm>,
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
    /// Reads the file and looks at what it is and which sheets it has.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, SheetError> {
        let file = fs::File::open(path).map_err(SheetError::Unreadable)?;
        let facts = file.metadata().map_err(SheetError::Unreadable)?;
        if !facts.is_file() {
            return Err(SheetError::Unreadable(io::Error::new(io::ErrorKind::InvalidInput, "not a file")));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(facts.len().min(limits.file_bytes)).unwrap_or_default());
        file.take(limits.file_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(SheetError::Unreadable)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Self::from_bytes(bytes, &name, limits)
    }

    /// The same from bytes in memory; `name` is the file's name.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>, name: &str, limits: &Limits) -> Result<Self, SheetError> {
        let bytes = bytes.into();
        if bytes.len() as u64 > limits.file_bytes {
            return Err(SheetError::too_large(Measure::FileBytes, limits.file_bytes));
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let kind = guarded(|| sniff::sniff(&bytes, &extension.to_ascii_lowercase(), limits))?;
        if matches!(kind, Kind::Xls | Kind::Ods) && bytes.len() as u64 > limits.legacy_file_bytes {
            return Err(SheetError::too_large(Measure::FileBytes, limits.legacy_file_bytes));
        }
        let sheets = guarded(|| match kind {
            Kind::Xlsx => xlsx::sheets(&bytes),
            Kind::Xlsb => xlsb::sheets(&bytes),
            Kind::Xls => match &limits.apart {
                Some(apart) => apart::sheets(apart, &bytes, limits),
                None => legacy::sheets(&bytes, limits),
            },
            Kind::Ods => open_document::sheets(&bytes, limits),
            Kind::Text => Ok(vec![SheetEntry { name: stem.to_owned(), visible: true }]),
            Kind::Html => markup::sheets(&bytes, Markup::Html, stem, limits),
            Kind::XmlSpreadsheet => markup::sheets(&bytes, Markup::XmlSpreadsheet, stem, limits),
        })?;
        if sheets.len() > limits.sheets {
            return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
        }
        if sheets.is_empty() {
            return Err(SheetError::Empty);
        }
        let text = match kind {
            Kind::Text => Some(TextForm::of(&bytes, &TextChoice::default())?),
            _ => None,
        };
        Ok(Self { bytes, kind, sheets, text })
    }

    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// In the workbook's order.
    #[must_use]
    pub fn sheets(&self) -> &[SheetEntry] {
        &self.sheets
    }

    /// The file, as it was read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How the letters and columns of a text were found, or chosen; absent for everything but a text.
    #[must_use]
    pub fn text(&self) -> Option<&TextForm> {
        self.text.as_ref()
    }

    /// From now on a text is read so. Nothing happens to any other workbook.
    pub fn choose_text(&mut self, choice: &TextChoice) -> Result<(), SheetError> {
        if self.text.is_some() {
            self.text = Some(TextForm::of(&self.bytes, choice)?);
        }
        Ok(())
    }

    /// The first rows of a text as they would be with this choice, with their numbers; none for any other workbook.
    pub fn preview_text(&self, choice: &TextChoice, most: usize) -> Result<Vec<(u32, Vec<String>)>, SheetError> {
        if self.text.is_none() {
            return Ok(Vec::new());
        }
        guarded(|| text::preview(&self.bytes, choice, most))
    }

    /// Reads one sheet. `cancel` is asked now and then; once it says true, reading ends with [`SheetError::Cancelled`].
    pub fn read(&self, name: &str, limits: &Limits, cancel: &dyn Fn() -> bool) -> Result<Sheet, SheetError> {
        self.read_watched(name, limits, &|_| !cancel())
    }

    /// The same, telling how far it is and what the first rows are; once the answer is false, reading ends with
    /// [`SheetError::Cancelled`].
    pub fn read_watched(
        &self,
        name: &str,
        limits: &Limits,
        tell: &dyn Fn(Glimpse<'_>) -> bool,
    ) -> Result<Sheet, SheetError> {
        let watch = &Watch::new(tell);
        let position = self.sheets.iter().position(|sheet| sheet.name == name);
        let position = position.ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
        let markup = |markup| markup::read(&self.bytes, markup, (position, name), limits, watch);
        guarded(|| match self.kind {
            Kind::Xlsx => xlsx::read(&self.bytes, name, limits, watch),
            Kind::Xlsb => xlsb::read(&self.bytes, name, limits, watch),
            Kind::Xls => match &limits.apart {
                Some(apart) => apart::read(apart, &self.bytes, name, limits, watch),
                None => legacy::read(&self.bytes, name, limits, watch),
            },
            Kind::Ods => open_document::read(&self.bytes, name, limits, watch),
            Kind::Text => {
                let form = self.text.clone().map_or_else(|| TextForm::of(&self.bytes, &TextChoice::default()), Ok)?;
                text::read(&self.bytes, name, &form, limits, watch)
            }
            Kind::Html => markup(Markup::Html),
            Kind::XmlSpreadsheet => markup(Markup::XmlSpreadsheet),
        })
    }
}

/// The readers are others' code over hostile bytes: a panic in them is a damaged file, not Takt's end.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, SheetError>) -> Result<T, SheetError> {
    panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(SheetError::damaged("the reader gave up")))
}
