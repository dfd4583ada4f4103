//! A schema merged from all of its parts.
//!
//! | module | owns |
//! |---|---|
//! | `collect` | references, `allOf`, `oneOf` and `anyOf` into one [`Schema`] |
//! | `resolved_schema` | the schema, its members and nodes |
//! | `codes` | enumerations: values, and their names from generators |
//!
//! A schema is resolved one level deep. Its members and items are [`Node`]s, which are resolved on request, so a
//! recursive schema costs nothing. Callers that unfold a schema must bound the depth.

mod codes;
mod collect;
mod resolved_schema;

pub use codes::Code;
pub(crate) use collect::resolve;
pub use resolved_schema::{Member, Node, Schema, SchemaKind};
