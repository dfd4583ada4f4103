//! Dates, times and durations in ISO 8601, in each format that uses them.

use jiff::civil::{DateTime, datetime};
use takt_sheet::{Cell, CellValue, TICKS_PER_SECOND};

use crate::support::{Parts, cell_at, ods, read, xlsx};

const HALF_PAST_TWELVE: i64 = (12 * 3600 + 30 * 60) * TICKS_PER_SECOND;

fn cell_in_xlsx(text: &str) -> Cell {
    let rows = format!(r#"<row r="1"><c r="A1" s="1" t="d"><v>{text}</v></c></row>"#);
    cell_at(&read(xlsx(&rows, &Parts { formats: &["h:mm"], ..Parts::default() }), "a.xlsx").unwrap(), "A1")
}

fn cell_in_ods(kind: &str, text: &str) -> Cell {
    let table = format!(
        r#"<table:table table:name="S"><table:table-row><table:table-cell office:value-type="{kind}" office:{kind}-value="{text}"><text:p>shown</text:p></table:table-cell></table:table-row></table:table>"#
    );
    cell_at(&read(ods("", &table), "a.ods").unwrap(), "A1")
}

fn cell_in_xml_of_2003(text: &str) -> Cell {
    let spreadsheet = "urn:schemas-microsoft-com:office:spreadsheet";
    let xml = format!(
        r#"<?xml version="1.0"?><Workbook xmlns="{spreadsheet}" xmlns:ss="{spreadsheet}"><Worksheet ss:Name="S"><Table><Row><Cell><Data ss:Type="DateTime">{text}</Data></Cell></Row></Table></Worksheet></Workbook>"#
    );
    cell_at(&read(xml.into_bytes(), "a.xls").unwrap(), "A1")
}

#[test]
fn dates_with_long_fractions_are_dates() {
    let clock = |millisecond: i32| datetime(2013, 7, 7, 12, 30, 0, millisecond * 1_000_000);
    for (text, expected) in [
        ("2013-07-07T12:30:00", clock(0)),
        ("2013-07-07T12:30:00.250", clock(250)),
        ("2013-07-07T12:30:00.0000000000000", clock(0)),
        ("2013-07-07T12:29:59.9999999998137", clock(0)),
        ("2013-07-07T12:30:00.2500000001863", clock(250)),
        ("2013-07-07", datetime(2013, 7, 7, 0, 0, 0, 0)),
    ] {
        for cell in [cell_in_xlsx(text), cell_in_ods("date", text), cell_in_xml_of_2003(text)] {
            assert_eq!(cell.value(), CellValue::DateTime(expected), "{text}");
        }
    }
}

#[test]
fn times_and_durations_of_a_strict_workbook_are_durations() {
    for (text, expected) in [
        ("12:30:00", HALF_PAST_TWELVE),
        ("T12:30:00.000", HALF_PAST_TWELVE),
        ("12:30", HALF_PAST_TWELVE),
        ("12:29:59.9999999998137", HALF_PAST_TWELVE),
        ("12:30:00.0000001", HALF_PAST_TWELVE + 1),
        ("PT12H30M", HALF_PAST_TWELVE),
        ("PT24H0M0.000S", 24 * 3600 * TICKS_PER_SECOND),
        ("-PT0.5S", -TICKS_PER_SECOND / 2),
    ] {
        assert_eq!(cell_in_xlsx(text).value(), CellValue::Duration(expected), "{text}");
    }
    for (text, expected) in [("PT12H29M59.999999999S", HALF_PAST_TWELVE), ("PT12H30M00S", HALF_PAST_TWELVE)] {
        assert_eq!(cell_in_ods("time", text).value(), CellValue::Duration(expected), "{text}");
    }
}

/// A cell stores milliseconds, or ticks of 100 ns.
#[test]
fn what_a_cell_cannot_hold_stays_as_written() {
    for text in [
        "2013-07-07T12:30:00.123456",
        "2013-07-07T23:59:59.9999999",
        "2013-07-07T23:59:60",
        "2013-07-07T12:30:00+02:00",
        "2013-02-30",
        "9999-12-31T23:59:59.99999999999",
    ] {
        for cell in [cell_in_xlsx(text), cell_in_ods("date", text), cell_in_xml_of_2003(text)] {
            assert_eq!(cell.value(), CellValue::Text(text), "{text}");
        }
    }
    for text in ["12:30:00.123456789", "25:00:00", "12:60", "PT0.123456789S", "PT1.5H", "P1M", "soon"] {
        assert_eq!(cell_in_xlsx(text).value(), CellValue::Text(text), "{text}");
    }
    for text in ["PT0.123456789S", "PT1.5H", "12:30:00"] {
        assert_eq!(cell_in_ods("time", text).value(), CellValue::Text(text), "{text}");
    }
}

#[test]
fn no_date_of_a_calendar_is_lost() {
    let dates: [DateTime; 4] = [
        datetime(1, 1, 1, 0, 0, 0, 0),
        datetime(1900, 2, 28, 23, 59, 59, 999_000_000),
        datetime(2024, 2, 29, 12, 0, 0, 0),
        datetime(9999, 12, 31, 23, 59, 59, 999_000_000),
    ];
    for date in dates {
        let text = date.strftime("%Y-%m-%dT%H:%M:%S%.3f").to_string();
        assert_eq!(cell_in_ods("date", &text).value(), CellValue::DateTime(date), "{text}");
        assert_eq!(cell_in_xlsx(&text).value(), CellValue::DateTime(date), "{text}");
    }
}

/// A cell's date has no time zone. A date with a time zone remains a text, and its field uses the offset.
#[test]
fn dates_with_an_offset_stay_texts() {
    for text in
        ["2026-12-13T08:00:00Z", "2026-12-13T08:00:00.000Z", "2026-12-13T10:00:00+02:00", "2026-12-13T00:00:00Z"]
    {
        for cell in [cell_in_xlsx(text), cell_in_ods("date", text), cell_in_xml_of_2003(text)] {
            assert_eq!(cell.value(), CellValue::Text(text));
        }
    }
}
