//! The files that are sent while Takt is killed. Each has unique keys.

use serde_json::Value;
use takt_tests::workbook;

/// A delete. Its rows are read back by a part of their key, so some may remain unconfirmed.
pub(crate) const DELETE: &str = "template-processes.delete";
/// Rows per request. Each file needs several requests.
pub(crate) const BATCH_SIZE: &str = "4";
const ORDERS_PER_FILE: u32 = 24;
/// One of this many orders has an unknown material, so the service rejects it.
const ORDERS_PER_ERROR: u32 = 9;

/// A file to send, with its operation and number of rows.
#[derive(Debug)]
pub(crate) struct InputFile {
    pub(crate) name: String,
    pub(crate) content: String,
    /// Absent for workbooks with several sheets, which are sent as a plan.
    pub(crate) operation: Option<&'static str>,
    pub(crate) rows: usize,
}

/// Returns a file of orders with keys that contain `number`.
pub(crate) fn orders_file(number: u32) -> InputFile {
    let mut content = "code;operationCode;materialCode;requestedQuantity\n".to_owned();
    for order in 0..ORDERS_PER_FILE {
        let material = if order % ORDERS_PER_ERROR == ORDERS_PER_ERROR - 1 { "NOBODY" } else { "MAT-1001" };
        content.push_str(&format!("CR-{number}-{order:02};010;{material};{}\n", order + 1));
    }
    InputFile {
        name: format!("orders-{number}.csv"),
        content,
        operation: Some("work-orders.sync"),
        rows: ORDERS_PER_FILE as usize,
    }
}

/// Returns a workbook with materials, and orders that need them. It is a plan with two steps.
pub(crate) fn plan_workbook(number: u32) -> InputFile {
    let materials = (0..ORDERS_PER_FILE / 2).map(|index| vec![format!("CM-{number}-{index:02}"), "Bolt".to_owned()]);
    let orders = (0..ORDERS_PER_FILE / 2).map(|index| {
        let code = format!("CR-{number}-{index:02}");
        vec![code, "010".to_owned(), format!("CM-{number}-{index:02}"), (index + 1).to_string()]
    });
    let (materials, orders): (Vec<_>, Vec<_>) = (materials.collect(), orders.collect());
    let rows = materials.len() + orders.len();
    let orders = sheet_rows(&["Work order", "Operation", "Material", "Requested quantity"], &orders);
    let materials = sheet_rows(&["Material code", "Description"], &materials);
    let content = workbook(&[("Orders", &slices(&orders)), ("Materials", &slices(&materials))]);
    InputFile { name: format!("plan-{number}.xls"), content, operation: None, rows }
}

/// Returns a file that deletes these links of the plant.
pub(crate) fn links_file(number: u32, links: &[Value]) -> InputFile {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut content = "templateId;processCode;operationCode\n".to_owned();
    for link in links {
        let cells = ["templateId", "processCode", "operationCode"].map(|name| text(&link[name]));
        content.push_str(&format!("{}\n", cells.join(";")));
    }
    InputFile { name: format!("links-{number}.csv"), content, operation: Some(DELETE), rows: links.len() }
}

fn sheet_rows<'a>(heading: &[&'a str], rows: &'a [Vec<String>]) -> Vec<Vec<&'a str>> {
    let rows = rows.iter().map(|row| row.iter().map(String::as_str).collect());
    std::iter::once(heading.to_vec()).chain(rows).collect()
}

fn slices<'a>(rows: &'a [Vec<&'a str>]) -> Vec<&'a [&'a str]> {
    rows.iter().map(Vec::as_slice).collect()
}
