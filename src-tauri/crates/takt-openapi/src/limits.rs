//! What a document may ask for at most. A document of a site has some thousand lines; these bounds stop hostile ones.

/// Bytes of a document.
pub(crate) const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Objects in lists in objects. `serde_json` refuses more than 128.
pub(crate) const MAX_DEPTH: usize = 120;
/// Values of a YAML document, those included that its aliases repeat.
pub(crate) const MAX_NODES: usize = 4_000_000;
/// Events that aliases of a YAML document may repeat.
pub(crate) const MAX_REPEATED: usize = 1_000_000;
/// Operations and webhooks together.
pub(crate) const MAX_OPERATIONS: usize = 5_000;
/// Parameters of all operations together.
pub(crate) const MAX_PARAMETERS: usize = 100_000;
/// References that lead to references.
pub(crate) const MAX_REFERENCES: usize = 16;
/// Parts of one schema: itself, what it refers to, and what `allOf`, `oneOf` and `anyOf` add.
pub(crate) const MAX_PARTS: usize = 200;
/// `allOf` in `oneOf` in `allOf` of one schema.
pub(crate) const MAX_NESTING: usize = 16;
/// Members of one object.
pub(crate) const MAX_MEMBERS: usize = 2_000;
/// Values of one enumeration.
pub(crate) const MAX_CODES: usize = 1_000;
