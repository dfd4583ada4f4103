//! Limits on documents. A site's document has a few thousand lines. These limits stop hostile documents.

/// Bytes of a document.
pub(crate) const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Levels of nested objects and lists. `serde_json` refuses more than 128.
pub(crate) const MAX_DEPTH: usize = 120;
/// Values of a YAML document, including those that its aliases repeat.
pub(crate) const MAX_NODES: usize = 4_000_000;
/// Events that aliases of a YAML document may repeat.
pub(crate) const MAX_REPEATED: usize = 1_000_000;
/// Operations and webhooks together.
pub(crate) const MAX_OPERATIONS: usize = 5_000;
/// Parameters of all operations together.
pub(crate) const MAX_PARAMETERS: usize = 100_000;
/// Steps in a chain of references.
pub(crate) const MAX_REFERENCES: usize = 16;
/// Parts of one schema: itself, its references, and the parts of `allOf`, `oneOf` and `anyOf`.
pub(crate) const MAX_PARTS: usize = 200;
/// Levels of nested `allOf` and `oneOf` in one schema.
pub(crate) const MAX_NESTING: usize = 16;
/// Members of one object.
pub(crate) const MAX_MEMBERS: usize = 2_000;
/// Values of one enumeration.
pub(crate) const MAX_CODES: usize = 1_000;
