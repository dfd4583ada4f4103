//! `takt order`: an order and its related rows, as text and as JSON.

use serde_json::Value;
use takt_tests::Takt;

use crate::transcript::{Transcript, assert_transcript};

#[test]
fn an_order_is_told_list_by_list() {
    let takt = Takt::new();
    let listed = takt.run(&["list", "order-history.list", "--format", "json", "--all"]);
    let history: Value = serde_json::from_str(&listed.out).unwrap();
    let code = history[0]["workOrderCode"].as_str().unwrap().to_owned();
    let about =
        |rows: &Value| rows.as_array().unwrap().iter().filter(|row| row["workOrderCode"] == code.as_str()).count();

    let ran = takt.run(&["order", &code, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines = ran.json();
    let of = |list: &str| lines.iter().find(|line| line["list"] == list).unwrap_or_else(|| panic!("{list} is told"));
    let own = of("work-orders.details")["rows"].as_array().unwrap();
    assert!(!own.is_empty() && own.iter().all(|row| row["code"] == code.as_str()));
    assert_eq!(of("order-history.list")["rows"].as_array().unwrap().len(), about(&history));
    assert_eq!(of("order-history.list")["asked"]["code"], code.as_str());
    assert!(of("alerts.list")["asked"]["from"].is_string(), "read by dates: {}", of("alerts.list"));
    assert_eq!(lines.last().unwrap()["submissions"], serde_json::json!([]));

    let shown = takt.run(&["order", &code]);
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    for word in ["work-orders.details", "order-history.list", code.as_str()] {
        assert!(shown.out.contains(word), "{word} in {}", shown.out);
    }
    let transcript = Transcript::new(&takt);
    assert_eq!(transcript.run(&["order", "NO-SUCH-ORDER"]).code, Some(2));
    assert_transcript!(transcript);
}
