//! What a delete of template-process links takes with it: the orders that are made by those templates.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_client::Canceller;
use takt_contract::{Operation, RefersTo};

use super::cancelled;
use crate::{BrowseQuery, Engine, Problem, browse::ReadRequest, read_back::text};

/// A list with more pages than this isn't read for the sake of a warning.
const MOST_PAGES: u32 = 300;
/// So many are named; all are counted.
const MOST_NAMED: usize = 200;

/// An order that is made by a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct AffectedOrder {
    pub template: String,
    /// Its business key, the parts joined with ` · `.
    pub key: String,
}

/// What names templates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Affected {
    /// The first of them.
    pub orders: Vec<AffectedOrder>,
    pub total: u32,
    /// False where there is more than could be read: then more may be affected.
    pub whole: bool,
}

impl Engine {
    /// What on the site names these templates: it loses the links that are deleted there.
    pub async fn affected_by(&self, site: &str, templates: &[i64], canceller: &Canceller) -> Result<Affected, Problem> {
        let wanted: BTreeSet<String> = templates.iter().map(i64::to_string).collect();
        let mut affected = Affected { whole: true, ..Affected::default() };
        for (list, member) in self.naming_templates() {
            let query = BrowseQuery { operation: list.id.clone(), ..BrowseQuery::default() };
            let request = ReadRequest::new(self.contract(), &query)?;
            let mut pages = self.client(site)?.pages(&request.path, &request.query, &request.shape.member);
            while let Some(page) = pages.next(canceller).await.map_err(|error| cancelled(site, error))? {
                page.rows.values().for_each(|row| affected.see(&row, list, &member, &wanted));
                if page.progress.page >= MOST_PAGES || page.progress.pages.is_some_and(|pages| pages > MOST_PAGES) {
                    affected.whole = false;
                    break;
                }
            }
        }
        Ok(affected)
    }

    /// The lists whose rows name a template, each with the member that does.
    fn naming_templates(&self) -> Vec<(&Operation, String)> {
        let contract = self.contract();
        let by_template = |refers_to: &RefersTo| refers_to.single.is_some();
        let mut found: Vec<(&Operation, String)> = Vec::new();
        for operation in contract.operations() {
            let (Some(shape), Some(back)) = (&operation.request, &operation.read_back) else { continue };
            for field in shape.fields.iter().filter(|field| field.refers_to.as_ref().is_some_and(by_template)) {
                let list = contract.operation(&back.list);
                let list = list.filter(|list| {
                    list.answer.as_ref().is_some_and(|rows| rows.fields.iter().any(|known| known.name == field.name))
                });
                found.extend(list.map(|list| (list, field.name.clone())));
            }
        }
        found.dedup_by(|one, other| one.0.id == other.0.id && one.1 == other.1);
        found
    }
}

impl Affected {
    fn see(&mut self, row: &Value, list: &Operation, member: &str, wanted: &BTreeSet<String>) {
        let template = row.get(member).map(text).unwrap_or_default();
        if !wanted.contains(&template) {
            return;
        }
        self.total += 1;
        if self.orders.len() < MOST_NAMED {
            let parts = list.key.iter().filter_map(|name| row.get(name).map(text)).filter(|part| !part.is_empty());
            self.orders.push(AffectedOrder { template, key: parts.collect::<Vec<_>>().join(" · ") });
        }
    }
}
