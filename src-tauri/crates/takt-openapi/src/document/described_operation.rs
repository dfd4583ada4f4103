//! An operation as the document describes it.

/// The methods of OpenAPI 3.0 and 3.1, as path items write them.
pub(super) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

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
