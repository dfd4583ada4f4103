//! The store's rows, the links between templates and processes, and material supplies.
//!
//! Every change is recorded with the previous value, so that changes that can't be saved are reverted.

use std::collections::BTreeMap;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde_json::{Value, json};
use takt_contract::{Contract, wire::TemplateProcessLink};

use super::{
    layout::{Layout, RowText},
    members::Members,
    resource::Resource,
    supplies::{Supplies, Supply},
    table::Table,
};
use crate::{PlantError, domain_event::DomainEvent};

/// Sentences about violated rules, one for each.
pub(super) type Violations = Vec<String>;

/// The changes of one request or move, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    /// A row that changed twice occurs twice.
    pub(crate) rows: Vec<RowChange>,
    pub(crate) templates: Vec<TemplateChange>,
    pub(crate) supplies: Vec<SupplyChange>,
    pub(crate) events: Vec<DomainEvent>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.templates.is_empty() && self.supplies.is_empty()
    }
}

/// The position of a changed row, with its previous text.
#[derive(Debug, Clone)]
pub(crate) struct RowChange {
    pub(crate) resource: Resource,
    pub(crate) position: u32,
    /// None if the row is new.
    pub(crate) before: Option<RowText>,
}

/// The previous links of a changed template.
#[derive(Debug, Clone)]
pub(crate) struct TemplateChange {
    pub(crate) id: i64,
    pub(crate) before: Vec<TemplateProcessLink>,
}

/// A changed material supply, with its previous state.
#[derive(Debug, Clone)]
pub(crate) struct SupplyChange {
    pub(crate) id: i64,
    /// None if the supply is new.
    pub(crate) before: Option<Supply>,
}

/// All rows, links and supplies.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    tables: Vec<Table>,
    layouts: Vec<Layout>,
    /// The layout in responses of a process of a template.
    process_layout: Layout,
    templates: BTreeMap<i64, Vec<TemplateProcessLink>>,
    supplies: Supplies,
    zone: TimeZone,
    last_id: i64,
    changes: Changes,
    /// A buffer for serializing rows, which is reused.
    buffer: Vec<u8>,
}

impl Store {
    /// Creates an empty store whose rows have the members in the contract.
    pub(crate) fn new(contract: &Contract, zone: TimeZone) -> Result<Self, PlantError> {
        let layouts = Resource::ALL.iter().map(|resource| {
            let brief = (*resource == Resource::WorkOrders).then_some("work-orders.list");
            let layout = Layout::from_contract(contract, resource.row_operation(), brief)?;
            Ok::<_, PlantError>(match resource.sync_operation() {
                Some(operation) => layout.with_list_effects_of(contract, operation),
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
            process_layout: Layout::from_contract(contract, "templates.processes", None)?,
            templates: BTreeMap::new(),
            supplies: Supplies::default(),
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

    /// Converts a timestamp to the plant's local time, in whole seconds.
    pub(crate) fn local_time(&self, now: Timestamp) -> DateTime {
        let local = self.zone.to_datetime(now);
        local.with().subsec_nanosecond(0).build().unwrap_or(local)
    }

    /// Returns and clears the changes since the last call.
    pub(crate) fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// Restores the rows, supplies and links before changes that couldn't be saved.
    pub(crate) fn revert_changes(&mut self, changes: Changes) {
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

    /// Records an event to send. Consecutive equal events, for example from several lots of an order, are recorded
    /// once.
    pub(crate) fn record_event(&mut self, event: DomainEvent) {
        if self.changes.events.last() != Some(&event) {
            self.changes.events.push(event);
        }
    }

    /// Returns a new ID, which no row has.
    pub(crate) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Stores a row, replacing the row with the same key. Adds missing members and removes unknown ones.
    #[expect(clippy::needless_pass_by_value, reason = "a row that is kept is the store's")]
    pub(crate) fn put(&mut self, resource: Resource, row: Members) -> Result<(), PlantError> {
        self.put_row(resource, &row)
    }

    /// Like [`Store::put`], but also completes the caller's row.
    pub(crate) fn put_completed(&mut self, resource: Resource, row: &mut Members) -> Result<(), PlantError> {
        self.layout(resource).complete_row(row);
        self.put_row(resource, row)
    }

    /// Like [`Store::put`], for an item of a sync. An error becomes a violation.
    pub(super) fn write_row(&mut self, resource: Resource, row: Members) -> Result<(), Violations> {
        self.put(resource, row).map_err(|error| vec![error.to_string()])
    }

    fn put_row(&mut self, resource: Resource, row: &Members) -> Result<(), PlantError> {
        let text = self.layouts[resource as usize].serialize(row, &mut self.buffer)?;
        let (position, before) = self.tables[resource as usize].put(row, text, &self.zone);
        self.changes.rows.push(RowChange { resource, position, before });
        Ok(())
    }

    /// Like [`Store::put`], but replaces the row at `position`. For rows without a key.
    #[expect(clippy::needless_pass_by_value, reason = "a row that is kept is the store's")]
    pub(crate) fn put_at(&mut self, resource: Resource, position: u32, row: Members) -> Result<(), PlantError> {
        let text = self.layouts[resource as usize].serialize(&row, &mut self.buffer)?;
        let before = self.tables[resource as usize].write_at(position, &row, text, &self.zone);
        self.changes.rows.push(RowChange { resource, position, before });
        Ok(())
    }

    /// Adds a saved row and returns its position. A row of another contract is completed first.
    pub(crate) fn load_row(&mut self, resource: Resource, text: String, same_shape: bool) -> Result<u32, PlantError> {
        let layout = &self.layouts[resource as usize];
        let row: Members = serde_json::from_str(&text)?;
        let text = if same_shape { layout.wrap_serialized(text) } else { layout.serialize(&row, &mut self.buffer)? };
        Ok(self.tables[resource as usize].put(&row, text, &self.zone).0)
    }

    pub(crate) fn load_template(&mut self, id: i64, links: Vec<TemplateProcessLink>) {
        self.templates.insert(id, links);
    }

    /// Returns the highest ID that [`Store::next_id`] returned.
    pub(crate) fn last_id(&self) -> i64 {
        self.last_id
    }

    pub(crate) fn set_last_id(&mut self, last_id: i64) {
        self.last_id = last_id;
    }

    pub(crate) fn row(&self, resource: Resource, key: &[&str]) -> Option<Members> {
        self.table(resource).get(key).and_then(|text| serde_json::from_str(text).ok())
    }

    pub(crate) fn row_at(&self, resource: Resource, position: u32) -> Option<Members> {
        self.table(resource).row_text_at(position).and_then(|text| serde_json::from_str(text).ok())
    }

    /// Returns the rows of a work order, which may have several operations.
    pub(crate) fn order_rows(&self, resource: Resource, code: &str) -> Vec<Members> {
        self.table(resource).order_row_texts(code).filter_map(|text| serde_json::from_str(text).ok()).collect()
    }

    pub(crate) fn has_row(&self, resource: Resource, key: &[&str]) -> bool {
        self.table(resource).get(key).is_some()
    }

    /// Links a process to a template. [`Store::add_template`] adds a template without links.
    pub(crate) fn add_link(&mut self, link: TemplateProcessLink) {
        self.templates.entry(link.template_id).or_default().push(link);
    }

    pub(crate) fn add_template(&mut self, id: i64) {
        self.templates.entry(id).or_default();
    }

    /// Removes a link. Returns false if the link doesn't exist.
    pub(crate) fn remove_link(&mut self, link: &TemplateProcessLink) -> bool {
        let id = link.template_id;
        let Some(links) = self.templates.get_mut(&id).filter(|links| links.contains(link)) else { return false };
        let before = links.clone();
        links.retain(|known| known != link);
        self.changes.templates.push(TemplateChange { id, before });
        true
    }

    /// Returns all templates with their links, ordered by ID.
    pub(crate) fn templates(&self) -> impl Iterator<Item = (i64, &[TemplateProcessLink])> {
        self.templates.iter().map(|(id, links)| (*id, links.as_slice()))
    }

    /// Returns the links of a template. None if the template doesn't exist.
    pub(crate) fn template(&self, id: i64) -> Option<&[TemplateProcessLink]> {
        self.templates.get(&id).map(Vec::as_slice)
    }

    pub(crate) fn has_template(&self, id: i64) -> bool {
        self.templates.contains_key(&id)
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = &TemplateProcessLink> {
        self.templates.values().flatten()
    }

    /// Returns the processes of a template without duplicates, in the order of their first link. None if the template
    /// doesn't exist.
    pub(crate) fn template_processes(&self, id: i64, code: Option<&str>) -> Option<Vec<Value>> {
        let mut codes: Vec<&str> = Vec::new();
        for link in self.templates.get(&id)? {
            let wanted = code.is_none_or(|code| code == link.process_code);
            if wanted && !codes.contains(&link.process_code.as_str()) {
                codes.push(&link.process_code);
            }
        }
        let complete_process = |code: &str| {
            let known = self.row(Resource::InspectionProcesses, &[code]);
            let mut process = known.unwrap_or_else(|| Members::from_iter([("code".to_owned(), json!(code))]));
            self.process_layout.complete_row(&mut process);
            Value::Object(process)
        };
        Some(codes.into_iter().map(complete_process).collect())
    }

    pub(crate) fn supply(&self, id: i64) -> Option<&Supply> {
        self.supplies.get(id)
    }

    /// Returns all supplies, oldest first.
    pub(crate) fn supplies(&self) -> impl Iterator<Item = &Supply> {
        self.supplies.all()
    }

    /// Returns unpaid supplies, oldest first.
    pub(crate) fn open_supplies(&self) -> impl Iterator<Item = &Supply> {
        self.supplies.open()
    }

    /// Returns the supplies for an operation or for its whole order.
    pub(crate) fn supplies_of(&self, code: &str, operation: &str) -> impl Iterator<Item = &Supply> {
        self.supplies.of_operation(code, operation)
    }

    /// Stores a supply, replacing the supply with the same ID.
    pub(crate) fn put_supply(&mut self, supply: Supply) {
        let id = supply.id;
        let before = self.supplies.put(supply);
        self.changes.supplies.push(SupplyChange { id, before });
    }
}
