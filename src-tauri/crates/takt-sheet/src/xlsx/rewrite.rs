//! Rewrites parts in a form that calamine reads correctly. The result is UTF-8 without prefixes, comments or CDATA.
//! Each cell has its address. References are replaced by their characters, and ignorable spaces around texts are
//! removed.
//!
//! A value that calamine has no type for becomes a [`CellNote`].

use std::io::{Read, Seek, SeekFrom, Write};

use crc32fast::Hasher;
use quick_xml::{
    escape::escape,
    events::{BytesStart, Event},
};
use tempfile::SpooledTempFile;

use super::{
    cell_value::{CellNote, CellType, KNOWN_ERRORS, NoteValue, is_number, is_plain_iso_date, is_true},
    gate::second_cell_list_error,
    package_view::StreamedPart,
};
use crate::{
    LimitKind, Limits, MergedRange, SheetError, column_letters,
    namespaces::PartElementFilter,
    number_format,
    xml_text::{self, XmlReader, keeps_blanks, parse_number, plain_attribute, push_reference},
};

/// A larger part is written to a file.
const MAX_MEMORY_BYTES: usize = 32 * 1024 * 1024;
/// No workbook has a format with a larger number.
const MAX_FORMAT_NUMBER: u32 = 999_999_999;
/// Excel allows 65,490.
const MAX_CELL_FORMATS: usize = 65_536;
/// The pieces of markup that are allowed for each cell.
const STEPS_PER_CELL: u64 = 16;
/// The maximum depth of elements within a text.
const MAX_TEXT_DEPTH: usize = 60;
/// The largest number of a built-in format.
const MAX_BUILTIN_FORMAT: u32 = 163;
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A part that was rewritten.
pub(super) struct RewrittenPart {
    content: SpooledTempFile,
    pub(super) length: u64,
    crc32: u32,
    pub(super) notes: Vec<CellNote>,
}

impl RewrittenPart {
    /// Returns the part from its start.
    pub(super) fn stream(&mut self) -> Result<StreamedPart<&mut SpooledTempFile>, SheetError> {
        self.content.seek(SeekFrom::Start(0)).map_err(SheetError::Unreadable)?;
        Ok(StreamedPart { reader: &mut self.content, length: self.length, crc32: self.crc32 })
    }
}

/// The file that a part is written to.
struct PartWriter {
    content: SpooledTempFile,
    length: u64,
    hasher: Hasher,
    limit: u64,
}

impl PartWriter {
    /// Creates the file in the folder for copies, if there is one.
    fn new(limits: &Limits) -> Self {
        let content = match &limits.copy_folder {
            Some(folder) => tempfile::spooled_tempfile_in(MAX_MEMORY_BYTES, folder),
            None => tempfile::spooled_tempfile(MAX_MEMORY_BYTES),
        };
        Self { content, length: 0, hasher: Hasher::new(), limit: limits.unpacked_bytes }
    }

    fn write(&mut self, text: &str) -> Result<(), SheetError> {
        self.length += text.len() as u64;
        if self.length > self.limit {
            return Err(SheetError::too_large(LimitKind::UnpackedBytes, self.limit));
        }
        self.hasher.update(text.as_bytes());
        self.content.write_all(text.as_bytes()).map_err(SheetError::Unreadable)
    }

    /// Writes a text with escapes.
    fn write_text(&mut self, text: &str) -> Result<(), SheetError> {
        let escaped = escape(text);
        if escaped.contains('\r') { self.write(&escaped.replace('\r', "&#13;")) } else { self.write(&escaped) }
    }

    fn finish(self, notes: Vec<CellNote>) -> RewrittenPart {
        RewrittenPart { content: self.content, length: self.length, crc32: self.hasher.finalize(), notes }
    }
}

/// Rewrites the styles. The result contains the number formats, including built-in ones, and the cell formats that
/// refer to them.
///
/// # Errors
/// If the part is damaged, or has more than [`MAX_CELL_FORMATS`] cell formats.
pub(super) fn rewrite_styles(part: impl Read) -> Result<Vec<u8>, SheetError> {
    let mut out = String::from("<styleSheet><numFmts>");
    let format = |id: u32, code: &str| format!("<numFmt numFmtId=\"{id}\" formatCode=\"{}\"/>", escape(code));
    for id in 0..=MAX_BUILTIN_FORMAT {
        out.extend(number_format::builtin_code(id).map(|code| format(id, code)));
    }
    out.push_str("</numFmts>");
    let mut reader = xml_text::new_reader(part)?;
    let mut elements = PartElementFilter::default();
    let mut buffer = Vec::new();
    let (mut parent, mut count) = (String::new(), 0);
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(SheetError::damaged)?;
        if !elements.includes(&event)? {
            continue;
        }
        match event {
            Event::Start(start) => {
                let id = plain_attribute(&start, "numFmtId").map(|id| id.trim().parse::<u32>());
                let id = id.transpose().map_err(|_| SheetError::damaged("a cell format has no valid number"))?;
                match (parent.as_str(), start.local_name().as_ref()) {
                    ("", name @ ("numFmts" | "cellXfs" | "dxfs")) => {
                        parent = name.to_owned();
                        out.push_str(match name {
                            "numFmts" => "<numFmts>",
                            "cellXfs" => "<cellXfs>",
                            _ => "",
                        });
                    }
                    ("numFmts" | "", "numFmt") => {
                        let (id, code) = id
                            .zip(plain_attribute(&start, "formatCode"))
                            .ok_or_else(|| SheetError::damaged("a number format has no number or code"))?;
                        out.push_str(&format(id, &code));
                    }
                    ("cellXfs", "xf") if count >= MAX_CELL_FORMATS => {
                        return Err(SheetError::damaged("there are too many cell formats"));
                    }
                    ("cellXfs", "xf") => {
                        count += 1;
                        out.push_str(&format!("<xf numFmtId=\"{}\"/>", id.unwrap_or_default()));
                    }
                    _ => {}
                }
            }
            Event::End(end) if end.local_name().as_ref() == parent => {
                out.push_str(match parent.as_str() {
                    "numFmts" => "</numFmts>",
                    "cellXfs" => "</cellXfs>",
                    _ => "",
                });
                if parent == "cellXfs" {
                    break;
                }
                parent.clear();
            }
            Event::End(end) if end.local_name().as_ref() == "styleSheet" => break,
            Event::Eof => return Err(SheetError::damaged("the cell formats are cut off")),
            _ => {}
        }
    }
    out.push_str("</styleSheet>");
    Ok(out.into_bytes())
}

/// Rewrites the shared texts.
pub(super) fn rewrite_shared_texts(part: impl Read, limits: &Limits) -> Result<RewrittenPart, SheetError> {
    let mut source = XmlSource::new(part, limits)?;
    let mut out = PartWriter::new(limits);
    let mut preserves = false;
    out.write("<sst>")?;
    loop {
        match source.next_tag()? {
            ElementTag::Start(start) => match start.local_name().as_ref() {
                "sst" => preserves = keeps_blanks(&start).unwrap_or_default(),
                "si" => {
                    let runs = read_runs(&mut source, "si", keeps_blanks(&start).unwrap_or(preserves))?;
                    out.write("<si>")?;
                    write_runs(&runs, &mut out)?;
                    out.write("</si>")?;
                    source.steps = source.steps.saturating_sub(STEPS_PER_CELL);
                }
                _ => {}
            },
            ElementTag::End(name) if name == "sst" => break,
            ElementTag::End(_) => {}
            ElementTag::EndOfPart => return Err(SheetError::damaged("the shared texts are cut off")),
        }
    }
    out.write("</sst>")?;
    Ok(out.finish(Vec::new()))
}

/// Rewrites the cells of a sheet, and its hidden rows, hidden columns and merged cells. `text_count` is the number of
/// shared texts.
pub(super) fn rewrite_sheet(part: impl Read, text_count: u64, limits: &Limits) -> Result<RewrittenPart, SheetError> {
    let rewriter = SheetRewriter {
        source: XmlSource::new(part, limits)?,
        out: PartWriter::new(limits),
        text_count,
        row: 0,
        column: 0,
        is_row_open: false,
        last_row: 0,
        keeps_blanks: false,
        cells: 0,
        notes: Vec::new(),
    };
    rewriter.rewrite()
}

/// The tag of an element of the part's vocabulary.
enum ElementTag {
    Start(BytesStart<'static>),
    /// The local name.
    End(String),
    EndOfPart,
}

/// Reads the elements of a part's vocabulary. The part may have any encoding.
struct XmlSource<'p> {
    reader: XmlReader<'p>,
    elements: PartElementFilter,
    buffer: Vec<u8>,
    limits: &'p Limits,
    /// The pieces of markup that were read and contained no cell.
    steps: u64,
}

impl<'p> XmlSource<'p> {
    fn new(part: impl Read + 'p, limits: &'p Limits) -> Result<Self, SheetError> {
        let (elements, buffer) = (PartElementFilter::default(), Vec::new());
        Ok(Self { reader: xml_text::new_reader(part)?, elements, buffer, limits, steps: 0 })
    }

    /// Returns the next event, or `None` if it isn't part of the vocabulary.
    fn next_event(&mut self) -> Result<Option<Event<'_>>, SheetError> {
        self.steps += 1;
        if self.steps > self.limits.cells.saturating_mul(2) {
            return Err(SheetError::too_large(LimitKind::Cells, self.limits.cells));
        }
        self.buffer.clear();
        let event = self.reader.read_event_into(&mut self.buffer).map_err(SheetError::damaged)?;
        Ok(self.elements.includes(&event)?.then_some(event))
    }

    /// Returns the tag of the next element of the vocabulary.
    fn next_tag(&mut self) -> Result<ElementTag, SheetError> {
        loop {
            match self.next_event()? {
                Some(Event::Start(start)) => return Ok(ElementTag::Start(start.into_owned())),
                Some(Event::End(end)) => return Ok(ElementTag::End(end.local_name().as_ref().to_owned())),
                Some(Event::Eof) => return Ok(ElementTag::EndOfPart),
                _ => {}
            }
        }
    }

    /// Skips the content of the element that was just entered.
    fn skip_element(&mut self) -> Result<(), SheetError> {
        let mut depth = 1_u32;
        while depth > 0 {
            match self.next_tag()? {
                ElementTag::Start(_) => depth += 1,
                ElementTag::End(_) => depth -= 1,
                ElementTag::EndOfPart => return Err(SheetError::damaged("a part is cut off")),
            }
        }
        Ok(())
    }

    /// Reads the text up to the end of an element.
    fn read_text(&mut self, name: &str) -> Result<String, SheetError> {
        let limit = self.limits.text_bytes;
        let mut text = String::new();
        loop {
            match self.next_event()? {
                Some(Event::Text(part)) => text.push_str(&part.xml10_content()),
                Some(Event::CData(part)) => text.push_str(&part.xml10_content()),
                Some(Event::GeneralRef(reference)) => push_reference(&reference, &mut text)?,
                Some(Event::End(end)) if end.local_name().as_ref() == name => return Ok(text),
                Some(Event::Eof) => return Err(SheetError::damaged(format_args!("{name} is cut off"))),
                _ => {}
            }
            if text.len() > limit {
                return Err(SheetError::too_large(LimitKind::TextBytes, limit as u64));
            }
        }
    }
}

/// Reads the `t` elements up to the end of the element `closing`, except those of the pronunciation. Blanks around a
/// text are preserved if `xml:space` of the element or of an element around it requires it.
fn read_runs(source: &mut XmlSource<'_>, closing: &str, preserves: bool) -> Result<Vec<String>, SheetError> {
    let limit = source.limits.text_bytes;
    let (mut runs, mut preserves_stack, mut phonetic_depth, mut bytes) = (Vec::new(), vec![preserves], 0_u32, 0);
    loop {
        match source.next_tag()? {
            ElementTag::Start(start) => {
                let preserves = keeps_blanks(&start).or(preserves_stack.last().copied()).unwrap_or_default();
                match start.local_name().as_ref() {
                    "t" => {
                        let text = source.read_text("t")?;
                        let text = if preserves { text.as_str() } else { text.trim_matches(BLANKS) };
                        if phonetic_depth == 0 {
                            bytes += text.len();
                            runs.push(text.to_owned());
                        }
                        if bytes > limit {
                            return Err(SheetError::too_large(LimitKind::TextBytes, limit as u64));
                        }
                        continue;
                    }
                    "rPh" => phonetic_depth += 1,
                    _ => {}
                }
                if preserves_stack.len() > MAX_TEXT_DEPTH {
                    return Err(SheetError::damaged("a text is nested too deeply"));
                }
                preserves_stack.push(preserves);
            }
            ElementTag::End(name) if name == closing => return Ok(runs),
            ElementTag::End(name) => {
                phonetic_depth = phonetic_depth.saturating_sub(u32::from(name == "rPh"));
                preserves_stack.pop();
            }
            ElementTag::EndOfPart => return Err(SheetError::damaged("a text is cut off")),
        }
    }
}

fn write_runs(runs: &[String], out: &mut PartWriter) -> Result<(), SheetError> {
    for run in runs {
        out.write("<r><t xml:space=\"preserve\">")?;
        out.write_text(run)?;
        out.write("</t></r>")?;
    }
    Ok(())
}

struct SheetRewriter<'p> {
    source: XmlSource<'p>,
    out: PartWriter,
    text_count: u64,
    /// The 0-based address of the next cell without its own address.
    row: u32,
    column: u32,
    is_row_open: bool,
    /// The 0-based row of the row or cell that was written last.
    last_row: u32,
    /// Whether blanks around texts are preserved, according to the elements around the cells.
    keeps_blanks: bool,
    /// The number of cells that were written.
    cells: u64,
    notes: Vec<CellNote>,
}

#[derive(Default)]
struct CellAttributes {
    format: u32,
    cell_type: CellType,
    keeps_blanks: Option<bool>,
}

#[derive(Default)]
struct CellContent {
    has_formula: bool,
    /// The value with decoded references.
    value: Option<String>,
    /// The pieces of its inline text.
    inline: Option<Vec<String>>,
}

impl SheetRewriter<'_> {
    fn rewrite(mut self) -> Result<RewrittenPart, SheetError> {
        self.out.write("<worksheet>")?;
        while self.write_before_cells()? {}
        self.out.write("<sheetData>")?;
        while self.write_rows()? {}
        self.close_row()?;
        self.out.write("</sheetData>")?;
        // XML that can't be read after the cells is ignored, because all rows are written. A second list of cells is an
        // error.
        while self.write_after_cells()? {}
        self.out.write("</worksheet>")?;
        Ok(self.out.finish(self.notes))
    }

    /// Writes the next element before the cells. Returns false when the cells begin.
    fn write_before_cells(&mut self) -> Result<bool, SheetError> {
        let start = match self.source.next_tag()? {
            ElementTag::Start(start) => start,
            ElementTag::End(_) => return Ok(true),
            ElementTag::EndOfPart => return Err(SheetError::damaged("a sheet's part has no cells")),
        };
        match start.local_name().as_ref() {
            name @ ("worksheet" | "sheetData") => {
                self.keeps_blanks = keeps_blanks(&start).unwrap_or(self.keeps_blanks);
                Ok(name != "sheetData")
            }
            _ => self.write_layout(&start).map(|()| true),
        }
    }

    /// Writes hidden columns and merged cells.
    fn write_layout(&mut self, start: &BytesStart<'_>) -> Result<(), SheetError> {
        match start.local_name().as_ref() {
            "col" => {
                let Some((first, last)) = hidden_columns(start) else { return Ok(()) };
                self.out.write(&format!("<cols><col min=\"{first}\" max=\"{last}\" hidden=\"1\"/></cols>"))
            }
            "mergeCell" => {
                let range = plain_attribute(start, "ref").filter(|range| MergedRange::parse(range).is_some());
                let Some(range) = range else { return Ok(()) };
                self.out.write("<mergeCells><mergeCell ref=\"")?;
                self.out.write_text(&range)?;
                self.out.write("\"/></mergeCells>")
            }
            _ => Ok(()),
        }
    }

    /// Writes the next row or cell. Returns false when the cells end.
    fn write_rows(&mut self) -> Result<bool, SheetError> {
        match self.source.next_tag()? {
            ElementTag::Start(start) => match start.local_name().as_ref() {
                "row" => self.start_row(&start)?,
                "c" => self.write_cell(&start)?,
                _ => {}
            },
            ElementTag::End(name) => match name.as_str() {
                "row" => {
                    self.close_row()?;
                    (self.row, self.column) = (self.row.saturating_add(1), 0);
                }
                "sheetData" => return Ok(false),
                _ => {}
            },
            ElementTag::EndOfPart => return Err(SheetError::damaged("a sheet's cells are cut off")),
        }
        Ok(true)
    }

    /// Writes the next element after the cells. Returns false at the end of the part, or if the rest can't be read.
    fn write_after_cells(&mut self) -> Result<bool, SheetError> {
        let start = match self.source.next_tag() {
            Ok(ElementTag::Start(start)) => start,
            Ok(ElementTag::End(_)) => return Ok(true),
            Ok(ElementTag::EndOfPart) | Err(_) => return Ok(false),
        };
        if start.local_name().as_ref() == "sheetData" && matches!(self.source.next_tag(), Ok(ElementTag::Start(_))) {
            return Err(second_cell_list_error());
        }
        self.write_layout(&start).map(|()| true)
    }

    fn start_row(&mut self, start: &BytesStart<'_>) -> Result<(), SheetError> {
        let mut is_hidden = false;
        for found in start.attributes().with_checks(false).flatten() {
            match found.key.as_ref() {
                "r" => self.row = self.parse_row_number(found.value.trim())?,
                "hidden" => is_hidden = is_true(&found.value),
                _ => {}
            }
        }
        self.column = 0;
        self.open_row(is_hidden)
    }

    fn open_row(&mut self, is_hidden: bool) -> Result<(), SheetError> {
        self.close_row()?;
        if self.row >= self.source.limits.rows {
            return Err(SheetError::too_large(LimitKind::Rows, self.source.limits.rows));
        }
        let hidden = if is_hidden { " hidden=\"1\"" } else { "" };
        self.out.write(&format!("<row r=\"{}\"{hidden}>", self.row + 1))?;
        (self.is_row_open, self.last_row) = (true, self.row);
        Ok(())
    }

    fn close_row(&mut self) -> Result<(), SheetError> {
        if std::mem::take(&mut self.is_row_open) { self.out.write("</row>") } else { Ok(()) }
    }

    /// Parses a row number and returns it 0-based. An impossible number is refused, because it mustn't be read as
    /// another row.
    fn parse_row_number(&self, digits: &str) -> Result<u32, SheetError> {
        let limit = self.source.limits.rows;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(SheetError::damaged(format_args!("{digits:?} is no row number")));
        }
        let number = digits.parse::<u32>().ok().filter(|&number| number <= limit);
        let number = number.ok_or_else(|| SheetError::too_large(LimitKind::Rows, limit))?;
        number.checked_sub(1).ok_or_else(|| SheetError::damaged("there is no row 0"))
    }

    fn move_to(&mut self, address: &str) -> Result<(), SheetError> {
        let letters = address.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (letters, digits) = address.split_at(letters);
        self.row = self.parse_row_number(digits)?;
        let column = crate::column_index(letters);
        let limit = self.source.limits.columns;
        if column.is_some_and(|column| column >= limit) || letters.len() > 3 {
            return Err(SheetError::too_large(LimitKind::Columns, limit));
        }
        self.column = column.ok_or_else(|| SheetError::damaged(format_args!("{address:?} is no place")))?;
        Ok(())
    }

    /// Reads the attributes of a cell. Its address becomes the current one.
    fn read_attributes(&mut self, start: &BytesStart<'_>) -> Result<CellAttributes, SheetError> {
        let mut attributes = CellAttributes::default();
        for found in start.attributes().with_checks(false).flatten() {
            match found.key.as_ref() {
                "r" => self.move_to(found.value.trim())?,
                "s" => {
                    let number: usize = found.value.trim().parse().unwrap_or_default();
                    attributes.format = u32::try_from(number).unwrap_or(MAX_FORMAT_NUMBER).min(MAX_FORMAT_NUMBER);
                }
                "t" => attributes.cell_type = CellType::from_attribute(&found.value),
                "xml:space" => attributes.keeps_blanks = Some(&*found.value == "preserve"),
                _ => {}
            }
        }
        Ok(attributes)
    }

    /// Writes the cell that has just begun if it has content.
    fn write_cell(&mut self, start: &BytesStart<'_>) -> Result<(), SheetError> {
        let attributes = self.read_attributes(start)?;
        let content = self.read_content(&attributes)?;
        let address = (self.row, self.column);
        self.column = self.column.saturating_add(1);
        let written = to_written_value(&attributes, content, self.text_count);
        // An empty cell in another row is written, because it changes the number of the next row.
        if written.is_none() && self.last_row == address.0 {
            return Ok(());
        }
        if !self.is_row_open {
            self.open_row(false)?;
        }
        self.source.steps = self.source.steps.saturating_sub(STEPS_PER_CELL);
        let (letters, number, format) = (column_letters(address.1), address.0 + 1, attributes.format);
        self.out.write(&format!("<c r=\"{letters}{number}\" s=\"{format}\""))?;
        match written {
            Some(WrittenValue::Typed { cell_type, text }) => {
                self.out.write(&format!(" t=\"{cell_type}\"><v>"))?;
                self.out.write_text(&text)?;
                self.out.write("</v></c>")?;
            }
            Some(WrittenValue::Inline(runs)) => {
                self.out.write(" t=\"inlineStr\"><is>")?;
                write_runs(&runs, &mut self.out)?;
                self.out.write("</is></c>")?;
            }
            Some(WrittenValue::Note(NoteValue::UncalculatedFormula)) => self.out.write("><f/></c>")?,
            Some(WrittenValue::Note(value)) => {
                self.out.write("/>")?;
                self.notes.push(CellNote { cell: self.cells, value });
            }
            None => self.out.write("/>")?,
        }
        self.last_row = address.0;
        self.cells += 1;
        Ok(())
    }

    /// Reads the content of the cell that has just begun, up to its end.
    fn read_content(&mut self, attributes: &CellAttributes) -> Result<CellContent, SheetError> {
        let mut content = CellContent::default();
        loop {
            match self.source.next_tag()? {
                ElementTag::Start(start) => match start.local_name().as_ref() {
                    "v" => {
                        let value = self.source.read_text("v")?;
                        if content.value.as_ref().is_some_and(|other| *other != value) {
                            let (letters, row) = (column_letters(self.column), self.row + 1);
                            return Err(SheetError::damaged(format_args!("cell {letters}{row} has two values")));
                        }
                        content.value = Some(value);
                    }
                    "is" => {
                        let inherited = attributes.keeps_blanks.unwrap_or(self.keeps_blanks);
                        let preserves = keeps_blanks(&start).unwrap_or(inherited);
                        content.inline = Some(read_runs(&mut self.source, "is", preserves)?);
                    }
                    name => {
                        content.has_formula |= name == "f";
                        self.source.skip_element()?;
                    }
                },
                ElementTag::End(name) if name == "c" => return Ok(content),
                ElementTag::End(_) => {}
                ElementTag::EndOfPart => return Err(SheetError::damaged("a cell is cut off")),
            }
        }
    }
}

/// Returns the first and the last column, 1-based, of columns that Excel doesn't show.
fn hidden_columns(start: &BytesStart<'_>) -> Option<(u32, u32)> {
    let number = |name| {
        plain_attribute(start, name).and_then(|text| text.trim().parse::<u32>().ok()).filter(|&number| number > 0)
    };
    let is_hidden = plain_attribute(start, "hidden").is_some_and(|hidden| is_true(&hidden));
    is_hidden.then(|| number("min").zip(number("max"))).flatten()
}

/// A cell's value in the rewritten part. Values that calamine has no type for become notes.
enum WrittenValue {
    Typed { cell_type: &'static str, text: String },
    Inline(Vec<String>),
    Note(NoteValue),
}

/// Returns the value of a cell, or `None` if it is empty.
fn to_written_value(attributes: &CellAttributes, content: CellContent, text_count: u64) -> Option<WrittenValue> {
    if let Some(runs) = content.inline {
        return Some(WrittenValue::Inline(runs));
    }
    let typed = |cell_type, text: &str| WrittenValue::Typed { cell_type, text: text.to_owned() };
    let unreadable = WrittenValue::Note(NoteValue::Unreadable);
    let raw_value = content.value.as_deref();
    if matches!(attributes.cell_type, CellType::Text | CellType::Inline)
        && let Some(raw_value) = raw_value
    {
        return Some(typed("str", raw_value));
    }
    let text = raw_value.unwrap_or_default().trim();
    if text.is_empty() {
        return content.has_formula.then_some(WrittenValue::Note(NoteValue::UncalculatedFormula));
    }
    Some(match attributes.cell_type {
        CellType::Absent | CellType::Number => match parse_number(text) {
            Some(_) if is_number(text) => typed("n", text),
            Some(number) => WrittenValue::Note(NoteValue::Number(number)),
            // Calamine would decode Excel's escapes (`_x…_`), which have no meaning in such a value.
            None if attributes.cell_type == CellType::Absent => typed("str", &text.replace("_x", "_x005F_x")),
            None => unreadable,
        },
        CellType::Shared => match text.parse::<u32>() {
            Ok(number) if u64::from(number) < text_count => typed("s", &number.to_string()),
            _ => unreadable,
        },
        CellType::Boolean if text == "1" || text.eq_ignore_ascii_case("true") => typed("b", "1"),
        CellType::Boolean if text == "0" || text.eq_ignore_ascii_case("false") => typed("b", "0"),
        CellType::Error if KNOWN_ERRORS.contains(&text) => typed("e", text),
        CellType::Error => WrittenValue::Note(NoteValue::Error(text.to_owned())),
        CellType::IsoDate if is_plain_iso_date(text) => typed("d", text),
        CellType::IsoDate => typed("str", &text.replace("_x", "_x005F_x")),
        CellType::Text | CellType::Inline | CellType::Boolean | CellType::Unknown => unreadable,
    })
}
