//! A site's schema: asked for by introspection, kept with its date, asked for again when somebody says so.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use takt_client::Canceller;

use super::GraphqlSchema;
use takt_core::{Code, Problem};
use takt_sites::SiteKind;

use crate::GraphQl;

/// What every service of the last years understands; nothing newer is asked for.
const INTROSPECTION: &str = include_str!("introspection.graphql");
const NAME: &str = "IntrospectionQuery";
/// Characters of JSON; a larger schema is asked for anew each time.
const MAX_STORED_SIZE: usize = 32_000_000;

/// A schema belongs to an address: a site that moved has another one.
#[derive(Debug, Serialize, Deserialize)]
struct CachedSchema {
    address: String,
    schema: GraphqlSchema,
}

impl GraphQl {
    /// The site's schema as it was told last; `again` asks whatever is known. A site that doesn't tell it gives its reasons.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, or the contract has no operation for queries.
    /// - [`Code::Precondition`]: it was cancelled (`query-stopped`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't answer.
    /// - A [journal code](takt_core::problem#journal-codes): what was kept can't be read, or the schema can't be written.
    pub async fn schema(&self, site: &str, again: bool, canceller: &Canceller) -> Result<GraphqlSchema, Problem> {
        let address = self.schema_address(site)?;
        if !again && let Some(kept) = self.cached_schema(site)?.filter(|kept| kept.address == address) {
            return Ok(kept.schema);
        }
        let body = json!({ "query": INTROSPECTION, "operationName": NAME });
        let answer = self.ask(site, &body, canceller).await?;
        let known = answer.data().get("__schema").is_some_and(Value::is_object);
        let schema = GraphqlSchema {
            at: (self.clock)().to_string(),
            introspection: known.then(|| answer.data().clone()),
            reasons: answer.errors().into_iter().map(|error| error.message).collect(),
        };
        let stored = serde_json::to_value(CachedSchema { address, schema: schema.clone() })
            .map_err(|error| Problem::new(Code::Bug).details(error))?;
        if answer.text().len() <= MAX_STORED_SIZE {
            self.journal.settings().set(&key(site), &stored)?;
        }
        Ok(schema)
    }

    pub(super) fn forget_schema(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&key(site))?;
        Ok(())
    }

    fn cached_schema(&self, site: &str) -> Result<Option<CachedSchema>, Problem> {
        let stored = self.journal.settings().get(&key(site))?;
        // What an earlier Takt kept otherwise is asked for anew.
        Ok(stored.and_then(|kept| serde_json::from_value(kept).ok()))
    }

    /// The practice plant is the same wherever it listens this time.
    fn schema_address(&self, site: &str) -> Result<String, Problem> {
        let site = self.sites.find(site)?;
        Ok(if site.kind == SiteKind::Practice { String::new() } else { site.base_url })
    }
}

fn key(site: &str) -> String {
    format!("graphql-schema:{site}")
}
