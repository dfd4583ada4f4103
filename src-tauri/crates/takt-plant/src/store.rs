//! The store: all rows of the plant, serialized as they are answered.
//!
//! Serialized rows make a page a copy of text and keep a million materials small. A change parses one row, merges it
//! and writes it back.
//! Owns keys, references between rows and the effects of a sync.
//! Leaves the validation of items to `interface`, and the initial rows to `seed`.

mod apply;
mod changes;
mod checks;
mod floor_index;
mod history;
mod hours;
mod layout;
mod lots;
mod orders;
mod quality;
mod supplies;
mod table;
mod text;
mod window_cache;

use std::collections::BTreeMap;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde_json::{Map, Value, json};
use takt_contract::{Contract, wire::TemplateProcessLink};

use crate::{PlantError, domain_event::DomainEvent};

pub(crate) use apply::{SyncOperation, text};
pub(crate) use changes::{Changes, RowChange, SupplyChange, TemplateChange};
pub(crate) use history::{HistoryEntry, json_number, produced};
pub(crate) use layout::{Layout, time_span};
pub(crate) use orders::{ENDED, IN_EXECUTION, PAUSED, PLANNED, state};
pub(crate) use supplies::Supply;
pub(crate) use table::{Selection, Table, TextFilter};
pub(crate) use text::RowText;

pub(crate) type Members = Map<String, Value>;

/// The tables of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Materials,
    Stock,
    WorkOrders,
    Alerts,
    LaborTimes,
    Inspections,
    InspectionProcesses,
    QualityChecks,
    ConsumedLots,
    OrderHistory,
    WorkStations,
}

/// The members of a row that a list answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Full,
    /// Without production details.
    Brief,
}

impl Resource {
    pub(crate) const ALL: [Self; 11] = [
        Self::Materials,
        Self::Stock,
        Self::WorkOrders,
        Self::Alerts,
        Self::LaborTimes,
        Self::Inspections,
        Self::InspectionProcesses,
        Self::QualityChecks,
        Self::ConsumedLots,
        Self::OrderHistory,
        Self::WorkStations,
    ];

    /// Returns the name in the control interface.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Materials => "materials",
            Self::Stock => "stock",
            Self::WorkOrders => "work-orders",
            Self::Alerts => "alerts",
            Self::LaborTimes => "labor-times",
            Self::Inspections => "inspections",
            Self::InspectionProcesses => "inspection-processes",
            Self::QualityChecks => "quality-checks",
            Self::ConsumedLots => "consumed-lots",
            Self::OrderHistory => "order-history",
            Self::WorkStations => "work-stations",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.name() == name)
    }

    /// Returns the operation whose rows are full rows. No operation answers stock, so its sync defines it.
    pub(crate) fn row_operation(self) -> &'static str {
        match self {
            Self::Materials => "materials.list",
            Self::Stock => "stock.sync",
            Self::WorkOrders => "work-orders.details",
            Self::Alerts => "alerts.list",
            Self::LaborTimes => "labor-times.list",
            Self::Inspections => "inspections.list",
            Self::InspectionProcesses => "inspection-processes.list",
            Self::QualityChecks => "quality-checks.list",
            Self::ConsumedLots => "consumed-lots.list",
            Self::OrderHistory => "order-history.list",
            Self::WorkStations => "work-stations.list",
        }
    }

    /// Returns the sync operation whose items can contain lists.
    fn synced_by(self) -> Option<&'static str> {
        match self {
            Self::Materials => Some("materials.sync"),
            Self::WorkOrders => Some("work-orders.sync"),
            Self::Inspections => Some("inspections.sync"),
            _ => None,
        }
    }

    /// Returns the member with the work order's code, which lists filter by.
    pub(crate) fn order_member(self) -> Option<&'static str> {
        match self {
            Self::WorkOrders => Some("code"),
            Self::Inspections | Self::QualityChecks | Self::ConsumedLots | Self::OrderHistory => Some("workOrderCode"),
            Self::Materials
            | Self::Stock
            | Self::Alerts
            | Self::LaborTimes
            | Self::InspectionProcesses
            | Self::WorkStations => None,
        }
    }

    /// Returns the pairs of members that bound a row's time spans. A point in time names its member twice.
    pub(crate) fn spans(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::WorkOrders | Self::Inspections => &[("beginPlanned", "endPlanned"), ("beginReal", "endReal")],
            Self::Alerts => &[("opened", "closed")],
            Self::LaborTimes => &[("begin", "end")],
            Self::QualityChecks => &[("plannedDate", "plannedDate"), ("executedDate", "executedDate")],
            Self::OrderHistory => &[("date", "date")],
            Self::Materials | Self::Stock | Self::InspectionProcesses | Self::ConsumedLots | Self::WorkStations => &[],
        }
    }
}

/// All rows, and the links between templates and processes.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    tables: Vec<Table>,
    layouts: Vec<Layout>,
    /// The layout of a template's process, as it is answered.
    process: Layout,
    templates: BTreeMap<i64, Vec<TemplateProcessLink>>,
    supplies: supplies::Supplies,
    zone: TimeZone,
    last_id: i64,
    changes: Changes,
    /// A reused buffer for serializing rows.
    buffer: Vec<u8>,
}

impl Store {
    /// Creates an empty store with rows shaped by the contract.
    pub(crate) fn new(contract: &Contract, zone: TimeZone) -> Result<Self, PlantError> {
        let layouts = Resource::ALL.iter().map(|resource| {
            let brief = (*resource == Resource::WorkOrders).then_some("work-orders.list");
            let layout = Layout::from_contract(contract, resource.row_operation(), brief)?;
            Ok::<_, PlantError>(match resource.synced_by() {
                Some(operation) => layout.synced_by(contract, operation),
                None => layout,
            })
        });
        let tables = Resource::ALL.iter().map(|resource| {
            let operation = contract.operation(resource.row_operation());
            let operation = operation.ok_or_else(|| PlantError::Operation(resource.row_operation().to_owned()))?;
            Ok::<_, PlantError>(Table::new(*resource, operation.key.clone()))
        });
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            layouts: layouts.collect::<Result<_, _>>()?,
            process: Layout::from_contract(contract, "templates.processes", None)?,
            templates: BTreeMap::new(),
            supplies: supplies::Supplies::default(),
            zone,
            last_id: 0,
            changes: Changes::default(),
            buffer: Vec::new(),
        })
    }

    pub(crate) fn table(&self, resource: Resource) -> &Table {
        &self.tables[resource as usize]
    }

    pub(crate) fn layout(&self, resource: Resource) -> &Layout {
        &self.layouts[resource as usize]
    }

    pub(crate) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Converts a timestamp to local time in the plant, in whole seconds.
    pub(crate) fn local_time(&self, now: Timestamp) -> DateTime {
        let local = self.zone.to_datetime(now);
        local.with().subsec_nanosecond(0).build().unwrap_or(local)
    }

    /// Takes the changes since the last call.
    pub(crate) fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// Reverts changes that couldn't be saved.
    pub(crate) fn undo(&mut self, changes: Changes) {
        for RowChange { resource, position, before } in changes.rows.into_iter().rev() {
            self.tables[resource as usize].revert(position, before, &self.zone);
        }
        for SupplyChange { id, before } in changes.supplies.into_iter().rev() {
            self.supplies.revert(id, before);
        }
        for TemplateChange { id, before } in changes.templates.into_iter().rev() {
            self.templates.insert(id, before);
        }
    }

    /// Records an event to send. An event equal to the one before, for example from several lots of one order, is
    /// recorded once.
    pub(crate) fn record_event(&mut self, event: DomainEvent) {
        if self.changes.events.last() != Some(&event) {
            self.changes.events.push(event);
        }
    }

    /// Returns an ID that no row has.
    pub(crate) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Completes a row by the contract and stores it, replacing the row with its key.
    #[expect(clippy::needless_pass_by_value, reason = "a row that is kept is the store's")]
    pub(crate) fn put(&mut self, resource: Resource, row: Members) -> Result<(), PlantError> {
        self.put_row(resource, &row)
    }

    /// Like [`Store::put`], but also adds missing members to the caller's row.
    pub(crate) fn put_completed(&mut self, resource: Resource, row: &mut Members) -> Result<(), PlantError> {
        self.layout(resource).complete(row);
        self.put_row(resource, row)
    }

    fn put_row(&mut self, resource: Resource, row: &Members) -> Result<(), PlantError> {
        let text = self.layouts[resource as usize].serialize(row, &mut self.buffer)?;
        let (position, before) = self.tables[resource as usize].put(row, text, &self.zone);
        self.changes.rows.push(RowChange { resource, position, before });
        Ok(())
    }

    /// Completes a row by the contract and replaces the row at `position`. For rows without a key.
    #[expect(clippy::needless_pass_by_value, reason = "a row that is kept is the store's")]
    pub(crate) fn put_at(&mut self, resource: Resource, position: u32, row: Members) -> Result<(), PlantError> {
        let text = self.layouts[resource as usize].serialize(&row, &mut self.buffer)?;
        let before = self.tables[resource as usize].write_at(position, &row, text, &self.zone);
        self.changes.rows.push(RowChange { resource, position, before });
        Ok(())
    }

    /// Adds a saved row and returns its position. Completes it if another contract shaped it.
    pub(crate) fn load(&mut self, resource: Resource, text: String, same_shape: bool) -> Result<u32, PlantError> {
        let layout = &self.layouts[resource as usize];
        let row: Members = serde_json::from_str(&text)?;
        let text = if same_shape { layout.read_row(text) } else { layout.serialize(&row, &mut self.buffer)? };
        Ok(self.tables[resource as usize].put(&row, text, &self.zone).0)
    }

    /// Adds a saved template.
    pub(crate) fn load_template(&mut self, id: i64, links: Vec<TemplateProcessLink>) {
        self.templates.insert(id, links);
    }

    /// Returns the highest ID given to a row.
    pub(crate) fn last_id(&self) -> i64 {
        self.last_id
    }

    pub(crate) fn set_last_id(&mut self, last_id: i64) {
        self.last_id = last_id;
    }

    /// Returns a row by its key.
    pub(crate) fn row(&self, resource: Resource, key: &[&str]) -> Option<Members> {
        self.table(resource).get(key).and_then(|text| serde_json::from_str(text).ok())
    }

    /// Returns a row by its position.
    pub(crate) fn row_at(&self, resource: Resource, position: u32) -> Option<Members> {
        self.table(resource).at(position).and_then(|text| serde_json::from_str(text).ok())
    }

    /// Returns the rows of a work order.
    pub(crate) fn rows_of(&self, resource: Resource, code: &str) -> Vec<Members> {
        self.table(resource).rows_of_order(code).filter_map(|text| serde_json::from_str(text).ok()).collect()
    }

    pub(crate) fn has(&self, resource: Resource, key: &[&str]) -> bool {
        self.table(resource).get(key).is_some()
    }

    /// Links a process to a template. [`Store::add_template`] adds a template without links.
    pub(crate) fn add_link(&mut self, link: TemplateProcessLink) {
        self.templates.entry(link.template_id).or_default().push(link);
    }

    pub(crate) fn add_template(&mut self, id: i64) {
        self.templates.entry(id).or_default();
    }

    /// Removes a link. Returns false if it doesn't exist.
    pub(crate) fn remove_link(&mut self, link: &TemplateProcessLink) -> bool {
        let id = link.template_id;
        let Some(links) = self.templates.get_mut(&id).filter(|links| links.contains(link)) else { return false };
        let before = links.clone();
        links.retain(|known| known != link);
        self.changes.templates.push(TemplateChange { id, before });
        true
    }

    /// Returns every template with its links, by ID.
    pub(crate) fn templates(&self) -> impl Iterator<Item = (i64, &[TemplateProcessLink])> {
        self.templates.iter().map(|(id, links)| (*id, links.as_slice()))
    }

    /// Returns the links of a template.
    pub(crate) fn template(&self, id: i64) -> Option<&[TemplateProcessLink]> {
        self.templates.get(&id).map(Vec::as_slice)
    }

    pub(crate) fn has_template(&self, id: i64) -> bool {
        self.templates.contains_key(&id)
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = &TemplateProcessLink> {
        self.templates.values().flatten()
    }

    /// Returns the processes of a template, each once, in the order of their first link. None if the template doesn't
    /// exist.
    pub(crate) fn template_processes(&self, id: i64, code: Option<&str>) -> Option<Vec<Value>> {
        let mut codes: Vec<&str> = Vec::new();
        for link in self.templates.get(&id)? {
            let wanted = code.is_none_or(|code| code == link.process_code);
            if wanted && !codes.contains(&link.process_code.as_str()) {
                codes.push(&link.process_code);
            }
        }
        let process = |code: &str| {
            let known = self.row(Resource::InspectionProcesses, &[code]);
            let mut process = known.unwrap_or_else(|| Members::from_iter([("code".to_owned(), json!(code))]));
            self.process.complete(&mut process);
            Value::Object(process)
        };
        Some(codes.into_iter().map(process).collect())
    }
}
