//! Opens a workbook of any format, and reads its first sheets within small limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use takt_sheet::{Limits, Workbook};

const MAX_SHEETS: usize = 3;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits {
        file_bytes: 1 << 20,
        unpacked_bytes: 16 << 20,
        shared_text_bytes: 4 << 20,
        cells: 200_000,
        ..Limits::default()
    };
    let Ok(workbook) = Workbook::from_bytes(bytes.to_vec(), "book", &limits) else { return };
    let names: Vec<String> = workbook.sheets().iter().take(MAX_SHEETS).map(|sheet| sheet.name.clone()).collect();
    for name in names {
        let _ = workbook.read(&name, &limits, &|| false);
    }
});
