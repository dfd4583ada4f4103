//! XML spreadsheets of 2003: typed cells, with number formats by style.
//!
//! A cell's format comes from its own style, else from the style of its row, its column or its table, in this order.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use jiff::civil::date;
use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event, attributes::Attribute},
};

use crate::{
    Cell, LimitKind, Limits, MergedRange, Sheet, SheetEntry, SheetError, iso_time,
    namespaces::NamespaceScopes,
    number_format::NumberFormat,
    progress::ProgressReporter,
    row_numbers::RowNumbers,
    serial,
    sheet::{SheetBuilder, make_names_unique},
    xml_text::{plain_attribute, push_reference},
};

/// The usual prefix of the spreadsheet's vocabulary, for files that don't declare it.
const USUAL_PREFIX: &str = "ss";

/// The style of all cells that have none.
const DEFAULT_STYLE: &str = "Default";
/// The maximum depth of inheritance, because a style could inherit from itself.
const MAX_PARENTS: usize = 16;

pub(super) fn list_sheets(text: &str, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut found: Vec<SheetEntry> = Vec::new();
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut elements = SpreadsheetElements::default();
    let mut is_in_visible = false;
    loop {
        let event = reader.read_event().map_err(SheetError::damaged)?;
        let is_own = elements.is_own_element(&event)?;
        match event {
            Event::Start(start) if is_own && start.local_name().as_ref() == "Worksheet" => {
                found.push(SheetEntry {
                    name: elements.tag(&start).attribute("Name").unwrap_or_default(),
                    visible: true,
                });
                if found.len() > limits.sheets {
                    return Err(SheetError::too_large(LimitKind::Sheets, limits.sheets as u64));
                }
            }
            Event::Start(start) => is_in_visible = start.local_name().as_ref() == "Visible",
            Event::Text(text) if is_in_visible => {
                if let Some(last) = found.last_mut() {
                    last.visible = !text.xml10_content().contains("Hidden");
                }
            }
            Event::End(_) => is_in_visible = false,
            Event::Eof => break,
            _ => {}
        }
    }
    make_names_unique(found.iter_mut().map(|entry| &mut entry.name));
    Ok(found)
}

pub(super) fn read_sheet(
    text: &str,
    position: usize,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut sheet = SheetReader {
        builder: SheetBuilder::new(name, limits, progress),
        requested_sheet: position + 1,
        sheets_begun: 0,
        styles: Styles::default(),
        is_1904: false,
        row: 0,
        column: 0,
        next_column_element: 0,
        extra_rows: 0,
        extra_columns: 0,
        cell: None,
        inside_comment: false,
        rows: RowNumbers::default(),
        has_content: false,
    };
    let mut elements = SpreadsheetElements::default();
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    loop {
        sheet.builder.count_step()?;
        let event = reader.read_event().map_err(SheetError::damaged)?;
        let is_own = elements.is_own_element(&event)?;
        match event {
            Event::Start(start) if is_own => sheet.start_element(&elements.tag(&start))?,
            Event::Start(start) => sheet.is_1904 |= start.local_name().as_ref() == "Date1904",
            Event::End(end) if is_own => sheet.end_element(end.local_name().as_ref())?,
            Event::Text(text) => sheet.push_text(&text.xml10_content()),
            Event::CData(text) => sheet.push_text(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let mut letter = String::new();
                push_reference(&reference, &mut letter)?;
                sheet.push_text(&letter);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    sheet.builder.finish()
}

/// Reads the requested worksheet. Rows and columns are 0-based.
struct SheetReader<'a> {
    builder: SheetBuilder<'a>,
    /// The requested worksheet, counted from 1, and the number of worksheets that have begun.
    requested_sheet: usize,
    sheets_begun: usize,
    styles: Styles,
    is_1904: bool,
    row: u32,
    column: u32,
    next_column_element: u32,
    /// The additional rows and columns that the current element covers.
    extra_rows: u32,
    extra_columns: u32,
    cell: Option<CellContent>,
    inside_comment: bool,
    /// The numbers of the rows with content, to find rows that occur twice.
    rows: RowNumbers,
    /// Whether the current row has content.
    has_content: bool,
}

#[derive(Default)]
struct CellContent {
    style: Option<String>,
    has_formula: bool,
    kind: Option<String>,
    is_in_data: bool,
    text: String,
}

impl SheetReader<'_> {
    fn start_element(&mut self, tag: &Tag<'_>) -> Result<(), SheetError> {
        let is_hidden = || tag.attribute("Hidden").is_some_and(|hidden| hidden == "1");
        match tag.start.local_name().as_ref() {
            "Style" => self.styles.begin_style(tag),
            "NumberFormat" => self.styles.set_number_format(tag),
            "Date1904" => self.is_1904 = true,
            "Worksheet" => self.sheets_begun += 1,
            _ if self.sheets_begun != self.requested_sheet => {}
            "Table" => self.styles.begin_table(tag),
            "Column" => {
                self.next_column_element =
                    parse_count(tag, "Index")?.map_or(self.next_column_element, |index| index.saturating_sub(1));
                let last = self.next_column_element.saturating_add(parse_count(tag, "Span")?.unwrap_or_default());
                self.styles.add_column(tag, self.next_column_element, last);
                if is_hidden() {
                    self.builder.layout.hide_columns(self.next_column_element, last);
                }
                self.next_column_element = last.saturating_add(1);
            }
            "Row" => {
                self.row = parse_count(tag, "Index")?.map_or(self.row, |index| index.saturating_sub(1));
                self.extra_rows = parse_count(tag, "Span")?.unwrap_or_default();
                self.column = 0;
                self.styles.begin_row(tag);
                if is_hidden() {
                    let first = self.row.saturating_add(1);
                    self.builder.layout.hide_rows(first, first.saturating_add(self.extra_rows));
                }
            }
            "Cell" => self.start_cell(tag)?,
            "Comment" => self.inside_comment = true,
            "Data" if !self.inside_comment => {
                if let Some(cell) = &mut self.cell {
                    cell.kind = tag.attribute("Type");
                    cell.is_in_data = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn start_cell(&mut self, tag: &Tag<'_>) -> Result<(), SheetError> {
        self.column = parse_count(tag, "Index")?.map_or(self.column, |index| index.saturating_sub(1));
        self.extra_columns = parse_count(tag, "MergeAcross")?.unwrap_or_default();
        let down = parse_count(tag, "MergeDown")?.unwrap_or_default();
        if self.extra_columns > 0 || down > 0 {
            let first_row = self.row.saturating_add(1);
            let (last_row, last_column) =
                (first_row.saturating_add(down), self.column.saturating_add(self.extra_columns));
            self.builder.layout.add_merge(MergedRange { first_row, last_row, first_column: self.column, last_column });
        }
        let (style, formula) = (tag.attribute("StyleID"), tag.attribute("Formula"));
        self.cell = Some(CellContent { style, has_formula: formula.is_some(), ..CellContent::default() });
        Ok(())
    }

    fn push_text(&mut self, text: &str) {
        if let Some(cell) = self.cell.as_mut().filter(|cell| cell.is_in_data) {
            cell.text.push_str(text);
        }
    }

    fn end_element(&mut self, name: &str) -> Result<(), SheetError> {
        match name {
            _ if self.sheets_begun != self.requested_sheet => {}
            "Data" => self.cell.iter_mut().for_each(|cell| cell.is_in_data = false),
            "Comment" => self.inside_comment = false,
            "Cell" => {
                if let Some(content) = self.cell.take() {
                    let cell = self.to_cell(content);
                    self.has_content |= !cell.is_empty();
                    self.builder.put_cell(self.row, self.column, cell.as_ref())?;
                }
                self.column = self.column.saturating_add(self.extra_columns).saturating_add(1);
            }
            "Row" => {
                if std::mem::take(&mut self.has_content) && !self.rows.insert(self.row) {
                    let sheet = self.builder.name().to_owned();
                    return Err(SheetError::Repeated { sheet, row: self.row.saturating_add(1), column: None });
                }
                self.row = self.row.saturating_add(self.extra_rows).saturating_add(1);
            }
            _ => {}
        }
        Ok(())
    }

    fn to_cell(&self, content: CellContent) -> Cell {
        let format = self.styles.format(content.style.as_deref(), self.column);
        let value = content.text.trim();
        let typed = match content.kind.as_deref() {
            None if content.has_formula => Some(Cell::formula_without_value()),
            // Some writers store a date as a number with a date format.
            Some("Number") => value.parse().ok().map(|number| match format {
                Some(format) => format.cell(number, self.is_1904),
                None => Cell::number(number),
            }),
            Some("Boolean") => Some(Cell::boolean(value == "1" || value.eq_ignore_ascii_case("true"))),
            Some("Error") => Some(Cell::error(value)),
            Some("DateTime") => self.parse_date_cell(value, format),
            _ => None,
        };
        typed.unwrap_or_else(|| Cell::text(content.text))
    }

    /// Parses a date-time. Durations and times without a date are also written as date-times. They include Excel's
    /// February 29 of 1900.
    fn parse_date_cell(&self, value: &str, format: Option<&NumberFormat>) -> Option<Cell> {
        let value = iso_time::parse_date_time(value)?;
        let zero = if self.is_1904 { date(1904, 1, 1) } else { date(1899, 12, 31) };
        if value.date() != zero && !format.is_some_and(NumberFormat::is_duration) {
            return Some(Cell::date_time(value));
        }
        let days = serial::from_civil(value) - if self.is_1904 { serial::from_civil(zero.at(0, 0, 0, 0)) } else { 0.0 };
        serial::duration_ticks(days).map(Cell::duration)
    }
}

/// Parses a count or an index. A number that is too large to parse becomes the largest one, so it exceeds every limit.
fn parse_count(tag: &Tag<'_>, name: &str) -> Result<Option<u32>, SheetError> {
    let Some(text) = tag.attribute(name) else { return Ok(None) };
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(SheetError::damaged(format_args!("{name} is {text:?}, which is no number")));
    }
    Ok(Some(text.parse().unwrap_or(u32::MAX)))
}

#[derive(Debug, Default)]
struct Style {
    parent: Option<String>,
    /// Absent if the style has no number format.
    format: Option<NumberFormat>,
}

/// Styles by name, and the styles of the table, its rows and its columns.
#[derive(Debug, Default)]
struct Styles {
    styles: HashMap<String, Style>,
    /// The style that is being read.
    current: String,
    table: Option<String>,
    row: Option<String>,
    /// The last column and the style, by first column.
    columns: BTreeMap<u32, (u32, String)>,
}

impl Styles {
    fn begin_style(&mut self, tag: &Tag<'_>) {
        self.current = tag.attribute("ID").unwrap_or_default();
        let style = Style { parent: tag.attribute("Parent"), format: None };
        self.styles.insert(self.current.clone(), style);
    }

    fn set_number_format(&mut self, tag: &Tag<'_>) {
        let format = tag.attribute("Format").unwrap_or_default();
        self.styles.entry(self.current.clone()).or_default().format = Some(NumberFormat::parse(&format));
    }

    fn begin_table(&mut self, tag: &Tag<'_>) {
        self.table = tag.attribute("StyleID");
        self.row = None;
        self.columns.clear();
    }

    fn begin_row(&mut self, tag: &Tag<'_>) {
        self.row = tag.attribute("StyleID");
    }

    fn add_column(&mut self, tag: &Tag<'_>, first: u32, last: u32) {
        if let Some(style) = tag.attribute("StyleID") {
            self.columns.insert(first, (last, style));
        }
    }

    /// Returns the format of a cell's numbers. `own` is the cell's style.
    fn format(&self, own: Option<&str>, column: u32) -> Option<&NumberFormat> {
        let of_column = || {
            let (_, (last, style)) = self.columns.range(..=column).next_back()?;
            (column <= *last).then_some(style.as_str())
        };
        let named = own.or(self.row.as_deref()).or_else(of_column).or(self.table.as_deref());
        let mut name = named.unwrap_or(DEFAULT_STYLE);
        for _ in 0..MAX_PARENTS {
            let Some(style) = self.styles.get(name) else { break };
            if style.format.is_some() {
                return style.format.as_ref();
            }
            match &style.parent {
                Some(parent) => name = parent,
                None => break,
            }
        }
        self.styles.get(DEFAULT_STYLE)?.format.as_ref()
    }
}

/// Recognizes the elements of spreadsheets. The content of other elements isn't skipped, because a text may contain
/// HTML.
#[derive(Default)]
struct SpreadsheetElements {
    scopes: NamespaceScopes,
    root_namespace: Option<String>,
}

impl SpreadsheetElements {
    /// Returns whether an element's start or end belongs to the root's vocabulary. Returns true for any other event.
    fn is_own_element(&mut self, event: &Event<'_>) -> Result<bool, SheetError> {
        let name = match event {
            Event::Start(start) => {
                self.scopes.enter(start)?;
                start.name()
            }
            Event::End(end) => end.name(),
            _ => return Ok(true),
        };
        let namespace = self.scopes.namespace(name);
        let is_own = *self.root_namespace.get_or_insert_with(|| namespace.clone().into_owned()) == namespace;
        if let Event::End(_) = event {
            self.scopes.leave();
        }
        Ok(is_own)
    }

    fn tag<'e>(&'e self, start: &'e BytesStart<'e>) -> Tag<'e> {
        Tag { start, elements: self }
    }
}

/// An element's start tag, with the namespaces of its attributes.
struct Tag<'e> {
    start: &'e BytesStart<'e>,
    elements: &'e SpreadsheetElements,
}

impl Tag<'_> {
    /// Returns an attribute of the root's vocabulary, else the attribute without a prefix, because some writers omit
    /// it.
    fn attribute(&self, name: &str) -> Option<String> {
        let is_own = |found: &Attribute<'_>| {
            let namespace = self.elements.scopes.attribute_namespace(found.key);
            found.key.prefix().is_some()
                && found.key.local_name().as_ref() == name
                && (namespace == USUAL_PREFIX || Some(&*namespace) == self.elements.root_namespace.as_deref())
        };
        let found = self.start.attributes().with_checks(false).flatten().find(is_own);
        let own = found.and_then(|found| found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned));
        own.or_else(|| plain_attribute(self.start, name))
    }
}
