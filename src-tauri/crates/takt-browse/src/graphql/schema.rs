//! Reads a site's schema by introspection and caches it with its date, until it is read again on request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use takt_client::Canceller;
use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};
use takt_sites::SiteKind;

use crate::graphql::client::GraphQl;
use crate::graphql::view::GraphqlSchema;

/// The introspection query. Its fields are supported by every service of recent years.
const INTROSPECTION: &str = include_str!("introspection.graphql");
const OPERATION_NAME: &str = "IntrospectionQuery";
/// The maximum bytes of a cached schema as JSON. A larger schema is read each time.
const MAX_STORED_LENGTH: usize = 32_000_000;

/// A cached schema with the site's address, because a site that moved may have another schema.
#[derive(Debug, Serialize, Deserialize)]
struct CachedSchema {
    address: String,
    schema: GraphqlSchema,
}

impl GraphQl {
    /// Returns the site's schema, from the cache unless `refresh` is true. For a site without introspection, the result
    /// contains the service's errors.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, or the contract has no operation for queries.
    /// - [`Code::Precondition`]: the query was canceled (`query-stopped`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't respond.
    /// - A [journal code](takt_core::problem#journal-codes): the cache can't be read or written.
    pub async fn schema(&self, site: &str, refresh: bool, canceller: &Canceller) -> Result<GraphqlSchema, Problem> {
        let (graphql, name) = (self.clone(), site.to_owned());
        let (address, cached) = run_blocking(move || {
            let address = graphql.schema_address(&name)?;
            let cached = if refresh { None } else { graphql.cached_schema(&name)? };
            Ok((address, cached))
        })
        .await?;
        if let Some(cached) = cached.filter(|cached| cached.address == address) {
            return Ok(cached.schema);
        }
        let body = json!({ "query": INTROSPECTION, "operationName": OPERATION_NAME });
        let answer = self.send(site, &body, canceller).await?;
        let known = answer.data().get("__schema").is_some_and(Value::is_object);
        let schema = GraphqlSchema {
            at: (self.clock)().to_string(),
            introspection: known.then(|| answer.data().clone()),
            reasons: answer.errors().into_iter().map(|error| error.message).collect(),
        };
        let stored = serde_json::to_value(CachedSchema { address, schema: schema.clone() })
            .map_err(|error| Problem::new(Code::Bug).details(error))?;
        if answer.text().len() <= MAX_STORED_LENGTH {
            let (journal, setting) = (Arc::clone(&self.journal), setting_name(site));
            run_blocking(move || Ok(journal.settings().set(&setting, &stored)?)).await?;
        }
        Ok(schema)
    }

    pub(super) fn forget_schema(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&setting_name(site))?;
        Ok(())
    }

    fn cached_schema(&self, site: &str) -> Result<Option<CachedSchema>, Problem> {
        let stored = self.journal.settings().get(&setting_name(site))?;
        // An entry in an earlier version's form is treated as missing.
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()))
    }

    /// Returns the address that a cached schema belongs to. Empty for the practice plant, whose port changes but not
    /// its schema.
    fn schema_address(&self, site: &str) -> Result<String, Problem> {
        let site = self.sites.find(site)?;
        Ok(if site.kind == SiteKind::Practice { String::new() } else { site.base_url })
    }
}

fn setting_name(site: &str) -> String {
    format!("graphql-schema:{site}")
}
