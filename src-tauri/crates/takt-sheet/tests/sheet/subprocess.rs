//! xls files that a separate process reads. The cells are the same, and the limits hold whatever the file contains.

use std::{path::PathBuf, time::Instant};

use takt_sheet::{LimitKind, Limits, ReaderProcess, SheetError, Workbook};

use crate::binary;

fn reader_process() -> ReaderProcess {
    ReaderProcess::new(PathBuf::from(env!("CARGO_BIN_EXE_sheet-reader")))
}

fn limits(reader_process: ReaderProcess) -> Limits {
    Limits { reader_process: Some(reader_process), ..Limits::default() }
}

/// Pads a file so that this program doesn't read it if its reader may use [`SMALL_MEMORY`].
fn pad_file(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(5 * 1024 * 1024, 0);
    bytes
}

const SMALL_MEMORY: u64 = 64 * 1024 * 1024;

fn missing_reader_process() -> ReaderProcess {
    ReaderProcess::new(PathBuf::from("no-such-program"))
}

fn is_read_in_subprocess(bytes: Vec<u8>, memory_bytes: u64) -> bool {
    let limits = limits(ReaderProcess { memory_bytes, ..missing_reader_process() });
    let read = Workbook::from_bytes(bytes, "a.xls", &limits).and_then(|book| book.read("S", &limits, &|| false));
    match read {
        Ok(_) => false,
        Err(SheetError::Unreadable(_)) => true,
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn the_same_is_read_apart_as_within() {
    for bytes in [binary::sample_xls(), binary::xls_with_layout(), binary::xls_of_every_kind()] {
        let subprocess_limits = limits(ReaderProcess { memory_bytes: SMALL_MEMORY, ..reader_process() });
        let own_workbook = Workbook::from_bytes(bytes.clone(), "a.xls", &Limits::default()).unwrap();
        let other_workbook = Workbook::from_bytes(pad_file(bytes), "a.xls", &subprocess_limits).unwrap();
        assert_eq!(own_workbook.sheets(), other_workbook.sheets());
        let (one, other) = (
            own_workbook.read("S", &Limits::default(), &|| false).unwrap(),
            other_workbook.read("S", &subprocess_limits, &|| false).unwrap(),
        );
        assert_eq!(one, other);
    }
}

/// No claim of a file is trusted. This program only reads files whose cells need at most a small multiple of their
/// bytes.
#[test]
fn a_file_that_may_want_much_is_read_apart() {
    let usual = missing_reader_process().memory_bytes;
    assert!(!is_read_in_subprocess(binary::sample_xls(), usual));
    assert!(!is_read_in_subprocess(pad_file(binary::sample_xls()), usual));
    assert!(is_read_in_subprocess(pad_file(binary::sample_xls()), SMALL_MEMORY));
    let cell = [binary::number(0, 0, 0, 1.0)];
    for kind in [0x041E_u16, 0x00E0] {
        let formats = |count| vec![binary::record(kind, &[164, 0, 1, 0, 0, b'0']); count];
        assert!(!is_read_in_subprocess(binary::xls_with(&formats(10_000), &cell), usual));
        assert!(is_read_in_subprocess(binary::xls_with(&formats(16_385), &cell), usual));
    }
    let pieces = |count| [vec![binary::record(0x0031, &[])], vec![binary::record(0x003C, &[]); count]].concat();
    assert!(!is_read_in_subprocess(binary::xls_with(&pieces(60_000), &cell), usual));
    assert!(is_read_in_subprocess(binary::xls_with(&pieces(65_537), &cell), usual));
    assert!(is_read_in_subprocess(binary::xls(&[pieces(65_537).concat(), cell[0].clone()]), usual));
    // Shared texts are counted once per cell, however small the file is.
    let texts = |cells: u16| binary::xls_that_shares_a_text(8_000, cells);
    assert!(!is_read_in_subprocess(texts(200), SMALL_MEMORY));
    assert!(is_read_in_subprocess(texts(2_000), SMALL_MEMORY));
}

#[test]
fn errors_come_over_as_they_are() {
    let apart = limits(ReaderProcess { memory_bytes: SMALL_MEMORY, ..reader_process() });
    let protected = pad_file(binary::protected_xls());
    assert!(matches!(Workbook::from_bytes(protected, "a.xls", &apart), Err(SheetError::Protected)));
    let damaged = pad_file([binary::sample_xls()[..1024].to_vec(), vec![0xFF; 4096]].concat());
    let result = Workbook::from_bytes(damaged, "a.xls", &apart);
    assert!(matches!(result, Err(SheetError::Damaged(_) | SheetError::NotAWorkbook)), "{result:?}");
}

#[test]
fn a_file_that_wants_more_memory_than_there_may_be_ends_its_reader_alone() {
    let small = limits(ReaderProcess { memory_bytes: 1024 * 1024, ..reader_process() });
    let result = Workbook::from_bytes(binary::xls_with_long_texts(), "a.xls", &small);
    assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::Memory, .. })), "{result:?}");
}

#[test]
fn a_reader_that_never_answers_is_ended() {
    let begin = Instant::now();
    let none = ReaderProcess { seconds: 0, memory_bytes: SMALL_MEMORY, ..reader_process() };
    let result = Workbook::from_bytes(pad_file(binary::sample_xls()), "a.xls", &limits(none));
    assert!(matches!(result, Ok(_) | Err(SheetError::TooLarge { what: LimitKind::Seconds, .. })), "{result:?}");
    let missing = ReaderProcess { memory_bytes: SMALL_MEMORY, ..missing_reader_process() };
    let result = Workbook::from_bytes(pad_file(binary::sample_xls()), "a.xls", &limits(missing));
    assert!(matches!(result, Err(SheetError::Unreadable(_))), "{result:?}");
    assert!(begin.elapsed().as_secs() < 20);
}
