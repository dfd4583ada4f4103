//! Tests the rows and submissions of an order, compared to the plant's data.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Language,
    import::{FromRows, RowChange},
    order::{OrderBy, OrderRows, OrderTimeSpan},
    submission::{SubmissionId, SubmissionRequest},
};
use takt_plant::Size;

use super::fixture::{Fixture, SITE};

async fn read_order_rows(fixture: &Fixture, code: &str, list: &str, around: Option<&OrderTimeSpan>) -> OrderRows {
    fixture.engine.orders().rows(SITE, code, list, around, &Canceller::new()).await.unwrap()
}

fn all_rows(found: &OrderRows) -> Vec<Value> {
    found.rows.rows(0..usize::MAX)
}

#[tokio::test]
async fn every_list_says_what_it_knows_of_an_order_and_nothing_of_others() {
    let fixture = Fixture::new(Size::Small).await;
    let lists = fixture.engine.orders().lists();
    let mut stored: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for part in &lists.parts {
        stored.insert(part.operation.clone(), fixture.list(&part.operation).await);
    }
    let own = lists.parts.iter().find(|part| part.own).unwrap();
    let of = |list: &str, field: &str, code: &str| -> Vec<Value> {
        stored[list].iter().filter(|row| row[field] == code).cloned().collect()
    };
    // An order with an alert and labor times, so that each list has rows.
    let known =
        |code: &str| lists.parts.iter().filter(|part| !of(&part.operation, &part.field, code).is_empty()).count();
    let codes = stored[&own.operation].iter().filter_map(|row| row[&own.field].as_str());
    let code = codes.max_by_key(|code| known(code)).unwrap();
    assert!(known(code) >= 5, "{code} is known to {} lists", known(code));
    let order = read_order_rows(&fixture, code, &own.operation, None).await;
    assert_eq!(all_rows(&order), of(&own.operation, &own.field, code));
    let around = order.order_dates.clone().unwrap();
    assert!(around.from < around.to, "{around:?}");
    let (mut by_dates, mut by_dates_found) = (0, 0);
    for part in lists.parts.iter().filter(|part| !part.own) {
        let dates = matches!(part.by, OrderBy::Dates { .. });
        by_dates += usize::from(dates);
        let found = read_order_rows(&fixture, code, &part.operation, Some(&around)).await;
        // Lists that are read by dates contain no rows from other times.
        let begins = |row: &Value| row["opened"].as_str().or(row["begin"].as_str()).unwrap_or_default().to_owned();
        let near = |row: &&Value| !dates || (begins(row) > around.from && begins(row) < around.to);
        let expected: Vec<Value> = of(&part.operation, &part.field, code).iter().filter(near).cloned().collect();
        let missing: Vec<&Value> = expected.iter().filter(|row| !all_rows(&found).contains(row)).collect();
        assert!(missing.is_empty(), "{} of {code}: {missing:?}", part.operation);
        let stored = of(&part.operation, &part.field, code);
        assert!(all_rows(&found).iter().all(|row| stored.contains(row)) && (dates || all_rows(&found) == stored));
        by_dates_found += if dates { all_rows(&found).len() } else { 0 };
        assert!(found.complete && found.order_dates.is_none());
        let asked: Vec<&str> = found.parameters.keys().map(String::as_str).collect();
        assert_eq!(asked, if dates { vec!["from", "to"] } else { vec!["code"] }, "{}", part.operation);
    }
    assert_eq!(by_dates, 2);
    assert!(by_dates_found > 0, "{code} has neither alerts nor labor times");
    let nothing = read_order_rows(&fixture, "NO-SUCH-ORDER", &own.operation, None).await;
    assert!(nothing.rows.is_empty() && nothing.order_dates.is_none());
    let blind = fixture.engine.orders().rows(SITE, code, "alerts.list", None, &Canceller::new()).await.unwrap_err();
    assert_eq!(blind.parameters["what"], "from", "without dates it isn't read at all");
}

#[tokio::test]
async fn submissions_about_an_order_are_found_by_their_rows() {
    let fixture = Fixture::new(Size::Small).await;
    let set = fixture.engine.browse().row_set(SITE, "work-orders.list").unwrap();
    let order = |code: &str| json!({ "code": code, "operationCode": "10", "beginPlanned": "2027-01-01T06:00:00", "endPlanned": "2027-01-01T07:00:00" });
    set.append(&[order("WO-1"), order("WO-11"), order("XWO-1")]);
    let send = async |positions: &[u32]| {
        let change =
            |position| RowChange { position, field: "endPlanned".to_owned(), value: json!("2027-01-01T08:00:00") };
        let from = FromRows {
            positions: positions.to_vec(),
            operation: "work-orders.planning-dates".to_owned(),
            changes: positions.iter().copied().map(change).collect(),
        };
        let view = fixture.engine.import_sources().open_rows(&set, &from, Language::En).unwrap();
        let taken = fixture.engine.imports().prepare_items(view.id).unwrap();
        let request = SubmissionRequest { site: SITE.to_owned(), steps: taken, ..SubmissionRequest::default() };
        let id = fixture.engine.submissions().submit(request).await.unwrap().id.first();
        fixture.engine.submissions().wait(id).await.unwrap();
        id
    };
    let others = send(&[1, 2]).await;
    let both = send(&[0, 1]).await;
    let touched = |code: &str| -> Vec<(SubmissionId, Vec<String>)> {
        let found = fixture.engine.orders().submissions_about(SITE, code).unwrap().into_iter();
        found.map(|one| (one.submission.id, one.rows.iter().map(|row| row.key.clone()).collect())).collect()
    };
    let key = |code: &str| vec![format!("{code} · 10")];
    assert_eq!(touched("WO-1"), [(both, key("WO-1"))], "its own rows, and no others'");
    assert_eq!(touched("WO-11"), [(both, key("WO-11")), (others, key("WO-11"))], "newest first");
    assert!(touched("10").is_empty(), "an operation's code is no order's");
    assert!(fixture.engine.orders().submissions_about("elsewhere", "WO-1").unwrap().is_empty());
}
