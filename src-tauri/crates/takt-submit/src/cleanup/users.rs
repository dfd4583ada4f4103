//! Who uses templates: orders name the one that they are made by. Which templates are used is kept per site with its age; what a
//! delete takes with it is always read anew.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_client::{Canceller, ClientError};
use takt_contract::{Operation, TemplateUser};

use super::{Affected, AffectedOrder, Ids, OrderStage, TemplateUseView, facts::Facts, settings};
use takt_browse::{BrowseProgress, BrowseQuery, read_back::text, request::ReadRequest};
use takt_core::Problem;

use crate::Templates;

/// So many orders of each kind are named; all are counted.
const MAX_NAMED: usize = 200;
/// An older list of orders isn't used.
const MAX_USABLE_AGE: SignedDuration = SignedDuration::from_hours(12);

/// What orders make of a template.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TemplateUse {
    pub(super) orders: u32,
    pub(super) running: u32,
}

/// Which templates a site's orders are made by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TemplateUses {
    pub(super) at: Timestamp,
    pub(super) whole: bool,
    orders: u32,
    by_template: BTreeMap<i64, TemplateUse>,
}

impl TemplateUses {
    pub(super) fn of(&self, template: i64) -> TemplateUse {
        self.by_template.get(&template).copied().unwrap_or_default()
    }

    fn view(&self) -> TemplateUseView {
        let ids: Vec<i64> = self.by_template.keys().copied().collect();
        TemplateUseView { at: self.at.to_string(), whole: self.whole, orders: self.orders, templates: Ids::of(&ids) }
    }
}

impl Templates {
    /// What is known of who uses templates; absent where that was never read, or too long ago.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn template_use(&self, site: &str) -> Result<Option<TemplateUseView>, Problem> {
        Ok(self.uses(site)?.map(|uses| uses.view()))
    }

    pub(super) fn uses(&self, site: &str) -> Result<Option<TemplateUses>, Problem> {
        let stored: Option<TemplateUses> = settings::get(&self.journal, settings::USES, site)?;
        let now = (self.clock)();
        Ok(stored.filter(|uses| now.duration_since(uses.at) < MAX_USABLE_AGE))
    }

    /// Reads every order for the template that it names. Cancelled, what has come is kept, and said not to be the whole.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract says nothing of templates.
    /// - A [read code](takt_core::problem#read-codes): a list of orders can't be read. Cancelling is no error: then it
    ///   isn't whole.
    /// - A [journal code](takt_core::problem#journal-codes): what was read can't be written.
    pub async fn read_template_use(
        &self,
        site: &str,
        canceller: &Canceller,
        progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<TemplateUseView, Problem> {
        let mut uses = TemplateUses { at: (self.clock)(), whole: true, orders: 0, by_template: BTreeMap::new() };
        let see = |row: &Value, _: &Operation, user: &TemplateUser| {
            let Some(template) = row.get(&user.template).and_then(Value::as_i64) else { return };
            uses.orders += 1;
            let used = uses.by_template.entry(template).or_default();
            used.orders += 1;
            used.running += u32::from(stage(row, user) == OrderStage::Running);
        };
        let whole = self.walk_users(site, canceller, progress, see).await?;
        uses.whole = whole;
        settings::put(&self.journal, settings::USES, site, &uses)?;
        Ok(uses.view())
    }

    /// What on the site names these templates: it loses the links that are deleted there.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract says nothing of templates.
    /// - A [read code](takt_core::problem#read-codes): a list of orders can't be read. Cancelling is no error: then it
    ///   isn't whole.
    pub async fn affected_by(
        &self,
        site: &str,
        templates: &[i64],
        canceller: &Canceller,
        progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<Affected, Problem> {
        let wanted: BTreeSet<String> = templates.iter().map(i64::to_string).collect();
        let mut affected = Affected::default();
        let mut named: BTreeMap<OrderStage, Vec<AffectedOrder>> = BTreeMap::new();
        let see = |row: &Value, list: &Operation, user: &TemplateUser| {
            let template = row.get(&user.template).map(text).unwrap_or_default();
            if !wanted.contains(&template) {
                return;
            }
            let stage = stage(row, user);
            affected.total += 1;
            affected.running += u32::from(stage == OrderStage::Running);
            affected.planned += u32::from(stage == OrderStage::Planned);
            let alike = named.entry(stage).or_default();
            if alike.len() < MAX_NAMED {
                let status = row.get(&user.status).map(text).unwrap_or_default();
                alike.push(AffectedOrder { template, key: key(row, list), stage, status });
            }
        };
        let whole = self.walk_users(site, canceller, progress, see).await?;
        affected.whole = whole;
        affected.orders = named.into_values().flatten().take(MAX_NAMED).collect();
        Ok(affected)
    }

    /// Every row of every list whose rows name templates; false where it was cancelled before the end.
    async fn walk_users(
        &self,
        site: &str,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
        mut see: impl FnMut(&Value, &Operation, &TemplateUser),
    ) -> Result<bool, Problem> {
        let (client, mut waits) = self.sites.client(site)?.with_wait_reports();
        let contract = self.sites.contract(site)?;
        for user in &Facts::of(&contract)?.cleanup.users {
            let query = BrowseQuery { operation: user.list.clone(), ..BrowseQuery::default() };
            let request = ReadRequest::new(&contract, &query)?;
            let Some(list) = contract.operation(&user.list) else { continue };
            let mut pages = request.pages(&client);
            loop {
                let standing = BrowseProgress::of(pages.progress());
                let tell = |waiting_until| progress(BrowseProgress { waiting_until, ..standing });
                match waits.during(pages.next(canceller), tell).await {
                    Ok(Some(page)) => {
                        page.rows.values().for_each(|row| see(&row, list, user));
                        progress(BrowseProgress::of(page.progress));
                    }
                    Ok(None) => break,
                    Err(ClientError::Cancelled) => return Ok(false),
                    Err(error) => return Err(Problem::of_read(site, error)),
                }
            }
        }
        Ok(true)
    }
}

fn stage(row: &Value, user: &TemplateUser) -> OrderStage {
    let filled = |field: &str| row.get(field).map(text).is_some_and(|text| !text.is_empty());
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

fn key(row: &Value, list: &Operation) -> String {
    let parts = list.key.iter().filter_map(|name| row.get(name).map(text)).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}
