//! Sorts, filters and searches the rows of a set.

use std::time::Instant;

use serde_json::{Value, json};
use takt_engine::browse::{Arrangement, Filter, RowSet, SortBy, Test};
use takt_test_support::plant_fixture::{Fixture, PRACTICE};

const ORDERS: &str = "work-orders.details";

fn sort_by(by: &[(&str, bool)]) -> Arrangement {
    let sort = by.iter().map(|(path, descending)| SortBy { path: (*path).to_owned(), descending: *descending });
    Arrangement { sort: sort.collect(), ..Arrangement::default() }
}

fn filter_by(filters: &[(&str, Test)]) -> Arrangement {
    let filters = filters.iter().map(|(path, test)| Filter { path: (*path).to_owned(), test: test.clone() });
    Arrangement { filters: filters.collect(), ..Arrangement::default() }
}

fn search_for(find: &str) -> Arrangement {
    Arrangement { find: find.to_owned(), ..Arrangement::default() }
}

fn text(text: &str) -> String {
    text.to_owned()
}

struct SetFixture {
    fixture: Fixture,
    set: RowSet,
}

impl SetFixture {
    async fn with(operation: &str, rows: &[Value]) -> Self {
        let fixture = Fixture::new().await;
        let set = fixture.engine.browse().row_set(PRACTICE, operation).unwrap();
        set.append(rows);
        Self { fixture, set }
    }

    fn positions(&self, arrangement: &Arrangement) -> Vec<u32> {
        self.fixture.engine.browse().arrange(&self.set, arrangement).unwrap().positions.to_vec()
    }
}

/// Orders with values of every kind, and missing values.
fn orders() -> Vec<Value> {
    let span = |ticks: i64| json!({ "ticks": ticks, "hours": 0 });
    vec![
        json!({ "code": "WO-10", "requestedQuantity": 9, "beginPlanned": "2026-11-21T06:30:00", "laborPredictedTime": span(90),
            "rawMaterials": [{ "code": "M-1" }, { "code": "M-2" }], "note": "Ölwechsel \"heute\"" }),
        json!({ "code": "wo-9", "requestedQuantity": 10.5, "beginPlanned": "2026-11-20T22:00:00", "laborPredictedTime": span(100),
            "rawMaterials": [], "note": null }),
        json!({ "code": "WO-100", "requestedQuantity": null, "beginPlanned": null, "note": "" }),
        json!({ "code": "WO-9", "requestedQuantity": 10.5, "beginPlanned": "2026-11-21T06:30:30Z", "laborPredictedTime": "00:00:00.0000095",
            "rawMaterials": [{ "code": "M-3" }], "note": format!("{}deep", "x".repeat(2_000)), "extra": { "a": 1 } }),
    ]
}

#[tokio::test]
async fn each_kind_has_its_order_and_gaps_come_last() {
    let set_fixture = SetFixture::with(ORDERS, &orders()).await;
    for (path, up, down) in [
        ("code", [3, 1, 0, 2], [2, 0, 1, 3]),
        ("requestedQuantity", [0, 1, 3, 2], [1, 3, 0, 2]),
        ("beginPlanned", [1, 0, 3, 2], [3, 0, 1, 2]),
        ("laborPredictedTime", [0, 3, 1, 2], [1, 3, 0, 2]),
        ("rawMaterials", [3, 0, 1, 2], [0, 3, 1, 2]),
        ("extra", [3, 0, 1, 2], [3, 0, 1, 2]),
        ("nothing", [0, 1, 2, 3], [0, 1, 2, 3]),
    ] {
        assert_eq!(set_fixture.positions(&sort_by(&[(path, false)])), up, "{path}");
        assert_eq!(set_fixture.positions(&sort_by(&[(path, true)])), down, "{path} descending");
    }
    let both = sort_by(&[("requestedQuantity", true), ("code", true)]);
    assert_eq!(set_fixture.positions(&both), [1, 3, 0, 2], "what is alike goes by the next column");
}

#[tokio::test]
async fn filters_go_by_kind() {
    let set_fixture = SetFixture::with(ORDERS, &orders()).await;
    let day = |from: Option<&str>, to: Option<&str>| Test::During { from: from.map(text), to: to.map(text) };
    for (path, test, rows) in [
        ("code", Test::Contains { text: text("o-9") }, &[1, 3][..]),
        ("code", Test::Equals { text: text(" wo-10 ") }, &[0]),
        ("code", Test::OneOf { texts: vec![text("WO-100"), text("WO-10")] }, &[0, 2]),
        ("code", Test::Lacks { text: text("9") }, &[0, 2]),
        ("note", Test::Empty, &[1, 2]),
        ("note", Test::Filled, &[0, 3]),
        ("note", Test::Contains { text: text("DEEP") }, &[3]),
        ("note", Test::Contains { text: text("öl") }, &[0]),
        ("requestedQuantity", Test::Between { from: Some(10.0), to: None }, &[1, 3]),
        ("requestedQuantity", Test::Between { from: None, to: Some(9.0) }, &[0]),
        ("rawMaterials", Test::Between { from: Some(1.0), to: Some(1.0) }, &[3]),
        ("laborPredictedTime", Test::Between { from: Some(95.0), to: Some(100.0) }, &[1, 3]),
        ("beginPlanned", day(Some("2026-11-21"), None), &[0, 3]),
        ("beginPlanned", day(None, Some("2026-11-20")), &[1]),
        ("beginPlanned", day(Some("2026-11-20T22:00"), Some("2026-11-20T22:00")), &[1]),
        ("beginPlanned", day(Some("soon"), None), &[0, 1, 3]),
    ] {
        assert_eq!(set_fixture.positions(&filter_by(&[(path, test.clone())])), rows, "{path} {test:?}");
    }
    let both = filter_by(&[("code", Test::Contains { text: text("9") }), ("note", Test::Filled)]);
    assert_eq!(set_fixture.positions(&both), [3]);
}

#[tokio::test]
async fn times_with_an_offset_stand_where_the_sites_clock_stood() {
    let fixture = Fixture::new().await;
    let site = fixture.site("berlin");
    fixture.engine.save_site(site, None).unwrap();
    let set = fixture.engine.browse().row_set("berlin", ORDERS).unwrap();
    set.append(
        &["2026-11-21T07:00:00", "2026-11-21T06:30:00Z", "2026-11-21T06:00:00"].map(|at| json!({ "beginPlanned": at })),
    );
    let found = fixture.engine.browse().arrange(&set, &sort_by(&[("beginPlanned", false)])).unwrap();
    assert_eq!(*found.positions, [2, 0, 1], "06:30 UTC is 07:30 in Berlin");
}

#[tokio::test]
async fn a_text_is_found_anywhere_in_a_row() {
    let set_fixture = SetFixture::with(ORDERS, &orders()).await;
    for (find, rows) in [
        ("m-3", &[3][..]),
        ("ÖLWECHSEL \"heute\"", &[0]),
        ("10.5", &[1, 3]),
        ("deep", &[3]),
        ("requestedQuantity", &[]),
        ("  ", &[0, 1, 2, 3]),
    ] {
        assert_eq!(set_fixture.positions(&search_for(find)), rows, "{find}");
    }
    let narrowed = Arrangement { find: text("wo"), ..filter_by(&[("requestedQuantity", Test::Filled)]) };
    assert_eq!(set_fixture.positions(&Arrangement { sort: sort_by(&[("code", false)]).sort, ..narrowed }), [3, 1, 0]);
}

#[tokio::test]
async fn rows_that_come_later_are_arranged_too() {
    let set_fixture =
        SetFixture::with("work-stations.list", &[json!({ "code": "B", "area": { "code": "Z-2" } })]).await;
    let by_area = sort_by(&[("area.code", false)]);
    assert_eq!(set_fixture.positions(&by_area), [0]);
    set_fixture.set.append(&[json!({ "code": "A", "area": { "code": "Z-1" } })]);
    assert_eq!(set_fixture.positions(&by_area), [1, 0]);
    let rows = set_fixture.fixture.engine.browse().table_rows(&set_fixture.set, &by_area, 1, 10).unwrap();
    assert_eq!((rows.positions, rows.shown, rows.of), (vec![0], 2, 2));
    assert_eq!(rows.rows, [json!({ "code": "B", "area": { "code": "Z-2" } })]);
    let plain =
        set_fixture.fixture.engine.browse().table_rows(&set_fixture.set, &Arrangement::default(), 1, 10).unwrap();
    assert_eq!((plain.positions, plain.rows[0]["code"].as_str()), (vec![1], Some("A")));
    let past =
        set_fixture.fixture.engine.browse().table_rows(&set_fixture.set, &Arrangement::default(), 5, 10).unwrap();
    assert!(past.rows.is_empty() && past.positions.is_empty());
}

#[tokio::test]
async fn a_columns_values_are_counted() {
    let rows = ["B-10", "a", "B-9", "a", ""].map(|customer| json!({ "customer": customer }));
    let set_fixture = SetFixture::with(ORDERS, &rows).await;
    let values = |most| {
        let found = set_fixture.fixture.engine.browse().column_values(&set_fixture.set, "customer", most).unwrap();
        found.into_iter().map(|value| (value.text, value.rows)).collect::<Vec<_>>()
    };
    assert_eq!(values(10), [(text("a"), 2), (text("B-9"), 1), (text("B-10"), 1)]);
    assert_eq!(values(1), [(text("a"), 2)]);
}

#[tokio::test]
async fn a_long_row_is_told_in_pieces() {
    let note = "ü".repeat(250_000);
    let set_fixture = SetFixture::with(ORDERS, &[json!({ "code": "WO-1", "note": note })]).await;
    let engine = &set_fixture.fixture.engine;
    let whole = engine.browse().row_detail(&set_fixture.set, 0).unwrap();
    assert_eq!((whole.cuts[0].path.as_str(), whole.cuts[0].of), ("/note", 500_000));
    let (mut told, mut from) = (String::new(), Some(0));
    while let Some(next) = from {
        let piece = engine.browse().row_text(&set_fixture.set, 0, "/note", next).unwrap();
        told.push_str(&piece.text);
        from = piece.next;
    }
    assert_eq!(told, note);
    assert!(
        engine.browse().row_detail(&set_fixture.set, 1).is_err()
            && engine.browse().row_text(&set_fixture.set, 0, "/no", 0).is_err()
    );
}

#[tokio::test]
async fn a_hundred_thousand_rows_are_arranged() {
    const ROWS: u32 = 100_000;
    let row = |number: u32| {
        let mixed = number.wrapping_mul(2_654_435_761) % 1_000_003;
        json!({ "code": format!("WO-{mixed}"), "requestedQuantity": mixed % 500, "customer": format!("Customer {}", mixed % 40),
            "beginPlanned": format!("2026-{:02}-{:02}T{:02}:30:00", 1 + mixed % 12, 1 + mixed % 28, mixed % 24),
            "laborPredictedTime": { "ticks": u64::from(mixed) * 10_000, "days": 0, "hours": 1, "minutes": 2 },
            "rawMaterials": [{ "code": format!("M-{}", mixed % 97), "quantity": 3.5, "uoM": "kg" }],
            "note": "Check the clamps before the first piece, then every two hours." })
    };
    let rows: Vec<Value> = (0..ROWS).map(row).collect();
    let set_fixture = SetFixture::with(ORDERS, &rows).await;
    let timed = |what: &str, arrangement: &Arrangement| {
        let begin = Instant::now();
        let found = set_fixture.positions(arrangement);
        eprintln!("{what}: {} of {ROWS} rows in {:?}", found.len(), begin.elapsed());
        found
    };
    let number = |at: u32| rows[at as usize]["code"].as_str().unwrap()[3..].parse::<u32>().unwrap();
    let by_code = timed("by code", &sort_by(&[("code", false)]));
    assert!(by_code.len() == rows.len() && by_code.is_sorted_by_key(|at| number(*at)));
    let by_both = timed("by customer, quantity", &sort_by(&[("customer", false), ("requestedQuantity", true)]));
    let sort_key = |at: u32| (number(at) % 40, u32::MAX - number(at) % 500, at);
    assert!(by_both.is_sorted_by_key(|at| sort_key(*at)));
    timed("by time", &sort_by(&[("beginPlanned", true)]));
    timed("the same again, turned", &sort_by(&[("beginPlanned", false)]));
    let some = timed("customer 7", &filter_by(&[("customer", Test::Equals { text: text("customer 7") })]));
    assert_eq!(some.len(), (0..ROWS).filter(|at| number(*at) % 40 == 7).count());
    let found = timed("find M-13", &search_for("\"m-13"));
    assert!(found.is_empty());
    let found = timed("find m-96", &search_for("m-96"));
    assert_eq!(found.len(), (0..ROWS).filter(|at| number(*at) % 97 == 96).count());
    timed("find code", &search_for("code"));
    let begin = Instant::now();
    let page = set_fixture
        .fixture
        .engine
        .browse()
        .table_rows(&set_fixture.set, &sort_by(&[("code", false)]), 50_000, 200)
        .unwrap();
    eprintln!("200 rows of it in {:?}", begin.elapsed());
    assert_eq!((page.rows.len(), page.of, page.positions[0]), (200, ROWS, by_code[50_000]));
}
