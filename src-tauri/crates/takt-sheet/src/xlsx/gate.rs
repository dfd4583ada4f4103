//! The gate in front of calamine. It passes on only XML that calamine reads correctly.
//!
//! Calamine silently misreads some forms of XML, which `docs/internals/readers.md` lists. A part in one of these forms
//! is irregular, and `rewrite` rewrites it first. A part that exceeds a limit is refused. The gate also collects what
//! calamine doesn't report: hidden rows and columns, merged cells, and formulas without a result.

use std::{
    cell::{OnceCell, RefCell},
    collections::VecDeque,
    io::{self, BufRead, Read},
    rc::Rc,
    sync::mpsc::{Receiver, Sender},
};

use super::cell_value::{CellNote, CellType, KNOWN_ERRORS, NoteValue, is_number, is_plain_iso_date};
use crate::{
    LimitKind, Limits, MergedRange, SheetError,
    layout::SheetLayout,
    part_buffer::{PartBuffer, WINDOW_BYTES},
    regular_xml::{Cursor, FastReadFailure},
    row_numbers::RowNumbers,
};

/// The number of tags without content that each filled cell allows. 16 tags are eight empty cells.
const STEPS_PER_CELL: u64 = 16;
/// The tags of an empty cell: start and end.
const STEPS_PER_EMPTY_CELL: u64 = 2;
/// The minimum length of a shared text (`<si>`).
const BYTES_PER_TEXT: u64 = 4;

/// The reason why a part isn't passed on.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Calamine could misread the part, so it must be rewritten.
    Irregular,
    Failed(SheetError),
}

/// The reason why the check of a piece fails.
#[derive(Debug)]
pub(super) enum CheckFailure {
    /// The piece continues after the available bytes.
    CutOff,
    Refused(Refusal),
}

impl From<FastReadFailure> for CheckFailure {
    fn from(failure: FastReadFailure) -> Self {
        match failure {
            FastReadFailure::CutOff => Self::CutOff,
            FastReadFailure::Irregular => Self::Refused(Refusal::Irregular),
        }
    }
}

impl From<SheetError> for CheckFailure {
    fn from(error: SheetError) -> Self {
        Self::Refused(Refusal::Failed(error))
    }
}

const IRREGULAR: CheckFailure = CheckFailure::Refused(Refusal::Irregular);

/// Decides which pieces of a part calamine reads correctly.
pub(super) trait GateRules {
    /// Accepts the next piece. On an error, the state doesn't change.
    fn check_piece(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure>;

    /// Returns whether calamine reads nothing of the remaining part.
    fn is_done(&self) -> bool;
}

/// A part that is checked before calamine reads it.
pub(super) struct Gate<'p, R> {
    part: PartBuffer<'p>,
    /// The number of bytes that were checked and not yet passed on.
    checked: usize,
    pub(super) rules: R,
    pub(super) refusal: Option<Refusal>,
}

impl<'p, R: GateRules> Gate<'p, R> {
    pub(super) fn new(part: impl Read + 'p, rules: R) -> Self {
        Self { part: PartBuffer::new(part), checked: 0, rules, refusal: None }
    }

    /// Returns the bytes that weren't passed on. They aren't checked.
    pub(super) fn unchecked_rest(&mut self) -> impl Read + use<'_, 'p, R> {
        &mut self.part
    }

    /// Checks pieces until some can be passed on. At the end of the part there are none.
    fn check(&mut self) -> Result<(), Refusal> {
        let mut window = WINDOW_BYTES;
        loop {
            if self.rules.is_done() {
                if self.part.len() == 0 {
                    self.part.fill_more().map_err(refuse_unreadable)?;
                }
                self.checked = self.part.len();
                return Ok(());
            }
            let has_more = self.part.len() > window;
            let mut cursor = Cursor::new(self.part.peek(window));
            let stop = loop {
                match self.rules.check_piece(&mut cursor) {
                    Ok(()) if self.rules.is_done() => break None,
                    Ok(()) => {}
                    Err(stop) => break Some(stop),
                }
                self.checked = cursor.position();
            };
            if stop.is_none() {
                self.checked = cursor.position();
            }
            match stop {
                // Passes on the checked bytes first. The next call stops at the same place and returns the refusal.
                _ if self.checked > 0 => return Ok(()),
                Some(CheckFailure::Refused(refusal)) => return Err(refusal),
                _ if has_more => window = window.saturating_mul(2),
                _ if self.part.fill_more().map_err(refuse_unreadable)? => window = window.max(WINDOW_BYTES),
                // Calamine reports that the part is cut off.
                _ if self.part.len() == 0 => return Ok(()),
                _ => return Err(Refusal::Irregular),
            }
        }
    }
}

/// Returns the error for a second list of cells. Takt can't know which of the two lists is right.
pub(super) fn second_cell_list_error() -> SheetError {
    SheetError::damaged("the sheet's cells are there twice")
}

fn refuse_unreadable(error: io::Error) -> Refusal {
    Refusal::Failed(SheetError::damaged(error))
}

impl<R: GateRules> Read for Gate<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.checked == 0
            && let Err(refusal) = self.check()
        {
            self.refusal = Some(refusal);
            return Err(io::Error::other("the part is refused"));
        }
        let room = out.len().min(self.checked);
        let length = self.part.fill_buf()?.get(..room).unwrap_or_default().read(out)?;
        self.part.consume(length);
        self.checked -= length;
        Ok(length)
    }
}

/// A gate that calamine reads from. It is shared because the caller needs its results afterwards.
pub(super) struct SharedGate<'p, R>(pub(super) Rc<RefCell<Gate<'p, R>>>);

impl<R: GateRules> Read for SharedGate<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(out)
    }
}

/// The tags of a part that are compared as bytes, with the part's prefix.
#[derive(Debug, Default)]
struct Tags {
    prefix: String,
    end_of_data: Vec<u8>,
    row: Vec<u8>,
    end_of_row: Vec<u8>,
    cell: Vec<u8>,
    end_of_cell: Vec<u8>,
    formula: Vec<u8>,
    end_of_formula: Vec<u8>,
    value: Vec<u8>,
    end_of_value: Vec<u8>,
    inline: Vec<u8>,
    end_of_inline: Vec<u8>,
    item: Vec<u8>,
    end_of_item: Vec<u8>,
    end_of_items: Vec<u8>,
    text: Vec<u8>,
    end_of_text: Vec<u8>,
    run: Vec<u8>,
    end_of_run: Vec<u8>,
}

impl Tags {
    fn new(prefix: &str) -> Self {
        let start = |name: &str| format!("<{prefix}{name}").into_bytes();
        let end = |name: &str| format!("</{prefix}{name}>").into_bytes();
        Self {
            prefix: prefix.to_owned(),
            end_of_data: end("sheetData"),
            row: start("row"),
            end_of_row: end("row"),
            cell: start("c"),
            end_of_cell: end("c"),
            formula: start("f"),
            end_of_formula: end("f"),
            value: start("v"),
            end_of_value: end("v"),
            inline: start("is"),
            end_of_inline: end("is"),
            item: start("si"),
            end_of_item: end("si"),
            end_of_items: end("sst"),
            text: start("t"),
            end_of_text: end("t"),
            run: start("r>"),
            end_of_run: end("r"),
        }
    }
}

/// A tag, as written between `<` and `>`.
struct Tag<'t> {
    is_end: bool,
    /// Whether the element is empty.
    is_empty: bool,
    prefix: &'t str,
    local_name: &'t str,
    /// The text after the name.
    attributes: &'t str,
}

impl<'t> Tag<'t> {
    /// Reads the next tag and the blanks before it. Anything but the tag of an element is irregular.
    fn next(cursor: &mut Cursor<'t>) -> Result<Self, FastReadFailure> {
        cursor.skip_blanks();
        let tag_text = cursor.read_tag()?;
        let (is_end, tag_text) = tag_text.strip_prefix('/').map_or((false, tag_text), |tag_text| (true, tag_text));
        let (is_empty, tag_text) = tag_text.strip_suffix('/').map_or((false, tag_text), |tag_text| (true, tag_text));
        let (name, attributes) = tag_text.split_at(tag_text.find([' ', '\t', '\r', '\n']).unwrap_or(tag_text.len()));
        let (prefix, local_name) = name.split_at(name.find(':').map_or(0, |colon| colon + 1));
        if name.starts_with(['!', '?']) || local_name.is_empty() || local_name.contains(['<', '"', '\'', '&']) {
            return Err(FastReadFailure::Irregular);
        }
        Ok(Self { is_end, is_empty, prefix, local_name, attributes })
    }

    /// Returns whether the tag changes the meaning of blanks or names.
    fn changes_spaces_or_namespaces(&self) -> bool {
        self.attributes.contains("xml:space") || self.attributes.contains("xmlns")
    }

    fn attribute(&self, name: &str) -> Option<&'t str> {
        let mut attributes = self.attributes;
        while let Some((key, rest)) = attributes.split_once('=') {
            let rest = rest.trim_start();
            let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let (value, behind) = rest.get(1..)?.split_once(quote)?;
            if key.trim() == name {
                return Some(value);
            }
            attributes = behind;
        }
        None
    }
}

/// Reads the XML declaration if there is one. Another encoding than UTF-8 is irregular.
fn check_declaration(cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
    cursor.skip_if_next("\u{feff}".as_bytes())?;
    cursor.skip_blanks();
    let mut ahead = *cursor;
    if !ahead.skip_if_next(b"<?")? {
        return Ok(());
    }
    let declaration = cursor.read_tag()?.to_ascii_lowercase();
    let encoding = declaration.split_once("encoding").map(|(_, rest)| rest.trim_start_matches(['=', ' ', '"', '\'']));
    let is_usual = encoding.is_none_or(|encoding| encoding.starts_with("utf-8") || encoding.starts_with("utf8"));
    if declaration.starts_with("?xml ") && declaration.ends_with('?') && is_usual { Ok(()) } else { Err(IRREGULAR) }
}

/// The number of shared texts, which is known once calamine has read them.
pub(super) struct TextCount {
    receiver: Receiver<u64>,
    known: OnceCell<u64>,
}

impl TextCount {
    pub(super) fn new(receiver: Receiver<u64>) -> Self {
        Self { receiver, known: OnceCell::new() }
    }

    /// Waits for the number. It is 0 if the sender is gone.
    fn get(&self) -> u64 {
        *self.known.get_or_init(|| self.receiver.recv().unwrap_or_default())
    }
}

/// The rules for the cells of a sheet.
pub(super) struct SheetRules<'p> {
    /// The sheet's name for error messages.
    sheet: &'p str,
    limits: &'p Limits,
    texts: TextCount,
    tags: Tags,
    state: SheetState,
    /// The number of open elements outside the cells.
    depth: u32,
    /// Whether the current elements are columns or merged cells.
    is_in_list: bool,
    /// Whether the current elements belong to a second list of cells.
    is_in_second_cell_list: bool,
    /// 0-based.
    row: u32,
    has_content: bool,
    rows: RowNumbers,
    /// Pieces of markup without a cell, minus an allowance for each filled cell.
    steps: u64,
    cells: u64,
    /// The notes of the rewriter. Absent if the part is the original.
    known_notes: Option<VecDeque<CellNote>>,
    notes: Sender<CellNote>,
    pub(super) layout: SheetLayout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SheetState {
    Start,
    BeforeCells,
    BetweenRows,
    InRow,
    AfterCells,
    Done,
}

/// A cell that may be passed on.
struct CheckedCell {
    /// 0-based.
    row: u32,
    /// Whether calamine finds a value in the cell.
    has_value: bool,
    has_formula: bool,
}

impl<'p> SheetRules<'p> {
    /// `known_notes` contains the notes of a rewritten part. All notes are sent to `notes`, each before its cell is
    /// passed on.
    pub(super) fn new(
        sheet: &'p str,
        limits: &'p Limits,
        texts: TextCount,
        known_notes: Option<Vec<CellNote>>,
        notes: Sender<CellNote>,
    ) -> Self {
        Self {
            sheet,
            limits,
            texts,
            tags: Tags::default(),
            state: SheetState::Start,
            depth: 0,
            is_in_list: false,
            is_in_second_cell_list: false,
            row: 0,
            has_content: false,
            rows: RowNumbers::default(),
            steps: 0,
            cells: 0,
            known_notes: known_notes.map(VecDeque::from),
            notes,
            layout: SheetLayout::default(),
        }
    }

    fn check_root(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        check_declaration(cursor)?;
        let root = Tag::next(cursor)?;
        if root.is_end || root.is_empty || root.local_name != "worksheet" || root.attributes.contains("xml:space") {
            return Err(IRREGULAR);
        }
        self.tags = Tags::new(root.prefix);
        (self.state, self.depth) = (SheetState::BeforeCells, 1);
        Ok(())
    }

    fn check_before_cells(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        cursor.read_raw_text()?;
        let tag = Tag::next(cursor)?;
        let is_own = tag.prefix == self.tags.prefix;
        if tag.changes_spaces_or_namespaces() || tag.local_name == "AlternateContent" {
            return Err(IRREGULAR);
        }
        if tag.is_end {
            return self.leave();
        }
        match (tag.local_name, self.depth) {
            ("sheetData", 1) if is_own => {
                self.state = if tag.is_empty { SheetState::AfterCells } else { SheetState::BetweenRows };
                return Ok(());
            }
            ("dimension", 1) if is_own && tag.attribute("ref").is_some_and(|range| self.is_range(range)) => {}
            ("sheetData" | "dimension", _) => return Err(IRREGULAR),
            _ => self.collect_layout(&tag, is_own)?,
        }
        self.enter(&tag, is_own);
        Ok(())
    }

    fn check_after_cells(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        cursor.read_raw_text()?;
        let tag = Tag::next(cursor)?;
        let is_own = tag.prefix == self.tags.prefix;
        if !tag.is_end {
            if is_own && self.depth == 2 && self.is_in_second_cell_list && tag.local_name == "row" {
                return Err(second_cell_list_error().into());
            }
            self.collect_layout(&tag, is_own)?;
            self.enter(&tag, is_own);
        } else if self.depth > 1 {
            self.leave()?;
        } else {
            self.state = SheetState::Done;
        }
        Ok(())
    }

    /// Collects hidden columns and merged cells.
    fn collect_layout(&mut self, tag: &Tag<'_>, is_own: bool) -> Result<(), CheckFailure> {
        if !is_own || !self.is_in_list || self.depth != 2 {
            return Ok(());
        }
        match tag.local_name {
            "col" => self.collect_column(tag)?,
            "mergeCell" => {
                if let Some(merge) = tag.attribute("ref").and_then(MergedRange::parse) {
                    self.layout.add_merge(merge);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn enter(&mut self, tag: &Tag<'_>, is_own: bool) {
        if tag.is_empty {
            return;
        }
        if self.depth == 1 {
            self.is_in_list = is_own && matches!(tag.local_name, "cols" | "mergeCells");
            self.is_in_second_cell_list = is_own && tag.local_name == "sheetData";
        }
        self.depth += 1;
    }

    fn leave(&mut self) -> Result<(), CheckFailure> {
        self.depth = self.depth.checked_sub(1).filter(|&depth| depth > 0).ok_or(IRREGULAR)?;
        Ok(())
    }

    fn collect_column(&mut self, column: &Tag<'_>) -> Result<(), CheckFailure> {
        if !column.attribute("hidden").map_or(Ok(false), parse_boolean)? {
            return Ok(());
        }
        let number = |name: &str| column.attribute(name).and_then(parse_digits).filter(|&number| number > 0);
        let (first, last) = number("min").zip(number("max")).ok_or(IRREGULAR)?;
        self.layout.hide_columns(first - 1, last - 1);
        Ok(())
    }

    fn check_row(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        cursor.skip_blanks();
        if cursor.skip_if_next(&self.tags.end_of_data)? {
            self.state = SheetState::AfterCells;
            return Ok(());
        }
        cursor.expect(&self.tags.row)?;
        let (mut number, mut hidden) = (None, None);
        while let Some((name, value)) = cursor.read_attribute()? {
            match name {
                b"r" if number.is_none() => number = Some(self.row_number(value).ok_or(IRREGULAR)?),
                b"hidden" if hidden.is_none() => hidden = Some(parse_boolean(value)?),
                b"r" | b"hidden" => return Err(IRREGULAR),
                name if changes_spaces_or_namespaces(name) => return Err(IRREGULAR),
                _ => {}
            }
        }
        let is_empty = cursor.read_tag_end()?;
        self.row = number.unwrap_or(self.row);
        if hidden == Some(true) {
            let number = self.row.saturating_add(1);
            self.layout.hide_rows(number, number);
        }
        self.count_empty_piece()?;
        if is_empty {
            self.row = self.row.saturating_add(1);
        } else {
            self.state = SheetState::InRow;
        }
        Ok(())
    }

    fn check_next_cell(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        cursor.skip_blanks();
        if cursor.skip_if_next(&self.tags.end_of_row)? {
            let number = self.row.saturating_add(1);
            if self.has_content && !self.rows.insert(number) {
                return Err(SheetError::Repeated { sheet: self.sheet.to_owned(), row: number, column: None }.into());
            }
            (self.row, self.has_content) = (number, false);
            self.state = SheetState::BetweenRows;
            return Ok(());
        }
        cursor.expect(&self.tags.cell)?;
        let cell = self.check_cell(cursor)?;
        self.row = cell.row;
        let known = self.known_notes.as_mut().and_then(|notes| notes.pop_front_if(|note| note.cell == self.cells));
        let open = (cell.has_formula && !cell.has_value).then_some(NoteValue::UncalculatedFormula);
        let note = known.map(|note| note.value).or(open);
        if cell.has_value || note.is_some() {
            self.has_content = true;
            self.steps = self.steps.saturating_sub(STEPS_PER_CELL);
        } else {
            self.count_empty_piece()?;
        }
        if let Some(value) = note {
            // The receiver is gone if calamine has failed.
            let _ = self.notes.send(CellNote { cell: self.cells, value });
        }
        self.cells += 1;
        Ok(())
    }

    /// Counts an empty piece. A part with too many of them is refused, because it is made to take long.
    fn count_empty_piece(&mut self) -> Result<(), CheckFailure> {
        self.steps += STEPS_PER_EMPTY_CELL;
        let is_much = self.steps > self.limits.cells.saturating_mul(STEPS_PER_EMPTY_CELL);
        if is_much { Err(SheetError::too_large(LimitKind::Cells, self.limits.cells).into()) } else { Ok(()) }
    }

    /// Checks the rest of a cell after its name.
    fn check_cell(&self, cursor: &mut Cursor<'_>) -> Result<CheckedCell, CheckFailure> {
        let (mut address, mut format, mut kind) = (None, None, None);
        while let Some((name, value)) = cursor.read_attribute()? {
            match name {
                b"r" if address.is_none() => address = Some(self.parse_address(value).ok_or(IRREGULAR)?),
                b"s" if format.is_none() => format = Some(parse_digits(value).ok_or(IRREGULAR)?),
                b"t" if kind.is_none() => kind = Some(CellType::from_attribute(value)),
                b"r" | b"s" | b"t" => return Err(IRREGULAR),
                name if changes_spaces_or_namespaces(name) => return Err(IRREGULAR),
                _ => {}
            }
        }
        let row = address.map_or(self.row, |(row, _)| row);
        // A cell's address may name another row than the current one. Then the next cell must have an address, which
        // only a rewritten part guarantees.
        if (row != self.row && self.known_notes.is_none()) || kind == Some(CellType::Unknown) {
            return Err(IRREGULAR);
        }
        let mut cell = CheckedCell { row, has_value: false, has_formula: false };
        if cursor.read_tag_end()? {
            return Ok(cell);
        }
        cursor.skip_blanks();
        if cursor.skip_if_next(&self.tags.formula)? {
            cell.has_formula = true;
            while cursor.read_any_attribute()?.is_some() {}
            if !cursor.read_tag_end()? {
                cursor.read_raw_text()?;
                cursor.expect(&self.tags.end_of_formula)?;
            }
            cursor.skip_blanks();
        }
        if cursor.skip_if_next(&self.tags.value)? {
            cell.has_value = self.check_value(cursor, kind.unwrap_or_default())?;
            cursor.skip_blanks();
        } else if cursor.skip_if_next(&self.tags.inline)? {
            cursor.expect(b">")?;
            let bytes = check_text(cursor, &self.tags, &self.tags.end_of_inline)?;
            check_length(bytes, self.limits)?;
            cell.has_value = true;
            cursor.skip_blanks();
        }
        cursor.expect(&self.tags.end_of_cell)?;
        Ok(cell)
    }

    /// Checks the rest of a value after its name. Returns false if the value is empty.
    fn check_value(&self, cursor: &mut Cursor<'_>, kind: CellType) -> Result<bool, CheckFailure> {
        while let Some((name, _)) = cursor.read_attribute()? {
            if name != b"xml:space" {
                return Err(IRREGULAR);
            }
        }
        let raw = if cursor.read_tag_end()? {
            ""
        } else {
            let raw = cursor.read_raw_text()?;
            cursor.expect(&self.tags.end_of_value)?;
            raw
        };
        let is_regular = match kind {
            CellType::Text => return check_length(text_length(raw)?, self.limits).map(|()| true),
            // Calamine would skip such a value.
            CellType::Inline | CellType::Unknown => false,
            _ if raw.is_empty() => return Ok(false),
            CellType::Absent | CellType::Number => is_number(raw),
            CellType::Shared => parse_digits(raw).is_some_and(|number| u64::from(number) < self.texts.get()),
            CellType::Boolean => matches!(raw, "0" | "1" | "true" | "false"),
            CellType::Error => KNOWN_ERRORS.contains(&raw),
            CellType::IsoDate => {
                check_length(text_length(raw)?, self.limits)?;
                is_plain_iso_date(raw) && !raw.contains("&#")
            }
        };
        if is_regular { Ok(true) } else { Err(IRREGULAR) }
    }

    /// Parses an address into its row and column, 0-based.
    fn parse_address(&self, text: &str) -> Option<(u32, u32)> {
        let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
        let (letters, digits) = text.split_at(letters);
        if letters.len() > 3 {
            return None;
        }
        self.row_number(digits).zip(crate::column_index(letters))
    }

    /// Parses a row number and returns it 0-based.
    fn row_number(&self, text: &str) -> Option<u32> {
        parse_digits(text).filter(|number| (1..=self.limits.rows).contains(number)).map(|number| number - 1)
    }

    /// Returns whether calamine can parse a range (`A1` or `A1:B2`).
    fn is_range(&self, text: &str) -> bool {
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        let corners = self.parse_address(from).zip(self.parse_address(to));
        corners.is_some_and(|(from, to)| from.0 <= to.0 && from.1 <= to.1)
    }
}

impl GateRules for SheetRules<'_> {
    fn check_piece(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        match self.state {
            SheetState::Start => self.check_root(cursor)?,
            SheetState::BeforeCells => self.check_before_cells(cursor)?,
            SheetState::BetweenRows => self.check_row(cursor)?,
            SheetState::InRow => self.check_next_cell(cursor)?,
            SheetState::AfterCells => match self.check_after_cells(cursor) {
                // An irregularity after the cells only ends the collection of the layout.
                Err(CheckFailure::Refused(Refusal::Irregular)) => self.state = SheetState::Done,
                checked => checked?,
            },
            SheetState::Done => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.state == SheetState::Done
    }
}

/// The rules for the workbook's shared strings.
pub(super) struct TextRules<'p> {
    limits: &'p Limits,
    /// Bytes of the part.
    length: u64,
    tags: Tags,
    state: TextState,
    count: Rc<RefCell<u64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextState {
    Start,
    Texts,
    Done,
}

impl<'p> TextRules<'p> {
    /// `count` is increased by each text.
    pub(super) fn new(limits: &'p Limits, length: u64, count: Rc<RefCell<u64>>) -> Self {
        Self { limits, length, tags: Tags::default(), state: TextState::Start, count }
    }

    fn check_root(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        check_declaration(cursor)?;
        let root = Tag::next(cursor)?;
        let count = root.attribute("uniqueCount").map_or(Some(0), |count| count.parse::<u64>().ok());
        // Calamine allocates memory for as many texts as the part claims.
        let is_true = count.is_some_and(|count| count <= self.length / BYTES_PER_TEXT);
        if root.is_end || root.local_name != "sst" || root.attributes.contains("xml:space") || !is_true {
            return Err(IRREGULAR);
        }
        self.tags = Tags::new(root.prefix);
        self.state = if root.is_empty { TextState::Done } else { TextState::Texts };
        Ok(())
    }

    fn check_shared_text(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        cursor.skip_blanks();
        if cursor.skip_if_next(&self.tags.end_of_items)? {
            self.state = TextState::Done;
            return Ok(());
        }
        cursor.expect(&self.tags.item)?;
        if !cursor.read_tag_end()? {
            let bytes = check_text(cursor, &self.tags, &self.tags.end_of_item)?;
            check_length(bytes, self.limits)?;
        }
        let mut count = self.count.borrow_mut();
        *count += 1;
        if *count > self.limits.cells {
            return Err(SheetError::too_large(LimitKind::Cells, self.limits.cells).into());
        }
        Ok(())
    }
}

impl GateRules for TextRules<'_> {
    fn check_piece(&mut self, cursor: &mut Cursor<'_>) -> Result<(), CheckFailure> {
        match self.state {
            TextState::Start => self.check_root(cursor)?,
            TextState::Texts => self.check_shared_text(cursor)?,
            TextState::Done => {}
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.state == TextState::Done
    }
}

/// Checks a text up to its closing tag and returns the length of its content in bytes.
fn check_text(cursor: &mut Cursor<'_>, tags: &Tags, end: &[u8]) -> Result<usize, CheckFailure> {
    let mut bytes = 0;
    loop {
        cursor.skip_blanks();
        if cursor.skip_if_next(end)? {
            return Ok(bytes);
        }
        if cursor.skip_if_next(&tags.run)? || cursor.skip_if_next(&tags.end_of_run)? {
            continue;
        }
        let mut ahead = *cursor;
        let tag = Tag::next(&mut ahead)?;
        let is_own = tag.prefix == tags.prefix && !tag.is_end;
        match tag.local_name {
            "t" if is_own => {
                cursor.expect(&tags.text)?;
                while let Some((name, _)) = cursor.read_attribute()? {
                    if name.starts_with(b"xmlns") {
                        return Err(IRREGULAR);
                    }
                }
                if !cursor.read_tag_end()? {
                    bytes += text_length(cursor.read_raw_text()?)?;
                    cursor.expect(&tags.end_of_text)?;
                }
            }
            // The formatting and the pronunciation of a text.
            "rPr" | "rPh" | "phoneticPr" if is_own && !tag.changes_spaces_or_namespaces() => {
                *cursor = ahead;
                if !tag.is_empty {
                    skip_to_end(cursor, tag.local_name)?;
                }
            }
            _ => return Err(IRREGULAR),
        }
    }
}

/// Skips the content of an element and its end.
fn skip_to_end(cursor: &mut Cursor<'_>, name: &str) -> Result<(), CheckFailure> {
    loop {
        cursor.read_raw_text()?;
        let tag = Tag::next(cursor)?;
        if tag.local_name == name && tag.is_end {
            return Ok(());
        }
        let is_text = name == "rPh" && tag.local_name == "t";
        if tag.attributes.contains("xmlns") || matches!(tag.local_name, "si" | "is" | "r" | "rPh" | "t") && !is_text {
            return Err(IRREGULAR);
        }
    }
}

fn check_length(bytes: usize, limits: &Limits) -> Result<(), CheckFailure> {
    if bytes > limits.text_bytes {
        return Err(SheetError::too_large(LimitKind::TextBytes, limits.text_bytes as u64).into());
    }
    Ok(())
}

/// Returns the length of a text with decoded references, or slightly more, in bytes. An unknown reference is irregular.
fn text_length(raw: &str) -> Result<usize, CheckFailure> {
    let mut length = raw.len();
    let mut rest = raw;
    while let Some((_, reference)) = rest.split_once('&') {
        let end = reference.find(';').ok_or(IRREGULAR)?;
        let name = reference.get(..end).unwrap_or_default();
        let is_number = name.strip_prefix('#').is_some_and(is_character_number);
        if !is_number && !matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") {
            return Err(IRREGULAR);
        }
        // Counts at most five bytes for a reference. No character needs more than four.
        length -= end.saturating_sub(3);
        rest = reference.get(end..).unwrap_or_default();
    }
    Ok(length)
}

/// Returns whether digits are a character's number, such as `10` or `xA` in `&#10;`.
fn is_character_number(digits: &str) -> bool {
    let number = match digits.strip_prefix('x') {
        Some(digits) if !digits.starts_with('+') => u32::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None if digits.starts_with('+') => None,
        None => digits.parse().ok(),
    };
    number.and_then(char::from_u32).is_some_and(|letter| letter != '\0')
}

/// Returns whether an attribute changes the meaning of blanks or names from here on.
fn changes_spaces_or_namespaces(attribute: &[u8]) -> bool {
    attribute == b"xml:space" || attribute.starts_with(b"xmlns")
}

/// Parses a number of one to nine digits.
fn parse_digits(text: &str) -> Option<u32> {
    let plain = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.bytes().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
}

fn parse_boolean(text: &str) -> Result<bool, CheckFailure> {
    match text {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(IRREGULAR),
    }
}
