//! One order with everything that is known about it, held against what the plant holds.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Language,
    import::{FromRows, RowChange},
    order::{OrderBy, OrderRows, OrderTimeSpan},
    submission::{SubmissionId, SubmissionRequest},
};
use takt_plant::Size;

use super::stage::{SITE, Stage};

async fn rows(stage: &Stage, code: &str, list: &str, around: Option<&OrderTimeSpan>) -> OrderRows {
    stage.engine.orders().rows(SITE, code, list, around, &Canceller::new()).await.unwrap()
}

fn all(found: &OrderRows) -> Vec<Value> {
    found.rows.rows(0..usize::MAX)
}

#[tokio::test]
async fn every_list_says_what_it_knows_of_an_order_and_nothing_of_others() {
    let stage = Stage::new(Size::Small).await;
    let lists = stage.engine.orders().lists();
    let mut held: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for part in &lists.parts {
        held.insert(part.operation.clone(), stage.list(&part.operation).await);
    }
    let own = lists.parts.iter().find(|part| part.own).unwrap();
    let of = |list: &str, field: &str, code: &str| -> Vec<Value> {
        held[list].iter().filter(|row| row[field] == code).cloned().collect()
    };
    // An order with an alert and with labor times, so that no list is asked in vain.
    let known =
        |code: &str| lists.parts.iter().filter(|part| !of(&part.operation, &part.field, code).is_empty()).count();
    let codes = held[&own.operation].iter().filter_map(|row| row[&own.field].as_str());
    let code = codes.max_by_key(|code| known(code)).unwrap();
    assert!(known(code) >= 5, "{code} is known to {} lists", known(code));
    let order = rows(&stage, code, &own.operation, None).await;
    assert_eq!(all(&order), of(&own.operation, &own.field, code));
    let around = order.around.clone().unwrap();
    assert!(around.from < around.to, "{around:?}");
    let (mut by_dates, mut by_dates_found) = (0, 0);
    for part in lists.parts.iter().filter(|part| !part.own) {
        let dates = matches!(part.by, OrderBy::Dates { .. });
        by_dates += usize::from(dates);
        let found = rows(&stage, code, &part.operation, Some(&around)).await;
        // Of what is read by dates, what lies elsewhere isn't there.
        let begins = |row: &Value| row["opened"].as_str().or(row["begin"].as_str()).unwrap_or_default().to_owned();
        let near = |row: &&Value| !dates || (begins(row) > around.from && begins(row) < around.to);
        let expected: Vec<Value> = of(&part.operation, &part.field, code).iter().filter(near).cloned().collect();
        let missing: Vec<&Value> = expected.iter().filter(|row| !all(&found).contains(row)).collect();
        assert!(missing.is_empty(), "{} of {code}: {missing:?}", part.operation);
        let held = of(&part.operation, &part.field, code);
        assert!(all(&found).iter().all(|row| held.contains(row)) && (dates || all(&found) == held));
        by_dates_found += if dates { all(&found).len() } else { 0 };
        assert!(found.whole && found.around.is_none());
        let asked: Vec<&str> = found.parameters.keys().map(String::as_str).collect();
        assert_eq!(asked, if dates { vec!["from", "to"] } else { vec!["code"] }, "{}", part.operation);
    }
    assert_eq!(by_dates, 2);
    assert!(by_dates_found > 0, "{code} has neither alerts nor labor times");
    let nothing = rows(&stage, "NO-SUCH-ORDER", &own.operation, None).await;
    assert!(nothing.rows.is_empty() && nothing.around.is_none());
    let blind = stage.engine.orders().rows(SITE, code, "alerts.list", None, &Canceller::new()).await.unwrap_err();
    assert_eq!(blind.parameters["what"], "from", "without dates it isn't read at all");
}

#[tokio::test]
async fn what_was_sent_about_an_order_is_found_by_its_rows() {
    let stage = Stage::new(Size::Small).await;
    let set = stage.engine.browse().row_set(SITE, "work-orders.list").unwrap();
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
        let view = stage.engine.import_sources().from_rows(&set, &from, Language::En).unwrap();
        let taken = stage.engine.imports().items(view.id).unwrap();
        let request = SubmissionRequest { site: SITE.to_owned(), steps: taken, ..SubmissionRequest::default() };
        let id = stage.engine.submissions().submit(request).await.unwrap().id.first();
        stage.engine.submissions().wait(id).await.unwrap();
        id
    };
    let others = send(&[1, 2]).await;
    let both = send(&[0, 1]).await;
    let touched = |code: &str| -> Vec<(SubmissionId, Vec<String>)> {
        let found = stage.engine.orders().submissions_about(SITE, code).unwrap().into_iter();
        found.map(|one| (one.submission.id, one.rows.iter().map(|row| row.key.clone()).collect())).collect()
    };
    let key = |code: &str| vec![format!("{code} · 10")];
    assert_eq!(touched("WO-1"), [(both, key("WO-1"))], "its own rows, and no others'");
    assert_eq!(touched("WO-11"), [(both, key("WO-11")), (others, key("WO-11"))], "newest first");
    assert!(touched("10").is_empty(), "an operation's code is no order's");
    assert!(stage.engine.orders().submissions_about("elsewhere", "WO-1").unwrap().is_empty());
}
