//! Creates workbooks for tests.

use std::fmt::Write as _;

/// Returns a workbook with these sheets in the format XML Spreadsheet 2003. All cells are texts.
#[must_use]
pub fn workbook(sheets: &[(&str, &[&[&str]])]) -> String {
    let mut xml = "<?xml version=\"1.0\"?><?mso-application progid=\"Excel.Sheet\"?>\
                   <Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\" \
                   xmlns:ss=\"urn:schemas-microsoft-com:office:spreadsheet\">"
        .to_owned();
    for (name, rows) in sheets {
        // Writing to a `String` can't fail.
        let _ = write!(xml, "<Worksheet ss:Name=\"{name}\"><Table>");
        for row in *rows {
            let cells = row.iter().map(|cell| format!("<Cell><Data ss:Type=\"String\">{cell}</Data></Cell>"));
            let _ = write!(xml, "<Row>{}</Row>", cells.collect::<String>());
        }
        xml.push_str("</Table></Worksheet>");
    }
    xml + "</Workbook>"
}
