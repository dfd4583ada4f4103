//! Cells that are merged over several rows are reported, and filled if the user wants that.

use takt_tests::Takt;

use crate::support::ORDERS;

/// An HTML table with a workbook's extension, as some ERP systems export. It has two orders, the first one with three
/// components.
const TABLE: &str = "<table>
    <tr><th>code</th><th>operationCode</th><th>materialCode</th><th>requestedQuantity</th><th>rawMaterials.code</th><th>rawMaterials.quantity</th></tr>
    <tr><td rowspan=3>WO-1</td><td rowspan=3>010</td><td rowspan=3>MAT-1001</td><td rowspan=3>5</td><td>RAW-1</td><td>1</td></tr>
    <tr><td>RAW-2</td><td>2</td></tr>
    <tr><td>RAW-3</td><td>3</td></tr>
    <tr><td>WO-2</td><td>010</td><td>MAT-1001</td><td>7</td><td>RAW-1</td><td>1</td></tr>
</table>";

#[test]
fn merged_cells_are_told_and_filled_on_request() {
    let takt = Takt::new();
    let file = takt.write("orders.xls", TABLE);
    let file = file.to_str().unwrap();
    let ran = takt.run(&["check", file, "--to", ORDERS]);
    let message = "8 cells in A, B, C, D are empty because they are merged over several rows; --fill-merged fills them";
    assert!(ran.err.contains(message) || ran.out.contains(message), "{ran:?}");
    let counts = |flags: &[&str]| {
        let summary = takt.run(&[&["check", file, "--to", ORDERS, "--json"], flags].concat()).summary();
        ["rows", "items", "errors"].map(|member| summary[member].as_u64().unwrap())
    };
    assert_eq!(counts(&[]), [4, 4, 8]);
    assert_eq!(counts(&["--fill-merged"]), [4, 2, 0]);
}
