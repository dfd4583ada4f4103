//! Tests of change previews, rows opened as imports, and orders on the practice plant over loopback. Their results are
//! compared to the plant's data.

mod alarms;
mod change_kinds;
mod edited_export;
mod fixture;
mod import_site;
mod large_file;
mod list_import;
mod order;
mod page_reads;
mod result_reasons;
mod template_links;
