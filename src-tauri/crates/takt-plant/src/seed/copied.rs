//! A store that begins with what a site's lists showed, row for row in their order.
//!
//! Nothing is left out or completed in silence: the report says of every row and member what the plant can't hold.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use serde_json::value::RawValue;
use takt_contract::{Contract, Field, wire::TemplateProcessLink};

use crate::{
    PlantError,
    copy::{CopiedCount, CopiedTemplate, CopyRemarkKind, CopyReport, PlantCopy},
    interface::{Action, action},
    store::{Members, Resource, Store, View, text},
};

/// Where a template's processes are read.
const TEMPLATE: &str = "templates.processes";
/// Which member of a row names a row of another table.
const NAMES: [(Resource, &str, Resource); 10] = [
    (Resource::WorkOrders, "materialCode", Resource::Materials),
    (Resource::WorkOrders, "workStationCode", Resource::WorkStations),
    (Resource::Inspections, "workOrderCode", Resource::WorkOrders),
    (Resource::Inspections, "processCode", Resource::InspectionProcesses),
    (Resource::Inspections, "workStationCode", Resource::WorkStations),
    (Resource::QualityChecks, "workOrderCode", Resource::WorkOrders),
    (Resource::ConsumedLots, "workOrderCode", Resource::WorkOrders),
    (Resource::ConsumedLots, "materialCode", Resource::Materials),
    (Resource::Alerts, "workStationCode", Resource::WorkStations),
    (Resource::LaborTimes, "workStationCode", Resource::WorkStations),
];

/// A store with the rows of a copy, and what became of each.
pub(crate) fn copied(
    copy: &PlantCopy,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<(Store, CopyReport), PlantError> {
    let mut store = Store::new(contract, zone.clone())?;
    let mut copying = Copying { store: &mut store, contract, report: CopyReport::default(), last_id: 0 };
    for list in &copy.lists {
        copying.list(&list.operation, &list.rows)?;
    }
    let operations = if copy.templates.is_empty() { BTreeMap::new() } else { copying.operations_of_templates() };
    for template in &copy.templates {
        copying.template(template, operations.get(&template.id).cloned().unwrap_or_default());
    }
    copying.look_for_names();
    let (report, last_id) = (copying.report, copying.last_id);
    store.set_last_id(last_id);
    // What it begins with isn't a change.
    drop(store.take_changes());
    Ok((store, report))
}

struct Copying<'a> {
    store: &'a mut Store,
    contract: &'a Contract,
    report: CopyReport,
    last_id: i64,
}

impl Copying<'_> {
    fn list(&mut self, operation: &str, rows: &[Box<RawValue>]) -> Result<(), PlantError> {
        let given = count(rows.len());
        let place = match action(operation) {
            Some(Action::List(resource, view)) => {
                self.contract.operation(operation).map(|known| (resource, view, known))
            }
            _ => None,
        };
        let Some((resource, view, known)) = place else {
            (1..=rows.len()).for_each(|row| self.report.note(CopyRemarkKind::NoPlace, operation, "", &row.to_string()));
            self.report.lists.push(CopiedCount { operation: operation.to_owned(), given, kept: 0 });
            return Ok(());
        };
        let fields = known.answer.as_ref().map(|shape| shape.fields.clone()).unwrap_or_default();
        let mut kept = 0;
        for (number, row) in (1..).zip(rows) {
            let Ok(row) = serde_json::from_str::<Members>(row.get()) else {
                self.report.note(CopyRemarkKind::NoRow, operation, "", &number.to_string());
                continue;
            };
            if self.row((resource, view), operation, &fields, (number, row))? {
                kept += 1;
            }
        }
        self.report.lists.push(CopiedCount { operation: operation.to_owned(), given, kept });
        Ok(())
    }

    /// Keeps a row. False where it can't be kept.
    fn row(
        &mut self,
        (resource, view): (Resource, View),
        operation: &str,
        fields: &[Field],
        (number, row): (usize, Members),
    ) -> Result<bool, PlantError> {
        let names = self.store.table(resource).key_names().to_vec();
        let key: Vec<String> = self.store.table(resource).key_values(&row);
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        let shown = if names.is_empty() { number.to_string() } else { key.join(" · ") };
        // A key may have parts that are blank, but never nothing at all.
        if !names.is_empty() && key.iter().all(|part| part.is_empty()) {
            self.report.note(CopyRemarkKind::NoKey, operation, &names.join(", "), &number.to_string());
            return Ok(false);
        }
        if !names.is_empty() && self.store.has(resource, &key) {
            // A shorter list says nothing new of what a longer one showed.
            if view == View::Brief {
                return Ok(true);
            }
            self.report.note(CopyRemarkKind::SameKey, operation, "", &shown);
        }
        for field in fields.iter().filter(|field| field.required) {
            let value = row.get(&field.name);
            if value.is_none_or(|value| value.is_null() && !field.nullable) {
                self.report.note(CopyRemarkKind::Lacks, operation, &field.name, &shown);
            }
        }
        for name in row.keys().filter(|name| !self.store.layout(resource).has(name)) {
            self.report.note(CopyRemarkKind::UnknownMember, operation, name, &shown);
        }
        if let Some(id) = row.get("id").and_then(serde_json::Value::as_i64) {
            self.last_id = self.last_id.max(id);
        }
        self.store.put(resource, row)?;
        Ok(true)
    }

    /// The operations of the orders that are made by a template, by its id.
    fn operations_of_templates(&self) -> BTreeMap<i64, BTreeSet<String>> {
        let mut operations: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for order in self.store.table(Resource::WorkOrders).texts() {
            let Ok(order) = serde_json::from_str::<Members>(order) else { continue };
            if let Some(id) = order.get("templateId").and_then(serde_json::Value::as_i64) {
                operations.entry(id).or_default().insert(text(&order, "operationCode").to_owned());
            }
        }
        operations
    }

    /// Links of a template: its processes, for each of these operations.
    fn template(&mut self, template: &CopiedTemplate, mut operations: BTreeSet<String>) {
        self.store.add_template(template.id);
        self.report.templates += 1;
        if operations.is_empty() {
            self.report.note(CopyRemarkKind::NoOperation, TEMPLATE, "", &template.id.to_string());
            operations.insert(String::new());
        }
        for process in &template.processes {
            let process: Members = serde_json::from_str(process.get()).unwrap_or_default();
            let code = text(&process, "code");
            if code.is_empty() {
                self.report.note(CopyRemarkKind::NoKey, TEMPLATE, "code", &template.id.to_string());
                continue;
            }
            if !self.store.has(Resource::InspectionProcesses, &[code]) {
                self.report.note(CopyRemarkKind::NamesNothing, TEMPLATE, "code", code);
            }
            for operation in &operations {
                self.report.links += 1;
                self.store.add_link(TemplateProcessLink {
                    template_id: template.id,
                    process_code: code.to_owned(),
                    operation_code: operation.clone(),
                });
            }
        }
    }

    /// Notes what names something that isn't there: an item that names the same would be refused.
    fn look_for_names(&mut self) {
        let mut by_resource: BTreeMap<&str, Vec<(&str, Resource)>> = BTreeMap::new();
        for (resource, member, named) in NAMES {
            by_resource.entry(resource.name()).or_default().push((member, named));
        }
        for (name, members) in by_resource {
            let Some(resource) = Resource::named(name) else { continue };
            for row in self.store.table(resource).texts() {
                let Ok(row) = serde_json::from_str::<Members>(row) else { continue };
                for (member, named) in &members {
                    let code = text(&row, member);
                    let is_there = match named {
                        Resource::WorkOrders => self.store.table(Resource::WorkOrders).has_order(code),
                        other => self.store.has(*other, &[code]),
                    };
                    if !code.is_empty() && !is_there {
                        self.report.note(CopyRemarkKind::NamesNothing, resource.source(), member, code);
                    }
                }
            }
        }
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
