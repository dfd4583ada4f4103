//! Where in the text a value stands. Looked up only once something is wrong with it, by reading the text again with the
//! YAML parser: JSON is YAML, too.

use serde_saphyr::granit_parser::{Event, Parser};

use crate::reference::unescape;

/// Line and column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// One list or object that is open while the text is read.
enum Open {
    List(usize),
    /// The member that is read, or none where its name comes next.
    Object(Option<String>),
}

/// Where the value of a JSON pointer begins, or the nearest value around it that the text has.
pub(super) fn find(text: &str, pointer: &str) -> Place {
    let wanted: Vec<String> = pointer.split('/').skip(1).map(unescape).collect();
    let mut nearest = (0, Place { line: 1, column: 1 });
    let mut open: Vec<Open> = Vec::new();
    for (event, span) in Parser::new_from_str(text).flatten() {
        let name = match &event {
            Event::Scalar(text, ..) => Some(text.as_ref()),
            Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => None,
            Event::SequenceEnd | Event::MappingEnd => {
                open.pop();
                close_value(&mut open);
                continue;
            }
            _ => continue,
        };
        if let (Some(Open::Object(member @ None)), Some(name)) = (open.last_mut(), name) {
            *member = Some(name.to_owned());
            continue;
        }
        if let Some(depth) = depth(&open, &wanted).filter(|depth| *depth > nearest.0) {
            let place = Place { line: span.start.line() as u64, column: span.start.col() as u64 + 1 };
            nearest = (depth, place);
            if depth == wanted.len() {
                break;
            }
        }
        match event {
            Event::SequenceStart(..) => open.push(Open::List(0)),
            Event::MappingStart(..) => open.push(Open::Object(None)),
            _ => close_value(&mut open),
        }
    }
    nearest.1
}

/// After a value: the list's next one, the object's next name.
fn close_value(open: &mut [Open]) {
    match open.last_mut() {
        Some(Open::List(index)) => *index = index.saturating_add(1),
        Some(Open::Object(member)) => *member = None,
        None => {}
    }
}

/// How many steps of the pointer lead to the value that begins here. None where it lies elsewhere.
fn depth(open: &[Open], wanted: &[String]) -> Option<usize> {
    if open.len() > wanted.len() {
        return None;
    }
    let same = open.iter().zip(wanted).all(|(open, step)| match open {
        Open::List(index) => index.to_string() == *step,
        Open::Object(member) => member.as_ref() == Some(step),
    });
    same.then_some(open.len())
}
