//! Texts of an xlsx: those that cells share, read as far as they are asked for, and those that stand in cells themselves.

use std::{
    borrow::Cow,
    io::{BufRead, Read},
};

use quick_xml::events::Event;

use super::regular_rows::text_element;
use crate::{
    Limits, Measure, SheetError,
    namespaces::PartElements,
    part_buffer::WINDOW,
    regular_xml::{Cursor, Miss},
    shared_texts::{SharedTextLookup, SharedTexts},
    xml_text::{self, XmlReader, keeps_blanks, push_reference, without_escapes},
};

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// The shared texts, of which as many are read as are needed. Cells name them mostly in their order, so that the first rows are
/// known before the last texts are read.
pub(super) struct LazyTexts<'p> {
    /// Absent where there is no part, or nothing is left of it.
    reader: Option<XmlReader<'p>>,
    elements: PartElements,
    texts: SharedTexts,
    limits: &'p Limits,
    scratch: Scratch,
    keeps_blanks: bool,
    text: String,
    /// The XML reader has read a text whose element has no prefix. The next texts may be regular.
    one_was_read: bool,
}

/// Memory that one text after the other is read in.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) buffer: Vec<u8>,
    part: String,
}

impl SharedTextLookup for LazyTexts<'_> {
    /// What isn't read yet is passed over.
    fn touch(&self, numbers: impl Iterator<Item = usize>, places: &mut Vec<(u32, u32)>) {
        self.texts.touch(numbers, places);
    }

    fn get(&mut self, number: usize) -> Result<Option<&str>, SheetError> {
        while self.texts.len() <= number && self.reader.is_some() {
            if self.one_was_read {
                self.read_regular(number)?;
            }
            if self.texts.len() <= number {
                self.read_one()?;
            }
        }
        Ok(self.texts.get(number))
    }
}

impl<'p> LazyTexts<'p> {
    pub(super) fn new(part: Option<impl Read + 'p>, limits: &'p Limits) -> Result<Self, SheetError> {
        Ok(Self {
            reader: part.map(xml_text::reader).transpose()?,
            elements: PartElements::default(),
            texts: SharedTexts::default(),
            limits,
            scratch: Scratch::default(),
            keeps_blanks: false,
            text: String::new(),
            one_was_read: false,
        })
    }

    /// Texts in the regular shape, as many as are there, up to this one at least; the first that isn't is left to the XML reader.
    fn read_regular(&mut self, number: usize) -> Result<(), SheetError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let mut window = WINDOW;
        loop {
            let part = reader.get_mut();
            let has_more = part.len() > window;
            let (mut taken, mut cursor) = (0, Cursor::new(part.text(window)));
            let miss = loop {
                match regular_text(&mut cursor, self.keeps_blanks) {
                    Ok(text) if text.len() > self.limits.text_bytes => break Miss::Irregular,
                    Ok(text) => self.texts.push_str(&text),
                    Err(miss) => break miss,
                }
                self.texts.end(self.limits)?;
                taken = cursor.position();
            };
            part.consume(taken);
            if self.texts.len() > number || miss == Miss::Irregular {
                return Ok(());
            }
            window = if taken > 0 { WINDOW } else { window.saturating_mul(2) };
            if !has_more && !reader.get_mut().read_on().map_err(SheetError::damaged)? {
                return Ok(());
            }
        }
    }

    fn read_one(&mut self) -> Result<(), SheetError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        loop {
            self.scratch.buffer.clear();
            let event = reader.read_event_into(&mut self.scratch.buffer).map_err(SheetError::damaged)?;
            if !self.elements.includes(&event)? {
                continue;
            }
            match event {
                Event::Start(start) => match start.local_name().as_ref() {
                    "sst" => self.keeps_blanks = keeps_blanks(&start).unwrap_or_default(),
                    "si" => {
                        let own = keeps_blanks(&start).unwrap_or(self.keeps_blanks);
                        self.text.clear();
                        self.one_was_read |= start.name().prefix().is_none();
                        let source = (reader, &mut self.elements);
                        rich_text(source, ("si", own), &mut self.scratch, (&mut self.text, self.limits))?;
                        self.texts.push_str(&self.text);
                        return self.texts.end(self.limits);
                    }
                    _ => {}
                },
                Event::End(end) if end.local_name().as_ref() == "sst" => break,
                Event::Eof => return Err(SheetError::damaged("the shared texts are cut off")),
                _ => {}
            }
        }
        self.reader = None;
        Ok(())
    }
}

/// A shared text in one piece.
fn regular_text<'t>(cursor: &mut Cursor<'t>, keeps_blanks: bool) -> Result<Cow<'t, str>, Miss> {
    cursor.skip_blanks();
    cursor.expect(b"<si>")?;
    let text = text_element(cursor, keeps_blanks)?;
    cursor.skip_blanks();
    cursor.expect(b"</si>")?;
    Ok(text)
}

/// A text without the blanks around it.
pub(super) fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches(BLANKS)),
        Cow::Owned(text) => Cow::Owned(text.trim_matches(BLANKS).to_owned()),
    }
}

/// Whether blanks count, for the element that is read and those around it: a bit each, the innermost one last.
struct PreservedSpace(u64, u32);

/// Elements within a text.
const MOST_DEPTH: u32 = 60;

impl PreservedSpace {
    fn now(&self) -> bool {
        self.0 & 1 == 1
    }

    fn enter(&mut self, own: Option<bool>) -> Result<(), SheetError> {
        if self.1 >= MOST_DEPTH {
            return Err(SheetError::damaged("a text is nested too deeply"));
        }
        *self = Self(self.0 << 1 | u64::from(own.unwrap_or(self.now())), self.1 + 1);
        Ok(())
    }

    fn leave(&mut self) {
        if self.1 > 0 {
            *self = Self(self.0 >> 1, self.1 - 1);
        }
    }
}

/// Reads on to the end of the element `closing` and adds its text: that of its `t` elements, but for those that tell how it is
/// spoken. Blanks around a text count where the element or one around it says so.
pub(super) fn rich_text(
    (reader, elements): (&mut XmlReader<'_>, &mut PartElements),
    (closing, keeps): (&str, bool),
    scratch: &mut Scratch,
    (out, limits): (&mut String, &Limits),
) -> Result<(), SheetError> {
    let mut kept = PreservedSpace(keeps.into(), 0);
    let (mut spoken, mut inside) = (0_u32, false);
    let Scratch { buffer, part } = scratch;
    loop {
        buffer.clear();
        let event = reader.read_event_into(buffer).map_err(SheetError::damaged)?;
        if !elements.includes(&event)? {
            continue;
        }
        match event {
            Event::Start(start) => {
                kept.enter(keeps_blanks(&start))?;
                match start.local_name().as_ref() {
                    "rPh" => spoken += 1,
                    "t" => {
                        inside = spoken == 0;
                        part.clear();
                    }
                    _ => {}
                }
            }
            Event::End(end) => {
                match end.local_name().as_ref() {
                    "t" => {
                        if inside {
                            let text = if kept.now() { part.as_str() } else { part.trim_matches(BLANKS) };
                            out.push_str(&without_escapes(text));
                        }
                        part.clear();
                        inside = false;
                    }
                    "rPh" => spoken = spoken.saturating_sub(1),
                    name if name == closing => return Ok(()),
                    _ => {}
                }
                kept.leave();
            }
            Event::Text(text) if inside => part.push_str(&text.xml10_content()),
            Event::CData(text) if inside => part.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) if inside => push_reference(&reference, part)?,
            Event::Eof => return Err(SheetError::damaged("a text is cut off")),
            _ => {}
        }
        if part.len() + out.len() > limits.text_bytes {
            return Err(SheetError::too_large(Measure::TextBytes, limits.text_bytes as u64));
        }
    }
}
