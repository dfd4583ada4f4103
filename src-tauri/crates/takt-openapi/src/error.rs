//! The errors of reading a document.

use serde::Serialize;

/// The reason why a document is refused. Lines and columns are 1-based.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("the document is not text in UTF-8 or UTF-16")]
    NotText,
    #[error("the document has {bytes} bytes; at most {limit} are read")]
    TooLarge { bytes: usize, limit: usize },
    #[error("the document has more {part} than {limit}")]
    TooComplex { part: ComplexPart, limit: usize },
    #[error("line {line}, column {column}: {reason}")]
    Syntax { line: u64, column: u64, reason: String },
    /// Swagger 2.0, which can be converted: `npx swagger2openapi FILE -o openapi.json`, or with an editor for Swagger.
    #[error("the document is Swagger 2.0; convert it to OpenAPI 3, for example with swagger2openapi")]
    Swagger2,
    #[error("the document is OpenAPI {version}; 3.0 and 3.1 are read")]
    OtherVersion { version: String },
    #[error("the document is no OpenAPI document: it has no member `openapi`")]
    NotOpenApi,
    #[error("line {line}, column {column}, `{pointer}`: {fault}")]
    Structure { line: u64, column: u64, pointer: String, fault: StructureFault },
}

/// The part of a document that exceeds its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum ComplexPart {
    #[error("levels of nesting")]
    Depth,
    #[error("values, or repetitions by aliases,")]
    Nodes,
    #[error("operations")]
    Operations,
    #[error("parameters")]
    Parameters,
}

/// A fault in one value of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", tag = "fault", content = "detail")]
pub enum StructureFault {
    #[error("it is not an object")]
    NotAnObject,
    #[error("it is not a list")]
    NotAList,
    #[error("it is not text")]
    NotText,
    #[error("it is not a schema: neither an object nor true or false")]
    NotASchema,
    #[error("it lacks `{0}`")]
    Missing(String),
    #[error("the reference `{0}` points to nothing in the document")]
    DanglingReference(String),
    #[error("the reference `{0}` leads back to itself")]
    EndlessReference(String),
}

/// A fault whose line isn't known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) pointer: String,
    pub(crate) fault: StructureFault,
}

impl Fault {
    pub(crate) fn new(pointer: impl Into<String>, fault: StructureFault) -> Self {
        Self { pointer: pointer.into(), fault }
    }
}
