//! Builds a store from the rows of a site's lists, in the same order.
//!
//! The report lists all rows and members that the plant can't store. No row is skipped or completed silently.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use serde_json::value::RawValue;
use takt_contract::{Contract, Field, wire::TemplateProcessLink};

use crate::{
    PlantError,
    copy::{CopiedCount, CopiedTemplate, CopyRemarkKind, CopyReport, PlantCopy},
    interface::{Action, find_action},
    store::{Members, Resource, Store, View, get_text},
};

/// The operation that lists the processes of a template.
const TEMPLATE_OPERATION: &str = "templates.processes";
/// Members that refer to rows of another table.
const REFERENCES: [(Resource, &str, Resource); 10] = [
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

/// Builds a store with the rows of a copy. Also returns a report.
pub(crate) fn build_from_copy(
    copy: &PlantCopy,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<(Store, CopyReport), PlantError> {
    let mut store = Store::new(contract, zone.clone())?;
    let mut loader = CopyLoader { store: &mut store, contract, report: CopyReport::default(), last_id: 0 };
    for list in &copy.lists {
        loader.load_list(&list.operation, &list.rows)?;
    }
    let operations = if copy.templates.is_empty() { BTreeMap::new() } else { loader.operations_of_templates() };
    for template in &copy.templates {
        loader.load_template(template, operations.get(&template.id).cloned().unwrap_or_default());
    }
    loader.report_missing_references();
    let (report, last_id) = (loader.report, loader.last_id);
    store.set_last_id(last_id);
    // The initial rows are saved as a whole, not as changes.
    drop(store.take_changes());
    Ok((store, report))
}

struct CopyLoader<'a> {
    store: &'a mut Store,
    contract: &'a Contract,
    report: CopyReport,
    last_id: i64,
}

impl CopyLoader<'_> {
    fn load_list(&mut self, operation: &str, rows: &[Box<RawValue>]) -> Result<(), PlantError> {
        let given = to_u32(rows.len());
        let known_list = match find_action(operation) {
            Some(Action::List(resource, view)) => {
                self.contract.operation(operation).map(|known| (resource, view, known))
            }
            _ => None,
        };
        let Some((resource, view, known)) = known_list else {
            (1..=rows.len())
                .for_each(|row| self.report.add_remark(CopyRemarkKind::NoPlace, operation, "", &row.to_string()));
            self.report.lists.push(CopiedCount { operation: operation.to_owned(), given, kept: 0 });
            return Ok(());
        };
        let fields = known.answer.as_ref().map(|shape| shape.fields.clone()).unwrap_or_default();
        let mut kept = 0;
        for (number, row) in (1..).zip(rows) {
            let Ok(row) = serde_json::from_str::<Members>(row.get()) else {
                self.report.add_remark(CopyRemarkKind::NoRow, operation, "", &number.to_string());
                continue;
            };
            if self.load_row(resource, view, operation, &fields, number, row)? {
                kept += 1;
            }
        }
        self.report.lists.push(CopiedCount { operation: operation.to_owned(), given, kept });
        Ok(())
    }

    /// Stores a row. Returns false if the row has no key.
    fn load_row(
        &mut self,
        resource: Resource,
        view: View,
        operation: &str,
        fields: &[Field],
        number: usize,
        row: Members,
    ) -> Result<bool, PlantError> {
        let names = self.store.table(resource).key_names().to_vec();
        let key: Vec<String> = self.store.table(resource).key_values(&row);
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        let key_text = if names.is_empty() { number.to_string() } else { key.join(" · ") };
        // Some values of a key may be empty, but not all.
        if !names.is_empty() && key.iter().all(|part| part.is_empty()) {
            self.report.add_remark(CopyRemarkKind::NoKey, operation, &names.join(", "), &number.to_string());
            return Ok(false);
        }
        if !names.is_empty() && self.store.has_row(resource, &key) {
            // The rows of a brief list contain no members that the full list lacks.
            if view == View::Brief {
                return Ok(true);
            }
            self.report.add_remark(CopyRemarkKind::SameKey, operation, "", &key_text);
        }
        for field in fields.iter().filter(|field| field.required) {
            let value = row.get(&field.name);
            if value.is_none_or(|value| value.is_null() && !field.nullable) {
                self.report.add_remark(CopyRemarkKind::Lacks, operation, &field.name, &key_text);
            }
        }
        for name in row.keys().filter(|name| !self.store.layout(resource).has_member(name)) {
            self.report.add_remark(CopyRemarkKind::UnknownMember, operation, name, &key_text);
        }
        if let Some(id) = row.get("id").and_then(serde_json::Value::as_i64) {
            self.last_id = self.last_id.max(id);
        }
        self.store.put(resource, row)?;
        Ok(true)
    }

    /// Returns the operations of the orders that use each template, by the ID of the template.
    fn operations_of_templates(&self) -> BTreeMap<i64, BTreeSet<String>> {
        let mut operations: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for order in self.store.table(Resource::WorkOrders).row_texts() {
            let Ok(order) = serde_json::from_str::<Members>(order) else { continue };
            if let Some(id) = order.get("templateId").and_then(serde_json::Value::as_i64) {
                operations.entry(id).or_default().insert(get_text(&order, "operationCode").to_owned());
            }
        }
        operations
    }

    /// Links the processes of a template, for each of these operations.
    fn load_template(&mut self, template: &CopiedTemplate, mut operations: BTreeSet<String>) {
        self.store.add_template(template.id);
        self.report.templates += 1;
        if operations.is_empty() {
            self.report.add_remark(CopyRemarkKind::NoOperation, TEMPLATE_OPERATION, "", &template.id.to_string());
            operations.insert(String::new());
        }
        for process in &template.processes {
            let process: Members = serde_json::from_str(process.get()).unwrap_or_default();
            let code = get_text(&process, "code");
            if code.is_empty() {
                self.report.add_remark(CopyRemarkKind::NoKey, TEMPLATE_OPERATION, "code", &template.id.to_string());
                continue;
            }
            if !self.store.has_row(Resource::InspectionProcesses, &[code]) {
                self.report.add_remark(CopyRemarkKind::NamesNothing, TEMPLATE_OPERATION, "code", code);
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

    /// Reports references to missing rows, since the plant would reject items with such references.
    fn report_missing_references(&mut self) {
        let mut by_resource: BTreeMap<&str, Vec<(&str, Resource)>> = BTreeMap::new();
        for (resource, member, target) in REFERENCES {
            by_resource.entry(resource.name()).or_default().push((member, target));
        }
        for (name, members) in by_resource {
            let Some(resource) = Resource::from_name(name) else { continue };
            for row in self.store.table(resource).row_texts() {
                let Ok(row) = serde_json::from_str::<Members>(row) else { continue };
                for (member, target) in &members {
                    let code = get_text(&row, member);
                    let exists = match target {
                        Resource::WorkOrders => self.store.table(Resource::WorkOrders).has_order(code),
                        other => self.store.has_row(*other, &[code]),
                    };
                    if !code.is_empty() && !exists {
                        self.report.add_remark(CopyRemarkKind::NamesNothing, resource.row_operation(), member, code);
                    }
                }
            }
        }
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
