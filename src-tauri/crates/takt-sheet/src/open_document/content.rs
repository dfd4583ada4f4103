//! Passes the elements of an ods file's content to a handler. Rows in the form that nearly every program writes are
//! passed as text, because the XML reader takes much longer.

use std::io::{BufRead, Read};

use quick_xml::{Reader, events::Event};

use super::vocabulary::{CellElements, has_usual_prefixes};
use crate::{
    SheetError,
    namespaces::Scopes,
    part_buffer::{PartBuffer, WINDOW},
    regular_xml::Miss,
};

/// After irregular rows, at most this many more rows are left to the XML reader before the next one is tried.
const MAX_PAUSE: u32 = 64;

/// Handles the elements.
pub(super) trait EventHandler {
    /// Handles an event that belongs to a cell, a row or a table, with the namespaces in force. Returns false to stop.
    fn handle_event(&mut self, event: &Event<'_>, scopes: &Scopes) -> Result<bool, SheetError>;

    /// Handles regular rows at the start of a text between two elements. Returns their length in bytes, and the reason
    /// why the next row isn't handled.
    fn handle_rows(&mut self, text: &str) -> Result<(usize, Miss), SheetError>;
}

/// Passes on the content of a package, or of a whole flat file.
pub(super) fn walk(content: impl Read, handler: &mut impl EventHandler) -> Result<(), SheetError> {
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
        if !handler.handle_event(&event, elements.scopes())? {
            return Ok(());
        }
        if is_between_rows && pause.is_over() && has_usual_prefixes(elements.scopes()) {
            let has_rows = handle_regular_rows(reader.get_mut(), handler)?;
            pause.record(has_rows);
        }
    }
}

/// Passes on all regular rows that come next. The first irregular row is left to the XML reader. Returns false if there
/// were none.
fn handle_regular_rows(part: &mut PartBuffer<'_>, handler: &mut impl EventHandler) -> Result<bool, SheetError> {
    let (mut window, mut has_rows) = (WINDOW, false);
    loop {
        let has_more = part.len() > window;
        let (handled_bytes, miss) = handler.handle_rows(part.peek(window))?;
        part.consume(handled_bytes);
        has_rows |= handled_bytes > 0;
        if miss == Miss::Irregular {
            return Ok(has_rows);
        }
        // A row that is longer than the window is tried again in a larger window.
        window = if handled_bytes > 0 { WINDOW } else { window.saturating_mul(2) };
        if !has_more && !part.fill_more().map_err(SheetError::damaged)? {
            return Ok(has_rows);
        }
    }
}

/// Limits how often irregular rows are tried, because trying each of them would take long.
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

    fn record(&mut self, has_rows: bool) {
        self.length = if has_rows { 0 } else { (self.length * 2 + 1).min(MAX_PAUSE) };
        self.left = self.length;
    }
}
