//! What the plant holds: one consistent store of rows, as they are answered.
//!
//! Rows are kept serialised: reading a page is copying text, and a million materials stay small. A change parses one
//! row, merges, and writes it back. Owns keys, references between rows and what a sync does to them. Leaves to `interface` whether an item is
//! valid by itself, and to `seed` what there is at the start.

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
pub(crate) use history::{Line, number, produced};
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

/// How much of a row is answered.
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

    /// The name in the control interface.
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

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.name() == name)
    }

    /// The operation whose answer is a full row; for the stock, which none answers, the one that brings it.
    pub(crate) fn source(self) -> &'static str {
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

    /// The operation that brings rows with lists in them.
    fn synced_by(self) -> Option<&'static str> {
        match self {
            Self::Materials => Some("materials.sync"),
            Self::WorkOrders => Some("work-orders.sync"),
            Self::Inspections => Some("inspections.sync"),
            _ => None,
        }
    }

    /// The member with the work order's code, by which rows are filtered.
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

    /// The members between which a row lies in time; a point names one twice.
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
    /// A process of a template, as it is answered.
    process: Layout,
    templates: BTreeMap<i64, Vec<TemplateProcessLink>>,
    supplies: supplies::Supplies,
    zone: TimeZone,
    last_id: i64,
    changes: Changes,
    /// Rows are written here before they are kept.
    room: Vec<u8>,
}

impl Store {
    /// An empty store whose rows have the shape that the contract says.
    pub(crate) fn new(contract: &Contract, zone: TimeZone) -> Result<Self, PlantError> {
        let layouts = Resource::ALL.iter().map(|resource| {
            let brief = (*resource == Resource::WorkOrders).then_some("work-orders.list");
            let layout = Layout::of(contract, resource.source(), brief)?;
            Ok::<_, PlantError>(match resource.synced_by() {
                Some(operation) => layout.synced_by(contract, operation),
                None => layout,
            })
        });
        let tables = Resource::ALL.iter().map(|resource| {
            let operation = contract.operation(resource.source());
            let operation = operation.ok_or_else(|| PlantError::Operation(resource.source().to_owned()))?;
            Ok::<_, PlantError>(Table::new(*resource, operation.key.clone()))
        });
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            layouts: layouts.collect::<Result<_, _>>()?,
            process: Layout::of(contract, "templates.processes", None)?,
            templates: BTreeMap::new(),
            supplies: supplies::Supplies::default(),
            zone,
            last_id: 0,
            changes: Changes::default(),
            room: Vec::new(),
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

    /// The clock's time in the plant.
    pub(crate) fn local(&self, now: Timestamp) -> DateTime {
        let local = self.zone.to_datetime(now);
        local.with().subsec_nanosecond(0).build().unwrap_or(local)
    }

    /// What changed since this was last asked.
    pub(crate) fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// Takes changes back that can't be kept.
    pub(crate) fn undo(&mut self, changes: Changes) {
        for RowChange { resource, position, before } in changes.rows.into_iter().rev() {
            self.tables[resource as usize].take_back(position, before, &self.zone);
        }
        for SupplyChange { id, before } in changes.supplies.into_iter().rev() {
            self.supplies.take_back(id, before);
        }
        for TemplateChange { id, before } in changes.templates.into_iter().rev() {
            self.templates.insert(id, before);
        }
    }

    /// Notes that something happened which the targets are told. The same at once, as of several lots of one order, is told once.
    pub(crate) fn happened(&mut self, happening: DomainEvent) {
        if self.changes.happenings.last() != Some(&happening) {
            self.changes.happenings.push(happening);
        }
    }

    /// A number that no row has yet.
    pub(crate) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Completes a row by the contract and keeps it under its key, in place of the one that was there.
    #[expect(clippy::needless_pass_by_value, reason = "a row that is kept is the store's")]
    pub(crate) fn put(&mut self, resource: Resource, row: Members) -> Result<(), PlantError> {
        self.put_row(resource, &row)
    }

    /// As [`Store::put`], and adds missing members to the caller's row.
    pub(crate) fn put_whole(&mut self, resource: Resource, row: &mut Members) -> Result<(), PlantError> {
        self.layout(resource).complete(row);
        self.put_row(resource, row)
    }

    fn put_row(&mut self, resource: Resource, row: &Members) -> Result<(), PlantError> {
        let text = self.layouts[resource as usize].written(row, &mut self.room)?;
        let (position, before) = self.tables[resource as usize].put(row, text, &self.zone);
        self.changes.rows.push(RowChange { resource, position, before });
        Ok(())
    }

    /// Completes a row by the contract and writes it over the one at `position`: for rows without a key.
    #[expect(clippy::needless_pass_by_value, reason = "a row that is kept is the store's")]
    pub(crate) fn put_at(&mut self, resource: Resource, position: u32, row: Members) -> Result<(), PlantError> {
        let text = self.layouts[resource as usize].written(&row, &mut self.room)?;
        let before = self.tables[resource as usize].place(position, &row, text, &self.zone);
        self.changes.rows.push(RowChange { resource, position, before });
        Ok(())
    }

    /// Takes a row over that was kept; says where it stands. One that another contract shaped is completed.
    pub(crate) fn load(&mut self, resource: Resource, text: String, same_shape: bool) -> Result<u32, PlantError> {
        let layout = &self.layouts[resource as usize];
        let row: Members = serde_json::from_str(&text)?;
        let text = if same_shape { layout.read_row(text) } else { layout.written(&row, &mut self.room)? };
        Ok(self.tables[resource as usize].put(&row, text, &self.zone).0)
    }

    /// Takes a template over that was kept.
    pub(crate) fn load_template(&mut self, id: i64, links: Vec<TemplateProcessLink>) {
        self.templates.insert(id, links);
    }

    /// The highest number that a row was given.
    pub(crate) fn last_id(&self) -> i64 {
        self.last_id
    }

    pub(crate) fn set_last_id(&mut self, last_id: i64) {
        self.last_id = last_id;
    }

    /// A row by its key.
    pub(crate) fn row(&self, resource: Resource, key: &[&str]) -> Option<Members> {
        self.table(resource).get(key).and_then(|text| serde_json::from_str(text).ok())
    }

    /// A row by its position.
    pub(crate) fn row_at(&self, resource: Resource, position: u32) -> Option<Members> {
        self.table(resource).at(position).and_then(|text| serde_json::from_str(text).ok())
    }

    /// The rows of a work order.
    pub(crate) fn rows_of(&self, resource: Resource, code: &str) -> Vec<Members> {
        self.table(resource).of_order(code).filter_map(|text| serde_json::from_str(text).ok()).collect()
    }

    pub(crate) fn has(&self, resource: Resource, key: &[&str]) -> bool {
        self.table(resource).get(key).is_some()
    }

    /// Links a process to a template; a template without links is made by [`Store::add_template`].
    pub(crate) fn add_link(&mut self, link: TemplateProcessLink) {
        self.templates.entry(link.template_id).or_default().push(link);
    }

    pub(crate) fn add_template(&mut self, id: i64) {
        self.templates.entry(id).or_default();
    }

    /// Removes a link. False where there was none.
    pub(crate) fn remove_link(&mut self, link: &TemplateProcessLink) -> bool {
        let id = link.template_id;
        let Some(links) = self.templates.get_mut(&id).filter(|links| links.contains(link)) else { return false };
        let before = links.clone();
        links.retain(|known| known != link);
        self.changes.templates.push(TemplateChange { id, before });
        true
    }

    /// Every template with its links, by id.
    pub(crate) fn templates(&self) -> impl Iterator<Item = (i64, &[TemplateProcessLink])> {
        self.templates.iter().map(|(id, links)| (*id, links.as_slice()))
    }

    /// The links of a template.
    pub(crate) fn template(&self, id: i64) -> Option<&[TemplateProcessLink]> {
        self.templates.get(&id).map(Vec::as_slice)
    }

    pub(crate) fn has_template(&self, id: i64) -> bool {
        self.templates.contains_key(&id)
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = &TemplateProcessLink> {
        self.templates.values().flatten()
    }

    /// The processes of a template, each once, in the order of their first link. None where there is no such template.
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
