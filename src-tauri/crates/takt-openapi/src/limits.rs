//! Limits on documents. A site's document has a few thousand lines. These limits stop hostile documents.

/// The maximum size of a document, in bytes.
pub(crate) const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The maximum depth of nested objects and lists. `serde_json` refuses more than 128.
pub(crate) const MAX_DEPTH: usize = 120;
/// The maximum number of values in a YAML document, including those that its aliases repeat.
pub(crate) const MAX_NODES: usize = 4_000_000;
/// The maximum number of parser events that aliases of a YAML document may repeat.
pub(crate) const MAX_ALIAS_EVENTS: usize = 1_000_000;
/// The maximum number of operations and webhooks together.
pub(crate) const MAX_OPERATIONS: usize = 5_000;
/// The maximum number of parameters of all operations together.
pub(crate) const MAX_PARAMETERS: usize = 100_000;
/// The maximum number of references in a chain.
pub(crate) const MAX_REFERENCE_CHAIN: usize = 16;
/// The maximum number of parts of one schema: itself, its references, and the parts of `allOf`, `oneOf` and `anyOf`.
pub(crate) const MAX_SCHEMA_PARTS: usize = 200;
/// The maximum depth of nested `allOf`, `oneOf` and references in one schema.
pub(crate) const MAX_SCHEMA_NESTING: usize = 16;
/// The maximum number of members of one object.
pub(crate) const MAX_MEMBERS: usize = 2_000;
/// The maximum number of values of one enumeration.
pub(crate) const MAX_CODES: usize = 1_000;
