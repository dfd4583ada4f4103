//! Finds the orders that use templates.
//!
//! The uses of all templates are stored per site with their age. The orders affected by a delete are always read again.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_client::{Canceller, ClientError};
use takt_contract::{Cleanup, Operation, TemplateUser};

use super::{
    cleanup_contract::CleanupContract,
    stored_data,
    templates::Templates,
    view::{Affected, AffectedOrder, Ids, OrderStage, TemplateUseView},
};
use takt_browse::{BrowseProgress, BrowseQuery, read_back::key_text, request::ListRequest};
use takt_core::{Problem, blocking::run_blocking};
use takt_sites::SiteConnection;

use crate::link::CleanupLink;

/// Limits the listed orders. The counts include all of them.
const MAX_LISTED: usize = 200;
/// The age from which stored uses are ignored.
const MAX_USABLE_AGE: SignedDuration = SignedDuration::from_hours(12);

/// Limits the remembered operation codes of a site.
const MAX_OPERATION_CODES: usize = 200;

/// A row of a list whose rows use templates.
struct UsingRow<'a> {
    row: &'a Value,
    list: &'a Operation,
    user: &'a TemplateUser,
    cleanup: &'a Cleanup,
}

/// The number of orders that use a template. `running` counts those that have begun and not ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TemplateUse {
    pub(super) orders: u32,
    pub(super) running: u32,
}

/// The templates that a site's orders use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TemplateUses {
    pub(super) at: Timestamp,
    /// Stored under an earlier name.
    #[serde(rename = "whole")]
    pub(super) complete: bool,
    orders: u32,
    by_template: BTreeMap<i64, TemplateUse>,
    /// The operation codes of the orders.
    #[serde(default)]
    pub(super) operation_codes: BTreeSet<String>,
}

impl TemplateUses {
    pub(super) fn get(&self, template: i64) -> TemplateUse {
        self.by_template.get(&template).copied().unwrap_or_default()
    }

    fn view(&self) -> TemplateUseView {
        let ids: Vec<i64> = self.by_template.keys().copied().collect();
        TemplateUseView {
            at: self.at.to_string(),
            complete: self.complete,
            orders: self.orders,
            templates: Ids::new(&ids),
        }
    }
}

impl Templates {
    /// Returns the stored uses of templates. Returns `None` if they were never read, or too long ago.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn template_use(&self, site: &str) -> Result<Option<TemplateUseView>, Problem> {
        Ok(self.load_uses(site)?.map(|uses| uses.view()))
    }

    /// Returns operation codes to suggest for links: those of earlier deletes, the latest first, then those of the orders.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn operation_codes(&self, site: &str) -> Result<Vec<String>, Problem> {
        let mut codes = self.deleted_operation_codes(site)?;
        let of_orders = self.load_uses(site)?.map(|uses| uses.operation_codes).unwrap_or_default();
        let others: Vec<String> = of_orders.into_iter().filter(|code| !codes.contains(code)).collect();
        codes.extend(others);
        Ok(codes)
    }

    fn deleted_operation_codes(&self, site: &str) -> Result<Vec<String>, Problem> {
        Ok(stored_data::load_setting(&self.journal, stored_data::OPERATION_CODES_SETTING, site)?.unwrap_or_default())
    }

    /// Remembers the operation codes of deleted links, the latest first.
    pub(super) fn remember_operation_codes(&self, site: &str, deleted: &[CleanupLink]) -> Result<(), Problem> {
        let mut codes: Vec<String> = Vec::new();
        let earlier = self.deleted_operation_codes(site)?;
        for code in deleted.iter().map(|link| &link.link.operation_code).chain(&earlier) {
            if !codes.contains(code) {
                codes.push(code.clone());
            }
        }
        codes.truncate(MAX_OPERATION_CODES);
        stored_data::store_setting(&self.journal, stored_data::OPERATION_CODES_SETTING, site, &codes)
    }

    pub(super) fn load_uses(&self, site: &str) -> Result<Option<TemplateUses>, Problem> {
        let stored: Option<TemplateUses> = stored_data::load_setting(&self.journal, stored_data::USES_SETTING, site)?;
        let now = (self.clock)();
        Ok(stored.filter(|uses| now.duration_since(uses.at) < MAX_USABLE_AGE))
    }

    /// Reads all orders, and stores which templates they use. If canceled, the result is stored as incomplete.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract doesn't define templates.
    /// - A [read code](takt_core::problem#read-codes): a list of orders can't be read. Cancellation isn't an error: the
    ///   result is then incomplete.
    /// - A [journal code](takt_core::problem#journal-codes): the result can't be stored.
    pub async fn read_template_use(
        &self,
        site: &str,
        canceller: &Canceller,
        progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<TemplateUseView, Problem> {
        let mut uses = TemplateUses {
            at: (self.clock)(),
            complete: true,
            orders: 0,
            by_template: BTreeMap::new(),
            operation_codes: BTreeSet::new(),
        };
        let on_row = |UsingRow { row, user, cleanup, .. }: UsingRow<'_>| {
            let Some(template) = row.get(&user.template).and_then(Value::as_i64) else { return };
            let code = row.get(&cleanup.delete.by_person).map(key_text).unwrap_or_default();
            if !code.is_empty() && uses.operation_codes.len() < MAX_OPERATION_CODES {
                uses.operation_codes.insert(code);
            }
            uses.orders += 1;
            let used = uses.by_template.entry(template).or_default();
            used.orders += 1;
            used.running += u32::from(order_stage(row, user) == OrderStage::Running);
        };
        let complete = self.for_each_using_row(site, canceller, progress, on_row).await?;
        uses.complete = complete;
        let (journal, site) = (Arc::clone(&self.journal), site.to_owned());
        run_blocking(move || {
            stored_data::store_setting(&journal, stored_data::USES_SETTING, &site, &uses)?;
            Ok(uses.view())
        })
        .await
    }

    /// Reads the orders that use these templates and would be affected by deleted links.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract doesn't define templates.
    /// - A [read code](takt_core::problem#read-codes): a list of orders can't be read. Cancellation isn't an error: the
    ///   result is then incomplete.
    pub async fn read_affected_orders(
        &self,
        site: &str,
        templates: &[i64],
        canceller: &Canceller,
        progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<Affected, Problem> {
        let wanted: BTreeSet<String> = templates.iter().map(i64::to_string).collect();
        let mut affected = Affected::default();
        let mut orders_by_stage: BTreeMap<OrderStage, Vec<AffectedOrder>> = BTreeMap::new();
        let on_row = |UsingRow { row, list, user, .. }: UsingRow<'_>| {
            let template = row.get(&user.template).map(key_text).unwrap_or_default();
            if !wanted.contains(&template) {
                return;
            }
            let stage = order_stage(row, user);
            affected.total += 1;
            affected.running += u32::from(stage == OrderStage::Running);
            affected.planned += u32::from(stage == OrderStage::Planned);
            let orders = orders_by_stage.entry(stage).or_default();
            if orders.len() < MAX_LISTED {
                let status = row.get(&user.status).map(key_text).unwrap_or_default();
                orders.push(AffectedOrder { template, key: format_order_key(row, list), stage, status });
            }
        };
        let complete = self.for_each_using_row(site, canceller, progress, on_row).await?;
        affected.complete = complete;
        affected.orders = orders_by_stage.into_values().flatten().take(MAX_LISTED).collect();
        Ok(affected)
    }

    /// Calls `on_row` for every row of every list whose rows use templates. Returns false if it was canceled before the
    /// end.
    async fn for_each_using_row(
        &self,
        site: &str,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
        mut on_row: impl FnMut(UsingRow<'_>),
    ) -> Result<bool, Problem> {
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let (client, mut waits) = client.with_wait_reports();
        let cleanup = CleanupContract::find(&contract)?.cleanup;
        for user in &cleanup.users {
            let query = BrowseQuery { operation: user.list.clone(), ..BrowseQuery::default() };
            let request = ListRequest::new(&contract, &query)?;
            let Some(list) = contract.operation(&user.list) else { continue };
            let mut pages = request.pages(&client);
            loop {
                let current = BrowseProgress::from_walk(pages.progress());
                let on_wait = |waiting_until| progress(BrowseProgress { waiting_until, ..current });
                match waits.await_reporting_waits(pages.next(canceller), on_wait).await {
                    Ok(Some(page)) => {
                        page.rows.values().for_each(|row| on_row(UsingRow { row: &row, list, user, cleanup }));
                        progress(BrowseProgress::from_walk(page.progress));
                    }
                    Ok(None) => break,
                    Err(ClientError::Cancelled) => return Ok(false),
                    Err(error) => return Err(Problem::from_read_error(site, error)),
                }
            }
        }
        Ok(true)
    }
}

fn order_stage(row: &Value, user: &TemplateUser) -> OrderStage {
    let filled = |field: &str| row.get(field).map(key_text).is_some_and(|text| !text.is_empty());
    if filled(&user.ended) {
        OrderStage::Ended
    } else if filled(&user.begun) {
        OrderStage::Running
    } else if filled(&user.planned) {
        OrderStage::Planned
    } else {
        OrderStage::Open
    }
}

fn format_order_key(row: &Value, list: &Operation) -> String {
    let parts = list.key.iter().filter_map(|name| row.get(name).map(key_text)).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_that_an_earlier_version_stored_are_read() {
        let stored = r#"{"at": "2026-11-20T08:00:00Z", "whole": false, "orders": 3, "by_template": {"7": {"orders": 3, "running": 1}}}"#;
        let uses: TemplateUses = serde_json::from_str(stored).unwrap();
        assert_eq!((uses.complete, uses.orders, uses.get(7).running), (false, 3, 1));
        assert!(uses.operation_codes.is_empty());
    }
}
