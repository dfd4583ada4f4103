//! Cells of xlsx and xlsm, streamed. One thread unpacks the sheet's part, a second one checks it, a third one reads it
//! with calamine, and a fourth one stores the cells.
//!
//! Calamine gets a package with only the parts that it needs (`package_view`). The shared texts and the sheet pass a
//! gate (`gate`), which lets only XML through that calamine reads correctly. Other parts are rewritten first
//! (`rewrite`). The list of sheets is read here (`workbook`), because calamine finds a sheet by its name alone and
//! expects some parts at fixed places.

mod cell_value;
mod gate;
mod package_view;
mod rewrite;
mod workbook;

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    io::{self, Read},
    mem,
    rc::Rc,
    sync::{
        Arc,
        atomic::AtomicU64,
        mpsc::{self, Receiver},
    },
};

use calamine::{DataRef, Reader, Xlsx, XlsxCellReader};

use self::{
    cell_value::{CellNote, NoteValue},
    gate::{Gate, Refusal, SharedGate, SheetRules, TextCount, TextRules},
    package_view::{PackageView, StreamedPart},
    rewrite::RewrittenPart,
    workbook::Workbook,
};
use crate::{
    CellKind, Limits, Sheet, SheetEntry, SheetError,
    cell_batch::{BatchReceiver, BatchSender, CellBatch, CellResolver, RawCell, RawValue, read_in_parallel},
    layout::SheetLayout,
    number_format::CellFormats,
    package::{self, BlockSender, Package},
    progress::ProgressReporter,
    shared_texts::SharedTexts,
    sheet::SheetBuilder,
    source::Source,
};

/// The sheet's name in the package that calamine gets.
const SHEET_NAME: &str = "Sheet";
const PACKAGE_RELATIONS: &str = r#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str = r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const WORKBOOK_RELATIONS: &str = r#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
const NO_STYLES: &str = "<styleSheet/>";
const EMPTY_SHEET: &str = "<worksheet><sheetData/></worksheet>";

/// Lists the sheets that have cells.
pub(crate) fn list_sheets(source: &Source, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    Ok(Workbook::read(&mut package::open(source)?, limits)?.entries())
}

/// Reads a sheet.
pub(crate) fn read_sheet(
    source: &Source,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut package = package::open(source)?;
    let workbook = Workbook::read(&mut package, limits)?;
    let path = workbook.part_name(name)?;
    let styles = read_styles(&mut package, &workbook)?;
    let formats = read_formats(styles.clone())?;
    let reading = SheetReading { source, name, limits, path, texts_path: workbook.texts_part(), styles };
    let mut rewritten = RewrittenParts::default();
    let mut resolver =
        CellResolver { formats, is_1904: workbook.is_1904, texts: &mut SharedTexts::default(), text_spans: Vec::new() };
    loop {
        let read: Arc<AtomicU64> = Arc::default();
        let packed = package::describe_part(&mut package, path).map_or(0, |part| part.packed);
        let to_read = rewritten.sheet.as_ref().map_or(packed, |sheet| sheet.length);
        progress.set_counter(Arc::clone(&read), to_read);
        let mut builder = SheetBuilder::new(name, limits, progress);
        let store = |batches: BatchReceiver| batches.store_all(|batch| resolver.put_batch(batch, &mut builder));
        match read_in_parallel(|batches| reading.read(&mut rewritten, &read, &batches), store)? {
            ReadEnd::Complete(layout) => {
                builder.layout = layout;
                return builder.finish();
            }
            ReadEnd::Irregular(part) => {
                let result = reading.rewrite(part, &mut rewritten, progress);
                // Canceling also makes the reading of a part fail.
                result.map_err(|error| if progress.is_cancelled() { SheetError::Cancelled } else { error })?;
            }
        }
    }
}

/// A part that calamine could misread.
#[derive(Debug, Clone, Copy)]
enum IrregularPart {
    SharedTexts,
    /// With the number of shared texts.
    Sheet(u64),
}

enum ReadEnd {
    Complete(SheetLayout),
    Irregular(IrregularPart),
}

/// The parts that had to be rewritten.
#[derive(Default)]
struct RewrittenParts {
    texts: Option<RewrittenPart>,
    sheet: Option<RewrittenPart>,
}

/// The parts and limits for reading a sheet.
struct SheetReading<'s> {
    source: &'s Source,
    name: &'s str,
    limits: &'s Limits,
    path: &'s str,
    texts_path: &'s str,
    styles: Vec<u8>,
}

impl SheetReading<'_> {
    /// Sends all cells to `batches`. `read` counts the bytes that are read of the sheet's part, packed or rewritten.
    fn read(
        &self,
        rewritten: &mut RewrittenParts,
        read: &Arc<AtomicU64>,
        batches: &BatchSender,
    ) -> Result<ReadEnd, SheetError> {
        let mut texts_package = package::open(self.source)?;
        let texts = match &mut rewritten.texts {
            Some(texts) => {
                let StreamedPart { reader, length, crc32 } = texts.stream()?;
                let reader: Box<dyn Read> = Box::new(reader);
                Some(StreamedPart { reader, length, crc32 })
            }
            None => {
                let described = package::describe_part(&mut texts_package, self.texts_path);
                package::open_part(&mut texts_package, self.texts_path)?.zip(described).map(|(part, described)| {
                    let reader: Box<dyn Read> = Box::new(part);
                    StreamedPart { reader, length: described.length, crc32: described.crc32 }
                })
            }
        };
        if let Some(sheet) = &mut rewritten.sheet {
            let notes = std::mem::take(&mut sheet.notes);
            let sheet = sheet.stream()?.count_bytes(read);
            return self.read_parts(texts, sheet, Some(notes), batches);
        }
        let mut package = package::open_counted(self.source, read)?;
        let described = package::describe_part(&mut package, self.path);
        let described = described.ok_or_else(|| SheetError::missing_part(self.path))?;
        package::read_unpacked(package, self.path, self.limits.unpacked_bytes, |part| {
            let sheet = StreamedPart { reader: part, length: described.length, crc32: described.crc32 };
            self.read_parts(texts, sheet, None, batches)
        })
    }

    fn read_parts(
        &self,
        texts: Option<StreamedPart<Box<dyn Read + '_>>>,
        sheet: StreamedPart<impl Read + Send>,
        known_notes: Option<Vec<CellNote>>,
        batches: &BatchSender,
    ) -> Result<ReadEnd, SheetError> {
        let text_count = Rc::new(RefCell::new(0));
        let texts = texts.map(|texts| GatedTexts::new(texts, self.limits, Rc::clone(&text_count)));
        let (text_count_sender, text_count_receiver) = mpsc::channel();
        let (note_sender, notes) = mpsc::channel();
        let rules =
            SheetRules::new(self.name, self.limits, TextCount::new(text_count_receiver), known_notes, note_sender);
        let StreamedPart { reader, length, crc32 } = sheet;
        let check = move |blocks: &BlockSender| {
            let mut gate = Gate::new(reader, rules);
            blocks.send_all(&mut gate);
            (gate.refusal.take(), mem::take(&mut gate.rules.layout))
        };
        let ((refused_sheet, layout), (read, has_reached_refusal)) = package::read_from_thread(check, |mut part| {
            let has_failed = Cell::new(false);
            let sheet =
                StreamedPart { reader: FailureRecorder { part: &mut part, has_failed: &has_failed }, length, crc32 };
            let read = self.calamine_package(texts.as_ref(), sheet).and_then(|view| {
                let workbook = Xlsx::new(view).map_err(SheetError::damaged)?;
                let texts_end = texts.as_ref().map_or(Ok(()), GatedTexts::read_rest);
                texts_end.map_err(|error| error.in_part(self.texts_path))?;
                let _ = text_count_sender.send(*text_count.borrow());
                read_cells(workbook, notes, batches)
            });
            // Otherwise the checking thread would keep waiting for the count.
            drop(text_count_sender);
            if read.is_ok() {
                // The gate collects the layout after the cells. If it refuses the part there, the refusal is handled
                // below.
                let _ = io::copy(&mut part, &mut io::sink());
            }
            (read, has_failed.get())
        });
        // The gate reads ahead of calamine. So if calamine ended before the refused piece, the refusal applies only if
        // it is an error, such as a fault after the cells.
        let refused_sheet = refused_sheet
            .filter(|refusal| has_reached_refusal || read.is_ok() && matches!(refusal, Refusal::Failed(_)));
        // If a gate refused, calamine's error is only the consequence.
        match texts.and_then(|texts| texts.take_refusal()) {
            Some(Refusal::Irregular) => return Ok(ReadEnd::Irregular(IrregularPart::SharedTexts)),
            Some(Refusal::Failed(error)) => return Err(error.in_part(self.texts_path)),
            None => {}
        }
        match refused_sheet {
            Some(Refusal::Irregular) => Ok(ReadEnd::Irregular(IrregularPart::Sheet(*text_count.borrow()))),
            Some(Refusal::Failed(error)) => Err(error.in_part(self.path)),
            None => read.map(|()| ReadEnd::Complete(layout)),
        }
    }

    fn calamine_package<'v, 'p: 'v>(
        &self,
        texts: Option<&GatedTexts<'p>>,
        sheet: StreamedPart<impl Read + 'v>,
    ) -> Result<PackageView<'v>, SheetError> {
        let mut view = new_package_view(self.styles.clone())?;
        if let Some(texts) = texts {
            view.add_stream("xl/sharedStrings.xml", texts.stream())?;
        }
        view.add_stream("xl/worksheets/sheet1.xml", sheet)?;
        view.finish()
    }

    /// Rewrites a part. A part that is still irregular after rewriting is an error.
    fn rewrite(
        &self,
        part: IrregularPart,
        rewritten: &mut RewrittenParts,
        progress: &ProgressReporter<'_>,
    ) -> Result<(), SheetError> {
        let path = if matches!(part, IrregularPart::SharedTexts) { self.texts_path } else { self.path };
        let read = Arc::default();
        let mut package = package::open_counted(self.source, &read)?;
        progress.set_counter(read, package::describe_part(&mut package, path).map_or(0, |part| part.packed));
        let read = package::read_part(&mut package, path, |source| {
            let source = CancelablePart { part: source, progress };
            match part {
                IrregularPart::SharedTexts if rewritten.texts.is_none() => {
                    rewritten.texts = Some(rewrite::rewrite_shared_texts(source, self.limits)?);
                }
                IrregularPart::Sheet(texts) if rewritten.sheet.is_none() => {
                    rewritten.sheet = Some(rewrite::rewrite_sheet(source, texts, self.limits)?);
                }
                IrregularPart::SharedTexts | IrregularPart::Sheet(_) => {
                    return Err(SheetError::Unsupported("XML that can't be brought into the usual form"));
                }
            }
            Ok(())
        });
        read?.ok_or_else(|| SheetError::missing_part(path))
    }
}

/// A part whose reading reports its progress and can be canceled.
struct CancelablePart<'w, 'p, P> {
    part: P,
    progress: &'w ProgressReporter<'p>,
}

impl<P: Read> Read for CancelablePart<'_, '_, P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.is_cancelled() { Err(io::Error::other(SheetError::Cancelled)) } else { self.part.read(buffer) }
    }
}

/// A part that records whether reading it failed.
struct FailureRecorder<'f, P> {
    part: P,
    has_failed: &'f Cell<bool>,
}

impl<P: Read> Read for FailureRecorder<'_, P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.part.read(buffer).inspect_err(|_| self.has_failed.set(true))
    }
}

/// The shared texts, which calamine reads through a gate.
struct GatedTexts<'p> {
    gate: Rc<RefCell<Gate<'p, TextRules<'p>>>>,
    length: u64,
    crc32: u32,
}

impl<'p> GatedTexts<'p> {
    fn new(part: StreamedPart<Box<dyn Read + 'p>>, limits: &'p Limits, count: Rc<RefCell<u64>>) -> Self {
        let rules = TextRules::new(limits, part.length, count);
        let gate = Rc::new(RefCell::new(Gate::new(part.reader, rules)));
        Self { gate, length: part.length, crc32: part.crc32 }
    }

    fn stream(&self) -> StreamedPart<SharedGate<'p, TextRules<'p>>> {
        StreamedPart { reader: SharedGate(Rc::clone(&self.gate)), length: self.length, crc32: self.crc32 }
    }

    /// Reads the part after the last text, because its checksum is compared at its end.
    fn read_rest(&self) -> Result<(), SheetError> {
        package::drain_part(self.gate.borrow_mut().unchecked_rest())
    }

    fn take_refusal(&self) -> Option<Refusal> {
        self.gate.borrow_mut().refusal.take()
    }
}

/// Returns a package for calamine without a sheet.
fn new_package_view<'p>(styles: Vec<u8>) -> Result<PackageView<'p>, SheetError> {
    let mut view = PackageView::default();
    view.add_bytes("_rels/.rels", PACKAGE_RELATIONS.into())?;
    view.add_bytes("xl/workbook.xml", WORKBOOK.into())?;
    view.add_bytes("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS.into())?;
    view.add_bytes("xl/styles.xml", styles)?;
    Ok(view)
}

fn read_cells(
    mut workbook: Xlsx<PackageView<'_>>,
    notes: Receiver<CellNote>,
    batches: &BatchSender,
) -> Result<(), SheetError> {
    let cells = workbook.worksheet_cells_reader(SHEET_NAME).map_err(SheetError::damaged)?;
    let mut cells = CellReader::new(cells, notes);
    batches.send_all(|batch, count| cells.fill(batch, count))
}

/// Returns the styles in a form that calamine reads. If a workbook has none, its cells have no formats.
fn read_styles(package: &mut Package, workbook: &Workbook) -> Result<Vec<u8>, SheetError> {
    let styles = package::read_part(package, workbook.styles_part(), |part| rewrite::rewrite_styles(part))?;
    styles.map_or_else(|| rewrite::rewrite_styles(NO_STYLES.as_bytes()), Ok)
}

/// Returns the number format of each cell format.
fn read_formats(styles: Vec<u8>) -> Result<CellFormats, SheetError> {
    let mut view = new_package_view(styles)?;
    view.add_bytes("xl/worksheets/sheet1.xml", EMPTY_SHEET.into())?;
    let mut workbook = Xlsx::new(view.finish()?).map_err(SheetError::damaged)?;
    let cells = workbook.worksheet_cells_reader(SHEET_NAME).map_err(SheetError::damaged)?;
    let codes =
        cells.styles().iter().map(|style| style.number_format.as_ref().map_or("", |format| &format.format_code));
    Ok(CellFormats::from_codes(codes))
}

/// Reads the cells of one sheet in the order of the file.
struct CellReader<'x, 'p> {
    cells: XlsxCellReader<'x, PackageView<'p>>,
    notes: Receiver<CellNote>,
    /// Notes that were received before their cells.
    pending_notes: VecDeque<CellNote>,
    /// The number of cells that were read.
    count: u64,
}

impl<'x, 'p> CellReader<'x, 'p> {
    fn new(cells: XlsxCellReader<'x, PackageView<'p>>, notes: Receiver<CellNote>) -> Self {
        Self { cells, notes, pending_notes: VecDeque::new(), count: 0 }
    }

    /// Adds cells with content to the batch until it is full. Returns false after the last cell.
    fn fill(&mut self, batch: &mut CellBatch, cells: usize) -> Result<bool, SheetError> {
        while !batch.is_full(cells) {
            let next = self.cells.next_cell_with_style_id().map_err(SheetError::damaged)?;
            let Some((cell, format)) = next else { return Ok(false) };
            self.pending_notes.extend(self.notes.try_iter());
            let note = self.pending_notes.pop_front_if(|note| note.cell == self.count);
            self.count += 1;
            let value = match note {
                Some(note) => Some(to_raw_value(&note.value, batch)),
                None => read_value(cell.get_value(), batch)?,
            };
            match value {
                Some(value) => {
                    let ((row, column), format) = (cell.get_position(), u32::try_from(format).unwrap_or(u32::MAX));
                    batch.cells.push(RawCell { row, column, format, value });
                }
                None => batch.steps += 1,
            }
        }
        Ok(true)
    }
}

fn to_raw_value(value: &NoteValue, batch: &mut CellBatch) -> RawValue {
    match value {
        NoteValue::UncalculatedFormula => RawValue::UncalculatedFormula,
        NoteValue::Unreadable => RawValue::Unreadable,
        NoteValue::Error(name) => add_error(name, batch),
        NoteValue::Number(number) => RawValue::Number(*number),
    }
}

/// Returns the value of a cell, or `None` if it is empty. Calamine's detection of dates is ignored, because the number
/// format decides.
fn read_value(value: &DataRef<'_>, batch: &mut CellBatch) -> Result<Option<RawValue>, SheetError> {
    Ok(Some(match value {
        DataRef::Empty => return Ok(None),
        DataRef::Float(number) => RawValue::Number(*number),
        DataRef::DateTime(moment) => RawValue::Number(moment.as_f64()),
        DataRef::SharedString(text) => add_text(text, batch),
        DataRef::String(text) => add_text(text, batch),
        DataRef::Bool(truth) => RawValue::Boolean(*truth),
        DataRef::Error(kind) => add_error(&kind.to_string(), batch),
        DataRef::DateTimeIso(moment) | DataRef::DurationIso(moment) => {
            let (start, end) = batch.add_text(moment);
            RawValue::IsoDate(start, end)
        }
        DataRef::Int(number) => return Err(SheetError::damaged(format_args!("{number} is no number of an xlsx"))),
    }))
}

fn add_text(text: &str, batch: &mut CellBatch) -> RawValue {
    let (start, end) = batch.add_text(text);
    RawValue::Text(start, end)
}

fn add_error(name: &str, batch: &mut CellBatch) -> RawValue {
    let (start, end) = batch.add_text(name);
    RawValue::Error(start, end)
}

/// Finds the cells of a workbook that are dates.
pub(crate) struct DateCells {
    sheets: Vec<String>,
    formats: CellFormats,
    is_1904: bool,
}

impl DateCells {
    pub(crate) fn read(package: &mut Package, limits: &Limits) -> Result<Self, SheetError> {
        let workbook = Workbook::read(package, limits)?;
        let sheets =
            workbook.entries().into_iter().filter_map(|entry| workbook.part_name(&entry.name).ok().map(str::to_owned));
        let formats = read_formats(read_styles(package, &workbook)?)?;
        Ok(Self { sheets: sheets.collect(), formats, is_1904: workbook.is_1904 })
    }

    /// Returns whether the part with this name is a sheet.
    pub(crate) fn is_sheet(&self, part: &str) -> bool {
        self.sheets.iter().any(|sheet| sheet.eq_ignore_ascii_case(part))
    }

    /// Returns the kind of a number in this cell format.
    pub(crate) fn kind(&self, format: usize, value: f64) -> CellKind {
        self.formats.with_cell(format, value, self.is_1904, |cell| cell.kind())
    }
}
