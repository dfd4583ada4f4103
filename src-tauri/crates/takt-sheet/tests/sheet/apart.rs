//! xls files read by a process of their own: the same cells, and bounds that hold whatever the file does.

use std::{path::PathBuf, time::Instant};

use takt_sheet::{Apart, Limits, Measure, SheetError, Workbook};

use crate::binary;

fn apart() -> Apart {
    Apart::new(PathBuf::from(env!("CARGO_BIN_EXE_read-apart")))
}

fn limits(apart: Apart) -> Limits {
    Limits { apart: Some(apart), ..Limits::default() }
}

#[test]
fn the_same_is_read_apart_as_within() {
    for bytes in [binary::sample_xls(), binary::xls_with_shape(), binary::xls_of_every_kind()] {
        let within = Workbook::from_bytes(bytes.clone(), "a.xls", &Limits::default()).unwrap();
        let beside = Workbook::from_bytes(bytes, "a.xls", &limits(apart())).unwrap();
        assert_eq!(within.sheets(), beside.sheets());
        let (one, other) = (
            within.read("S", &Limits::default(), &|| false).unwrap(),
            beside.read("S", &limits(apart()), &|| false).unwrap(),
        );
        assert_eq!(one, other);
    }
}

#[test]
fn errors_come_over_as_they_are() {
    let protected = binary::protected_xls();
    assert!(matches!(Workbook::from_bytes(protected, "a.xls", &limits(apart())), Err(SheetError::Protected)));
    let damaged = [binary::sample_xls()[..1024].to_vec(), vec![0xFF; 4096]].concat();
    let result = Workbook::from_bytes(damaged, "a.xls", &limits(apart()));
    assert!(matches!(result, Err(SheetError::Damaged(_) | SheetError::NotAWorkbook)), "{result:?}");
}

#[test]
fn a_file_that_wants_more_memory_than_there_may_be_ends_its_reader_alone() {
    let small = limits(Apart { memory_bytes: 1024 * 1024, ..apart() });
    let result = Workbook::from_bytes(binary::xls_with_long_texts(), "a.xls", &small);
    assert!(matches!(result, Err(SheetError::TooLarge { what: Measure::Memory, .. })), "{result:?}");
}

#[test]
fn a_reader_that_never_answers_is_ended() {
    let begin = Instant::now();
    let none = Apart { seconds: 0, ..apart() };
    let result = Workbook::from_bytes(binary::sample_xls(), "a.xls", &limits(none));
    assert!(matches!(result, Ok(_) | Err(SheetError::TooLarge { what: Measure::Seconds, .. })), "{result:?}");
    let missing = Apart { program: PathBuf::from("no-such-program"), ..apart() };
    let result = Workbook::from_bytes(binary::sample_xls(), "a.xls", &limits(missing));
    assert!(matches!(result, Err(SheetError::Unreadable(_))), "{result:?}");
    assert!(begin.elapsed().as_secs() < 20);
}
