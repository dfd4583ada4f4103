//! The relationships between a package's parts.

use quick_xml::{Reader, events::Event};

use super::parts::{Package, has_part, small_part};
use crate::{SheetError, namespaces::PartElements, xml_text::plain_attribute};

/// A relationship from a `.rels` part.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The URI of its type.
    pub(crate) kind: String,
    pub(crate) target: String,
}

/// Returns the relationships of a `.rels` part, or none if there is no such part.
///
/// # Errors
/// If the part is damaged.
pub(crate) fn relations(package: &mut Package, name: &str) -> Result<Vec<Relation>, SheetError> {
    let content = small_part(package, name)?;
    content.map_or_else(|| Ok(Vec::new()), |content| parse_relations(&content).map_err(|error| error.in_part(name)))
}

fn parse_relations(content: &str) -> Result<Vec<Relation>, SheetError> {
    let mut reader = Reader::from_str(content);
    reader.config_mut().expand_empty_elements = true;
    let (mut elements, mut relations) = (PartElements::default(), Vec::new());
    loop {
        let event = reader.read_event().map_err(SheetError::damaged)?;
        if !elements.includes(&event)? {
            continue;
        }
        match event {
            Event::Start(start) if start.local_name().as_ref() == "Relationship" => {
                if let (Some(id), Some(target)) = (plain_attribute(&start, "Id"), plain_attribute(&start, "Target")) {
                    relations.push(Relation { id, kind: plain_attribute(&start, "Type").unwrap_or_default(), target });
                }
            }
            Event::Eof => return Ok(relations),
            _ => {}
        }
    }
}

/// Returns the name of the first part of a kind, or the usual name if no relationship names one. `folder` is that of the
/// part to which the relationships belong.
///
/// # Errors
/// If a relationship names a part that the package doesn't have.
pub(crate) fn part_of_kind(
    package: &Package,
    relations: &[Relation],
    kind: &str,
    folder: &str,
    usual: &str,
) -> Result<String, SheetError> {
    let Some(relation) = relations.iter().find(|relation| relation.kind.ends_with(kind)) else {
        return Ok(resolve_target(folder, usual));
    };
    let name = resolve_target(folder, &relation.target);
    if has_part(package, &name) { Ok(name) } else { Err(SheetError::missing_part(&name)) }
}

/// Resolves a relationship's target to the name of a part. `folder` is that of the part to which the relationship
/// belongs.
pub(crate) fn resolve_target(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut steps: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps.join("/")
}
