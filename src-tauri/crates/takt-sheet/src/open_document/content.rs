//! Elements of the content of an ods, one after the other. Rows in the shape that nearly every program writes are given away as
//! the text that they are: the XML reader takes much longer.

use std::io::{BufRead, Read};

use quick_xml::{Reader, events::Event};

use super::vocabulary::{CellElements, has_usual_prefixes};
use crate::{
    SheetError,
    namespaces::Scopes,
    part_buffer::{PartBuffer, WINDOW},
    regular_xml::Miss,
};

/// After rows that weren't regular so many more are left to the XML reader at most, before one is looked at again.
const MAX_PAUSE: u32 = 64;

/// Who takes the elements.
pub(super) trait Taker {
    /// Takes every event that belongs to a cell, a row or a table, with the namespaces in force. False if it has enough.
    fn take(&mut self, event: &Event<'_>, scopes: &Scopes) -> Result<bool, SheetError>;

    /// Takes regular rows from the front of a text that stands between two elements. Tells how many bytes they are, and why the
    /// next one isn't taken.
    fn take_rows(&mut self, text: &str) -> Result<(usize, Miss), SheetError>;
}

/// Hands over the content of a package, or the whole of a flat file.
pub(super) fn walk(content: impl Read, taker: &mut impl Taker) -> Result<(), SheetError> {
    let mut reader = Reader::from_reader(PartBuffer::new(content));
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut pause = Pause::default();
    let mut elements = CellElements::default();
    let mut open_rows = 0_u32;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(SheetError::damaged)?;
        if !elements.includes(&event)? {
            continue;
        }
        let mut is_between_rows = false;
        match &event {
            Event::Start(start) if start.local_name().as_ref() == "table-row" => {
                open_rows = open_rows.saturating_add(1);
            }
            Event::End(end) if end.local_name().as_ref() == "table-row" => {
                open_rows = open_rows.saturating_sub(1);
                is_between_rows = open_rows == 0;
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
        if !taker.take(&event, elements.scopes())? {
            return Ok(());
        }
        if is_between_rows && pause.is_over() && has_usual_prefixes(elements.scopes()) {
            let any = regular_rows(reader.get_mut(), taker)?;
            pause.after(any);
        }
    }
}

/// As many rows as stand there in the regular shape; the first one that doesn't is left to the XML reader. False where there
/// was none.
fn regular_rows(part: &mut PartBuffer<'_>, taker: &mut impl Taker) -> Result<bool, SheetError> {
    let (mut window, mut any) = (WINDOW, false);
    loop {
        let has_more = part.len() > window;
        let (taken, miss) = taker.take_rows(part.text(window))?;
        part.consume(taken);
        any |= taken > 0;
        if miss == Miss::Irregular {
            return Ok(any);
        }
        // A row that is longer than the window is looked at in a larger one.
        window = if taken > 0 { WINDOW } else { window.saturating_mul(2) };
        if !has_more && !part.read_on().map_err(SheetError::damaged)? {
            return Ok(any);
        }
    }
}

/// Where rows aren't regular, looking at each of them in vain would take long.
#[derive(Debug, Default)]
struct Pause {
    left: u32,
    length: u32,
}

impl Pause {
    fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_over
    }

    fn after(&mut self, any: bool) {
        self.length = if any { 0 } else { (self.length * 2 + 1).min(MAX_PAUSE) };
        self.left = self.length;
    }
}
