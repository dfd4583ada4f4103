//! The parameters of a read: the parameters of the document's operation, and the members of its body.

use serde_json::Value;

use crate::{
    Document,
    document::{DocumentOperation, ParameterLocation},
    schema::{Schema, SchemaKind},
};

/// The maximum level of nested objects of a body that are searched.
const MAX_LEVEL: usize = 3;
/// The maximum number of members that are searched per object.
const MAX_WIDTH: usize = 60;

/// A parameter or a member of the body.
#[derive(Debug, Clone)]
pub(crate) struct ReadParameter<'a> {
    /// The name of a parameter, or the dotted path of a member.
    pub(crate) name: String,
    /// None for a member of the body.
    pub(crate) place: Option<ParameterLocation>,
    pub(crate) required: bool,
    pub(crate) description: String,
    pub(crate) schema: Schema<'a>,
    /// The parameter's node in the document. None for a member.
    node: Option<&'a Value>,
}

impl<'a> ReadParameter<'a> {
    /// Returns the last name of a dotted path: `PageNumber` of `Paging.PageNumber`.
    pub(crate) fn last_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// Returns one of Takt's marks.
    pub(crate) fn mark(&self, name: &str) -> Option<&'a Value> {
        match self.node {
            Some(node) => node.get(name),
            None => self.schema.mark(name),
        }
    }
}

/// Returns the parameters of an operation in the document's order, followed by the members of its body unless it is a
/// `GET`.
pub(crate) fn read_parameters<'a>(document: &'a Document, operation: &DocumentOperation) -> Vec<ReadParameter<'a>> {
    let own = operation.parameters.iter().map(|one| ReadParameter {
        name: one.name.clone(),
        place: Some(one.place),
        required: one.required,
        description: one.description.clone(),
        schema: one.schema.as_ref().map(|schema| document.schema(schema)).unwrap_or_default(),
        node: document.value().pointer(&one.pointer),
    });
    let mut parameters: Vec<ReadParameter<'a>> = own.collect();
    if let Some(body) = document.request_body(operation).filter(|_| operation.method != "GET") {
        collect_members(document, &body, "", true, 1, &mut parameters);
    }
    parameters
}

fn collect_members<'a>(
    document: &'a Document,
    body: &Schema<'a>,
    prefix: &str,
    required: bool,
    level: usize,
    parameters: &mut Vec<ReadParameter<'a>>,
) {
    for member in body.members.iter().take(MAX_WIDTH) {
        let name = if prefix.is_empty() { member.name.to_owned() } else { format!("{prefix}.{}", member.name) };
        let (schema, required) = (document.resolve(&member.node), required && member.required);
        let is_leaf = schema.mark("x-takt-field").is_some();
        if schema.is_object() && !is_leaf {
            if level < MAX_LEVEL {
                collect_members(document, &schema, &name, required, level + 1, parameters);
            }
            continue;
        }
        let is_object_list = |list: &Schema<'a>| {
            list.kind == Some(SchemaKind::List)
                && list.items.as_ref().is_some_and(|items| document.resolve(items).is_object())
        };
        if is_object_list(&schema) && !is_leaf {
            continue;
        }
        let description = schema.description.unwrap_or_default().to_owned();
        parameters.push(ReadParameter { name, place: None, required, description, schema, node: None });
    }
}
