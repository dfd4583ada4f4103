//! Tests of pages with exact totals, and of filters by code and time.

use std::collections::HashSet;

use serde_json::json;

use crate::fixture::Fixture;

#[tokio::test]
async fn a_walk_over_all_pages_meets_every_row_once() {
    let fixture = Fixture::new().await;
    for id in ["materials.list", "work-orders.list", "inspections.list", "consumed-lots.list", "alerts.list"] {
        for limit in [7, 100] {
            let first = fixture.read(id, &format!("?limit={limit}")).await;
            let total: usize = first.header("x-pagination-total").parse().unwrap();
            let pages: usize = first.header("x-pagination-pages").parse().unwrap();
            assert_eq!(pages, total.div_ceil(limit));
            let mut rows = Vec::new();
            for page in 1..=pages {
                let answer = fixture.read(id, &format!("?page={page}&limit={limit}")).await;
                assert_eq!(answer.header("x-pagination-current"), page.to_string());
                assert_eq!(answer.header("x-pagination-total"), total.to_string());
                rows.extend(answer.rows().iter().map(ToString::to_string));
            }
            assert_eq!(rows.len(), total, "{id}");
            let different: HashSet<_> = rows.iter().collect();
            assert_eq!(different.len(), rows.len(), "{id}");
        }
        fixture.advance_clock(61);
    }
    let beyond = fixture.read("materials.list", "?page=9223372036854775807&limit=100").await;
    assert_eq!((beyond.status, beyond.body), (200, json!({ "data": [] })));
}

#[tokio::test]
async fn a_code_gives_exactly_the_rows_of_that_order() {
    let fixture = Fixture::new().await;
    for (id, member) in [
        ("work-orders.list", "code"),
        ("work-orders.details", "code"),
        ("inspections.list", "workOrderCode"),
        ("quality-checks.list", "workOrderCode"),
        ("consumed-lots.list", "workOrderCode"),
        ("order-history.list", "workOrderCode"),
    ] {
        let answer = fixture.read(id, "?code=WO-260003&limit=100").await;
        assert!(!answer.rows().is_empty(), "{id}");
        assert!(answer.rows().iter().all(|row| row[member] == "WO-260003"), "{id}");
        assert_eq!(answer.header("x-pagination-total"), answer.rows().len().to_string());
        assert_eq!(fixture.read(id, "?code=WO-26000").await.rows().len(), 0);
    }
}

#[tokio::test]
async fn a_window_holds_what_was_planned_or_executed_in_it() {
    let fixture = Fixture::new().await;
    let item = json!([{"code": "WO-T", "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 1,
        "beginPlanned": "2031-01-10T08:00:00", "endPlanned": "2031-01-10T10:00:00"}]);
    assert_eq!(fixture.send_batch("work-orders.sync", item).await.status, 200);
    let windows = [
        ("from=2031-01-10T09:00:00", 1),
        ("from=2031-01-10T10:00:00", 1),
        ("from=2031-01-10T10:00:01", 0),
        ("from=2031-01-01&to=2031-01-10T08:00:00", 0),
        ("from=2031-01-01&to=2031-01-10T08:00:01", 1),
        ("from=2031-01-01&to=2031-01-10", 1),
        ("from=2031-01-01&to=2031-01-09", 0),
        // The plant is in Berlin, where 8:00 is 7:00 UTC in winter.
        ("from=2031-01-01&to=2031-01-10T07:00:00Z", 0),
        ("from=2031-01-01&to=2031-01-10T07:00:01Z", 1),
    ];
    for (query, expected) in windows {
        let answer = fixture.read("work-orders.list", &format!("?{query}")).await;
        assert_eq!(answer.rows().len(), expected, "{query}");
        assert_eq!(answer.header("x-pagination-total"), expected.to_string());
    }
    let real = json!([{"code": "WO-T", "operationCode": "010", "beginReal": "2032-05-05T00:00:00", "endReal": "2032-05-06T00:00:00"}]);
    fixture.send_batch("work-orders.execution", real).await;
    assert_eq!(
        fixture.read("work-orders.list", "?from=2032-05-05T12:00:00&to=2032-05-05T13:00:00").await.rows().len(),
        1
    );
}

#[tokio::test]
async fn a_window_that_was_read_before_shows_what_changed_since() {
    let fixture = Fixture::new().await;
    let order = |code: &str, begin: &str, end: &str| {
        json!([{"code": code, "operationCode": "010", "materialCode": "MAT-1001", "requestedQuantity": 1,
            "beginPlanned": begin, "endPlanned": end}])
    };
    let total = async || {
        let first = fixture.read("work-orders.list", "?from=2031-01-01&to=2031-01-31&limit=1").await;
        let second = fixture.read("work-orders.list", "?from=2031-01-01&to=2031-01-31&limit=1&page=2").await;
        assert_eq!(first.header("x-pagination-total"), second.header("x-pagination-total"));
        (first.rows().len() + second.rows().len(), first.header("x-pagination-total").to_owned())
    };
    assert_eq!(total().await, (0, "0".to_owned()));
    fixture.send_batch("work-orders.sync", order("WO-W1", "2031-01-10T08:00:00", "2031-01-10T10:00:00")).await;
    fixture.send_batch("work-orders.sync", order("WO-W2", "2031-01-11T08:00:00", "2031-01-11T10:00:00")).await;
    assert_eq!(total().await, (2, "2".to_owned()));
    fixture.send_batch("work-orders.sync", order("WO-W1", "2031-03-10T08:00:00", "2031-03-10T10:00:00")).await;
    assert_eq!(total().await, (1, "1".to_owned()));
    for month in 1..=12 {
        let window = format!("?from=2030-{month:02}-01&to=2030-{month:02}-28");
        assert_eq!(fixture.read("work-orders.list", &window).await.rows().len(), 0);
    }
    assert_eq!(total().await, (1, "1".to_owned()), "after more windows than are remembered");
}

#[tokio::test]
async fn details_say_more_than_the_list_of_the_same_orders() {
    let fixture = Fixture::new().await;
    let list = fixture.read("work-orders.list", "?code=WO-260001").await;
    let details = fixture.read("work-orders.details", "?code=WO-260001").await;
    let (brief, full) = (list.rows()[0].as_object().unwrap(), details.rows()[0].as_object().unwrap());
    assert!(brief.iter().all(|(name, value)| full.get(name) == Some(value)));
    assert!(!brief.contains_key("producedQuantityHistory") && full.contains_key("producedQuantityHistory"));
}
