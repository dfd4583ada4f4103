//! Finds the line of a value in the text, which only faults need. Reads the text again with the YAML parser, since JSON
//! is also YAML.

use serde_saphyr::granit_parser::{Event, Parser};

use crate::reference::unescape_step;

/// A 1-based line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// A list or object that is open at the current position.
enum OpenNode {
    List(usize),
    /// An object with the current member. `None` if a member's name comes next.
    Object(Option<String>),
}

/// Finds the start of the value at a JSON pointer, or of the nearest enclosing value in the text.
pub(super) fn find_position(text: &str, pointer: &str) -> Position {
    let wanted: Vec<String> = pointer.split('/').skip(1).map(unescape_step).collect();
    let mut nearest = (0, Position { line: 1, column: 1 });
    let mut open: Vec<OpenNode> = Vec::new();
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
        if let (Some(OpenNode::Object(member @ None)), Some(name)) = (open.last_mut(), name) {
            *member = Some(name.to_owned());
            continue;
        }
        if let Some(depth) = pointer_depth(&open, &wanted).filter(|depth| *depth > nearest.0) {
            let position = Position { line: span.start.line() as u64, column: span.start.col() as u64 + 1 };
            nearest = (depth, position);
            if depth == wanted.len() {
                break;
            }
        }
        match event {
            Event::SequenceStart(..) => open.push(OpenNode::List(0)),
            Event::MappingStart(..) => open.push(OpenNode::Object(None)),
            _ => close_value(&mut open),
        }
    }
    nearest.1
}

/// Advances past a value, to the list's next index or to the object's next name.
fn close_value(open: &mut [OpenNode]) {
    match open.last_mut() {
        Some(OpenNode::List(index)) => *index = index.saturating_add(1),
        Some(OpenNode::Object(member)) => *member = None,
        None => {}
    }
}

/// Returns how many steps of the pointer lead to the value that starts here. None if the pointer leads elsewhere.
fn pointer_depth(open: &[OpenNode], wanted: &[String]) -> Option<usize> {
    if open.len() > wanted.len() {
        return None;
    }
    let same = open.iter().zip(wanted).all(|(open, step)| match open {
        OpenNode::List(index) => index.to_string() == *step,
        OpenNode::Object(member) => member.as_ref() == Some(step),
    });
    same.then_some(open.len())
}
