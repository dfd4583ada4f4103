//! A site's document: bytes to a bounded model of its operations.
//!
//! | module | owns |
//! |---|---|
//! | `source` | bytes to text to one JSON value |
//! | `place` | the line of a value, looked up where something is wrong with it |
//! | `address` | where paths lie at a site |
//! | `check` | what must hold of the structure |
//! | `operations` | path items into operations, parameters, bodies and answers |
//!
//! Both kept crates with types for OpenAPI cover one version only: `openapiv3` reads 3.0, `oas3` reads 3.1, and each refuses
//! a whole document for one member that its types don't expect. So the document stays a JSON value, and what is needed of it
//! is read here, for both versions in the same way. The parsers themselves are serde_json and serde-saphyr.

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

/// An OpenAPI 3.0 or 3.1 document. Its operations are read; its schemas are resolved when they are asked for.
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

/// One operation as the document states it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentOperation {
    /// Upper case.
    pub method: String,
    /// As the document writes it; of a webhook its name.
    pub path: String,
    pub operation_id: Option<String>,
    pub tags: Vec<String>,
    pub summary: String,
    pub description: String,
    pub deprecated: bool,
    pub parameters: Vec<DocumentParameter>,
    /// The schema of what is sent, where it is JSON.
    pub request: Option<SchemaPointer>,
    pub answers: Vec<DocumentAnswer>,
    /// Its `x-takt-operation`, where the document carries Takt's marks.
    pub mark: Option<String>,
    /// The operation itself in the document, as a JSON pointer.
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
    /// The parameter itself in the document, as a JSON pointer.
    pub pointer: String,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentPlace {
    Path,
    Query,
    Header,
    Cookie,
}

/// What is answered with one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentAnswer {
    /// `200`, `2XX` or `default`.
    pub status: String,
    /// The body, where it is JSON.
    pub schema: Option<SchemaPointer>,
    /// The headers' names.
    pub headers: Vec<String>,
}

impl DocumentAnswer {
    /// Whether it is the answer to what went well.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.starts_with('2')
    }
}

/// Where a schema stands in the document, as a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaPointer(pub(crate) String);

impl Document {
    /// Reads a document in JSON or YAML.
    ///
    /// # Errors
    /// Where it is no text, too large, no JSON or YAML, no OpenAPI 3.0 or 3.1, or wrong in what is read of it.
    pub fn read(bytes: &[u8]) -> Result<Self, DocumentError> {
        let text = source::text(bytes)?;
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

    /// The version of the service that it describes.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The servers' addresses, variables filled with their defaults. Often relative, often none.
    #[must_use]
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// Every operation, in the document's order.
    #[must_use]
    pub fn operations(&self) -> &[DocumentOperation] {
        &self.operations
    }

    /// What the service sends of itself (`webhooks`, and the `callbacks` of operations), by its name.
    #[must_use]
    pub fn webhooks(&self) -> &[DocumentOperation] {
        &self.webhooks
    }

    /// References into other files and addresses: they aren't followed, and what they name is unknown.
    #[must_use]
    pub fn external_references(&self) -> &[String] {
        &self.external
    }

    /// The document itself.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What a schema says, references and unions resolved.
    #[must_use]
    pub fn schema(&self, pointer: &SchemaPointer) -> Schema<'_> {
        match self.value.pointer(&pointer.0) {
            Some(value) => self.resolve(&Node::of(value)),
            None => Schema::default(),
        }
    }

    /// What a part of a schema says: an item of its list, a member.
    #[must_use]
    pub fn resolve<'a>(&'a self, node: &Node<'a>) -> Schema<'a> {
        resolve(&self.value, node)
    }

    /// A mark (`x-takt-…`) of the value at a pointer.
    #[must_use]
    pub fn mark(&self, pointer: &str, name: &str) -> Option<&Value> {
        self.value.pointer(pointer)?.get(name)
    }
}

/// Refuses what is no OpenAPI 3.0 or 3.1.
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
    let place = place::find(text, &fault.pointer);
    DocumentError::Structure { line: place.line, column: place.column, pointer: fault.pointer, fault: fault.fault }
}

/// Why operations can't be read: too many of them, or a fault.
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
