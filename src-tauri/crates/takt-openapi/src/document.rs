//! A site's document as a bounded model of its operations.
//!
//! | module | owns |
//! |---|---|
//! | `source` | bytes to text to one JSON value |
//! | `place` | the line of a value, looked up only for faults |
//! | `address` | paths relative to a site's base address |
//! | `check` | the checks of the structure |
//! | `operations` | path items to operations, parameters, bodies and responses |
//!
//! The available crates with OpenAPI types read one version each (`openapiv3` 3.0, `oas3` 3.1). Both refuse the whole
//! document if one member doesn't fit their types. So the document stays a JSON value, and this module reads the same
//! parts of both versions.

mod address;
mod check;
mod operations;
mod place;
mod source;

use serde_json::Value;

use crate::{
    DocumentError, StructureFault,
    error::Fault,
    reference::plain,
    schema::{Node, Schema, resolve},
};

/// The methods of OpenAPI 3.0 and 3.1, as path items write them.
pub(crate) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// An OpenAPI 3.0 or 3.1 document. Its operations are read at once, its schemas are resolved on request.
///
/// ```
/// use takt_openapi::Document;
///
/// # fn main() -> Result<(), takt_openapi::DocumentError> {
/// let document = Document::read(b"openapi: 3.0.1\npaths:\n  /items:\n    get:\n      responses: {}\n")?;
/// let operation = &document.operations()[0];
/// assert_eq!((operation.method.as_str(), operation.path.as_str()), ("GET", "/items"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
    title: String,
    version: String,
    servers: Vec<String>,
    site_paths: address::SitePaths,
    operations: Vec<DocumentOperation>,
    webhooks: Vec<DocumentOperation>,
    external: Vec<String>,
}

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
    pub answers: Vec<DocumentAnswer>,
    /// Its `x-takt-operation`, if the document has Takt's marks.
    pub mark: Option<String>,
    /// The JSON pointer of the operation in the document.
    pub pointer: String,
}

/// A parameter in the path, the query or a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentParameter {
    pub name: String,
    pub place: DocumentPlace,
    pub required: bool,
    pub description: String,
    pub schema: Option<SchemaPointer>,
    /// The JSON pointer of the parameter in the document.
    pub pointer: String,
}

/// The `in` of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentPlace {
    Path,
    Query,
    Header,
    Cookie,
}

/// A response with one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentAnswer {
    /// `200`, `2XX` or `default`.
    pub status: String,
    /// The schema of the body if it is JSON.
    pub schema: Option<SchemaPointer>,
    /// The names of the headers.
    pub headers: Vec<String>,
}

impl DocumentAnswer {
    /// Returns whether the status is 2xx.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.starts_with('2')
    }
}

/// The JSON pointer of a schema in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaPointer(pub(crate) String);

impl Document {
    /// Reads a document in JSON or YAML.
    ///
    /// # Errors
    /// Fails if the bytes exceed a limit, or aren't OpenAPI 3.0 or 3.1 in JSON or YAML. Also fails if a part that is
    /// read has a fault.
    pub fn read(bytes: &[u8]) -> Result<Self, DocumentError> {
        let text = source::decode(bytes)?;
        let value = source::parse(&text)?;
        version(&value)?;
        let located = |fault| locate(&text, fault);
        check::check(&value).map_err(located)?;
        let mut reader = operations::OperationReader::new(&value);
        let read = reader.paths().and_then(|operations| {
            let webhooks = reader.webhooks(&operations)?;
            Ok((operations, webhooks))
        });
        let (operations, webhooks) = read.map_err(|error| error.into_document_error(located))?;
        let external = reader.external();
        let info = |name: &str| value.pointer(&format!("/info/{name}")).map(plain).unwrap_or_default();
        Ok(Self {
            title: info("title"),
            version: info("version"),
            servers: servers(&value),
            site_paths: address::SitePaths::default(),
            operations,
            webhooks,
            external,
            value,
        })
    }

    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The version of the described service.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The addresses of the servers, with variables replaced by their defaults. Often relative, often empty.
    #[must_use]
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// Every operation, in the document's order.
    #[must_use]
    pub fn operations(&self) -> &[DocumentOperation] {
        &self.operations
    }

    /// The operations that the service calls (`webhooks`, and the `callbacks` of operations), by name.
    #[must_use]
    pub fn webhooks(&self) -> &[DocumentOperation] {
        &self.webhooks
    }

    /// References to other files and addresses. They aren't followed, so their content is unknown.
    #[must_use]
    pub fn external_references(&self) -> &[String] {
        &self.external
    }

    /// The document as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Resolves a schema with its references and unions.
    #[must_use]
    pub fn schema(&self, pointer: &SchemaPointer) -> Schema<'_> {
        match self.value.pointer(&pointer.0) {
            Some(value) => self.resolve(&Node::new(value)),
            None => Schema::default(),
        }
    }

    /// Resolves a part of a schema: an item of a list or a member.
    #[must_use]
    pub fn resolve<'a>(&'a self, node: &Node<'a>) -> Schema<'a> {
        resolve(&self.value, node)
    }

    /// Returns a mark (`x-takt-…`) of the value at a pointer.
    #[must_use]
    pub fn mark(&self, pointer: &str, name: &str) -> Option<&Value> {
        self.value.pointer(pointer)?.get(name)
    }
}

/// Refuses documents other than OpenAPI 3.0 and 3.1.
fn version(value: &Value) -> Result<(), DocumentError> {
    let Some(members) = value.as_object() else { return Err(DocumentError::NotOpenApi) };
    if members.contains_key("swagger") && !members.contains_key("openapi") {
        return Err(DocumentError::Swagger2);
    }
    // YAML reads an unquoted `3.1` as a number.
    let version = members.get("openapi").map(plain).ok_or(DocumentError::NotOpenApi)?;
    let known = ["3.0", "3.1"].iter().any(|known| version == *known || version.starts_with(&format!("{known}.")));
    if known { Ok(()) } else { Err(DocumentError::OtherVersion { version: version.chars().take(40).collect() }) }
}

fn locate(text: &str, fault: Fault) -> DocumentError {
    let position = place::find_position(text, &fault.pointer);
    DocumentError::Structure {
        line: position.line,
        column: position.column,
        pointer: fault.pointer,
        fault: fault.fault,
    }
}

/// Why operations can't be read: a fault, or too many of them.
#[derive(Debug)]
enum ReadError {
    Fault(Fault),
    Document(DocumentError),
}

impl ReadError {
    fn into_document_error(self, locate: impl Fn(Fault) -> DocumentError) -> DocumentError {
        match self {
            Self::Fault(fault) => locate(fault),
            Self::Document(error) => error,
        }
    }

    fn endless(pointer: &str, reference: &str) -> Self {
        Self::Fault(Fault::new(pointer, StructureFault::EndlessReference(reference.to_owned())))
    }
}

fn servers(document: &Value) -> Vec<String> {
    let servers = document.get("servers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    servers.iter().take(20).filter_map(server).collect()
}

fn server(server: &Value) -> Option<String> {
    let mut address = server.get("url")?.as_str()?.to_owned();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten().take(20) {
        let default = variable.get("default").map(plain).unwrap_or_default();
        if default.len() <= 500 && address.len() <= 5_000 {
            address = address.replace(&format!("{{{name}}}"), &default);
        }
    }
    Some(address)
}
