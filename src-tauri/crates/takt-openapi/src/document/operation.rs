//! Operations as the document describes them, and reading them from path items.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    DocumentError, StructureFault,
    error::{ComplexPart, Fault},
    limits::{MAX_OPERATIONS, MAX_PARAMETERS, MAX_REFERENCE_CHAIN},
    reference::{ReferenceTarget, escape_step, find_target, scalar_text},
};

/// The methods of OpenAPI 3.0 and 3.1, in the lower case of path items.
pub(super) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/// The maximum number of characters of a description that are stored, which suffice to find words.
const MAX_DESCRIPTION_LENGTH: usize = 2_000;

/// An operation of the document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentOperation {
    /// The method in upper case.
    pub method: String,
    /// The path as the document writes it. For a webhook, its name.
    pub path: String,
    pub operation_id: Option<String>,
    pub tags: Vec<String>,
    pub summary: String,
    pub description: String,
    pub deprecated: bool,
    pub parameters: Vec<DocumentParameter>,
    /// The schema of the request body if it is JSON.
    pub request: Option<SchemaPointer>,
    pub responses: Vec<DocumentResponse>,
    /// The operation's `x-takt-operation`, if the document has Takt's marks.
    pub mark: Option<String>,
    /// The JSON pointer of the operation in the document.
    pub pointer: String,
}

/// A parameter in the path, the query or a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentParameter {
    pub name: String,
    pub place: ParameterLocation,
    pub required: bool,
    pub description: String,
    pub schema: Option<SchemaPointer>,
    /// The JSON pointer of the parameter in the document.
    pub pointer: String,
}

/// The `in` of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterLocation {
    Path,
    Query,
    Header,
    Cookie,
}

/// A response with one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentResponse {
    /// `200`, `2XX` or `default`.
    pub status: String,
    /// The schema of the body if it is JSON.
    pub schema: Option<SchemaPointer>,
    /// The names of the headers.
    pub headers: Vec<String>,
}

impl DocumentResponse {
    /// Returns whether the status is 2xx.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.starts_with('2')
    }
}

/// The JSON pointer of a schema in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaPointer(pub(crate) String);

/// Reads operations and counts them against the limits.
pub(super) struct OperationReader<'a> {
    document: &'a Value,
    operation_count: usize,
    parameter_count: usize,
    external: BTreeSet<String>,
}

/// A value, and its JSON pointer after its references were followed.
struct ResolvedNode<'a> {
    value: &'a Value,
    pointer: String,
}

impl<'a> OperationReader<'a> {
    pub(super) fn new(document: &'a Value) -> Self {
        let mut external = BTreeSet::new();
        collect_external(document, &mut external);
        Self { document, operation_count: 0, parameter_count: 0, external }
    }

    /// The references to other documents.
    pub(super) fn into_external_references(self) -> Vec<String> {
        self.external.into_iter().collect()
    }

    pub(super) fn read_paths(&mut self) -> Result<Vec<DocumentOperation>, ReadError> {
        self.read_items("paths")
    }

    /// Returns the operations that the service calls: webhooks and callbacks, by name.
    pub(super) fn read_webhooks(
        &mut self,
        operations: &[DocumentOperation],
    ) -> Result<Vec<DocumentOperation>, ReadError> {
        let mut webhooks = self.read_items("webhooks")?;
        for operation in operations {
            let callbacks =
                self.document.pointer(&operation.pointer).and_then(|node| node.get("callbacks")?.as_object());
            for (name, callback) in callbacks.into_iter().flatten().filter(|(name, _)| !name.starts_with("x-")) {
                let at = format!("{}/callbacks/{}", operation.pointer, escape_step(name));
                let Some(callback) = self.follow(callback, at)? else { continue };
                for (address, item) in callback.value.as_object().into_iter().flatten() {
                    self.read_item(
                        name,
                        item,
                        format!("{}/{}", callback.pointer, escape_step(address)),
                        &mut webhooks,
                    )?;
                }
            }
        }
        Ok(webhooks)
    }

    fn read_items(&mut self, part: &str) -> Result<Vec<DocumentOperation>, ReadError> {
        let mut operations = Vec::new();
        let items = self.document.get(part).and_then(Value::as_object);
        for (path, item) in items.into_iter().flatten().filter(|(path, _)| !path.starts_with("x-")) {
            self.read_item(path, item, format!("/{part}/{}", escape_step(path)), &mut operations)?;
        }
        Ok(operations)
    }

    fn read_item(
        &mut self,
        path: &str,
        item: &'a Value,
        pointer: String,
        operations: &mut Vec<DocumentOperation>,
    ) -> Result<(), ReadError> {
        let Some(item) = self.follow(item, pointer)? else { return Ok(()) };
        for method in METHODS {
            let Some(operation) = item.value.get(method) else { continue };
            self.operation_count += 1;
            if self.operation_count > MAX_OPERATIONS {
                return Err(too_complex_error(ComplexPart::Operations, MAX_OPERATIONS));
            }
            operations.push(self.read_operation(path, method, &item, operation)?);
        }
        Ok(())
    }

    fn read_operation(
        &mut self,
        path: &str,
        method: &str,
        item: &ResolvedNode<'a>,
        operation: &'a Value,
    ) -> Result<DocumentOperation, ReadError> {
        let pointer = format!("{}/{method}", item.pointer);
        let text = |name: &str| operation.get(name).and_then(Value::as_str).map(str::to_owned);
        let bounded = |name: &str| text(name).unwrap_or_default().chars().take(MAX_DESCRIPTION_LENGTH).collect();
        let tags = operation.get("tags").and_then(Value::as_array);
        Ok(DocumentOperation {
            method: method.to_uppercase(),
            path: path.to_owned(),
            operation_id: text("operationId").filter(|id| !id.is_empty()),
            tags: tags.into_iter().flatten().take(20).filter_map(Value::as_str).map(str::to_owned).collect(),
            summary: bounded("summary"),
            description: bounded("description"),
            deprecated: operation.get("deprecated") == Some(&Value::Bool(true)),
            parameters: self.read_parameters(item, operation, &pointer)?,
            request: self.read_request(operation, &pointer)?,
            responses: self.read_responses(operation, &pointer)?,
            mark: text("x-takt-operation"),
            pointer,
        })
    }

    /// Returns the parameters of the path item and of the operation. A parameter of the operation replaces one of the
    /// path item with the same name and place.
    fn read_parameters(
        &mut self,
        item: &ResolvedNode<'a>,
        operation: &'a Value,
        pointer: &str,
    ) -> Result<Vec<DocumentParameter>, ReadError> {
        let mut parameters: Vec<DocumentParameter> = Vec::new();
        for (owner, at) in [(item.value, item.pointer.as_str()), (operation, pointer)] {
            let list = owner.get("parameters").and_then(Value::as_array);
            for (index, raw) in list.into_iter().flatten().enumerate() {
                self.parameter_count += 1;
                if self.parameter_count > MAX_PARAMETERS {
                    return Err(too_complex_error(ComplexPart::Parameters, MAX_PARAMETERS));
                }
                let Some(node) = self.follow(raw, format!("{at}/parameters/{index}"))? else { continue };
                let Some(parameter) = read_parameter(&node) else { continue };
                let same = |other: &DocumentParameter| other.name == parameter.name && other.place == parameter.place;
                match parameters.iter().position(same).and_then(|index| parameters.get_mut(index)) {
                    Some(other) => *other = parameter,
                    None => parameters.push(parameter),
                }
            }
        }
        Ok(parameters)
    }

    fn read_request(&mut self, operation: &'a Value, pointer: &str) -> Result<Option<SchemaPointer>, ReadError> {
        let Some(body) = operation.get("requestBody") else { return Ok(None) };
        let body = self.follow(body, format!("{pointer}/requestBody"))?;
        Ok(body.and_then(|body| json_schema_pointer(&body)))
    }

    fn read_responses(&mut self, operation: &'a Value, pointer: &str) -> Result<Vec<DocumentResponse>, ReadError> {
        let mut answers = Vec::new();
        let responses = operation.get("responses").and_then(Value::as_object);
        for (status, answer) in responses.into_iter().flatten().take(100) {
            let at = format!("{pointer}/responses/{}", escape_step(status));
            let Some(answer) = self.follow(answer, at)? else { continue };
            let headers = answer.value.get("headers").and_then(Value::as_object);
            answers.push(DocumentResponse {
                status: status.clone(),
                schema: json_schema_pointer(&answer),
                headers: headers.into_iter().flatten().take(100).map(|(name, _)| name.clone()).collect(),
            });
        }
        Ok(answers)
    }

    /// Follows references within the document. Returns None for an external one.
    fn follow(&self, value: &'a Value, pointer: String) -> Result<Option<ResolvedNode<'a>>, ReadError> {
        let mut node = ResolvedNode { value, pointer };
        for _ in 0..MAX_REFERENCE_CHAIN {
            let Some(reference) = node.value.get("$ref").and_then(Value::as_str) else { return Ok(Some(node)) };
            match find_target(self.document, reference) {
                ReferenceTarget::Local(value) => {
                    let pointer = reference.trim_start_matches('#').to_owned();
                    node = ResolvedNode { value, pointer };
                }
                ReferenceTarget::External | ReferenceTarget::Dangling => return Ok(None),
            }
        }
        Err(ReadError::endless(&node.pointer, "$ref"))
    }
}

/// Reads a parameter. Returns None for an unknown `in`.
fn read_parameter(node: &ResolvedNode<'_>) -> Option<DocumentParameter> {
    let place = match node.value.get("in")?.as_str()?.to_lowercase().as_str() {
        "path" => ParameterLocation::Path,
        "query" => ParameterLocation::Query,
        "header" => ParameterLocation::Header,
        "cookie" => ParameterLocation::Cookie,
        _ => return None,
    };
    let schema = match node.value.get("schema") {
        Some(_) => Some(SchemaPointer(format!("{}/schema", node.pointer))),
        None => json_schema_pointer(node),
    };
    let description = node.value.get("description").map(scalar_text).unwrap_or_default();
    Some(DocumentParameter {
        name: node.value.get("name")?.as_str()?.to_owned(),
        place,
        required: place == ParameterLocation::Path || node.value.get("required") == Some(&Value::Bool(true)),
        description: description.chars().take(MAX_DESCRIPTION_LENGTH).collect(),
        schema,
        pointer: node.pointer.clone(),
    })
}

/// Returns the schema of a JSON body. If there are several media types, the plainest one is used.
fn json_schema_pointer(node: &ResolvedNode<'_>) -> Option<SchemaPointer> {
    let content = node.value.get("content")?.as_object()?;
    let (media, _) = content
        .iter()
        .take(50)
        .filter(|(_, content)| content.get("schema").is_some())
        .filter_map(|(media, _)| Some((media, json_rank(media)?)))
        .min_by_key(|(_, rank)| *rank)?;
    Some(SchemaPointer(format!("{}/content/{}/schema", node.pointer, escape_step(media))))
}

/// Ranks media types of JSON. The plainest has the lowest rank. Returns None for other media types.
fn json_rank(media: &str) -> Option<u8> {
    let essence = media.split(';').next().unwrap_or_default().trim().to_lowercase();
    match essence.as_str() {
        "application/json" => Some(0),
        "text/json" => Some(1),
        "*/*" | "application/*" => Some(4),
        "text/plain" => Some(5),
        other if other.ends_with("+json") => Some(if other.contains("patch") { 6 } else { 2 }),
        _ => None,
    }
}

fn too_complex_error(part: ComplexPart, limit: usize) -> ReadError {
    ReadError::Document(DocumentError::TooComplex { part, limit })
}

/// Collects the distinct external references. The parser's limit on nesting bounds the recursion.
fn collect_external(value: &Value, external: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(reference) if name == "$ref" && !reference.starts_with('#') && external.len() < 100 => {
                        external.insert(reference.chars().take(500).collect());
                    }
                    _ => collect_external(member, external),
                }
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_external(part, external)),
        _ => {}
    }
}

/// The reason why operations can't be read: a fault, or an exceeded limit.
#[derive(Debug)]
pub(super) enum ReadError {
    Fault(Fault),
    Document(DocumentError),
}

impl ReadError {
    pub(super) fn into_document_error(self, locate: impl Fn(Fault) -> DocumentError) -> DocumentError {
        match self {
            Self::Fault(fault) => locate(fault),
            Self::Document(error) => error,
        }
    }

    fn endless(pointer: &str, reference: &str) -> Self {
        Self::Fault(Fault::new(pointer, StructureFault::EndlessReference(reference.to_owned())))
    }
}
