//! `takt templates`: prints the summary of a range of templates.

use serde_json::Value;
use takt_tests::Takt;

use crate::transcript::{Transcript, assert_transcript};

#[test]
fn a_range_is_summed_up_and_what_is_missing_is_said_in_one_line() {
    let takt = Takt::new();
    let listed = |template: &str| -> Vec<Value> {
        let parameter = format!("templateId={template}");
        let ran = takt.run(&["list", "templates.processes", "--param", &parameter, "--format", "json"]);
        serde_json::from_str(&ran.out).unwrap()
    };
    let ran = takt.run(&["templates", "1-2, 900-999", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.out.contains("-0.0"), "{}", ran.out);
    let view = ran.json().remove(0);
    assert_eq!((&view["absent"]["text"], &view["absent"]["count"]), (&Value::from("900-999"), &Value::from(100)));
    for (index, template) in ["1", "2"].iter().enumerate() {
        let rows = listed(template);
        let seconds = |field: &str| rows.iter().map(|row| row[field]["totalSeconds"].as_f64().unwrap()).sum::<f64>();
        let sum = &view["templates"][index];
        assert_eq!(sum["processes"], rows.len());
        assert!((sum["laborSeconds"].as_f64().unwrap() - seconds("predictedLaborTime")).abs() < 0.01, "{sum}");
        assert!((sum["machineSeconds"].as_f64().unwrap() - seconds("predictedMachineTime")).abs() < 0.01, "{sum}");
    }
    let transcript = Transcript::new(&takt);
    assert_eq!(transcript.run(&["templates", "1-2", "900"]).code, Some(0));
    assert_eq!(transcript.run(&["templates", "x"]).code, Some(2));
    // The number of orders depends on the time of day.
    let with_orders = takt.run(&["templates", "1-2", "900", "--orders"]);
    assert_eq!(with_orders.code, Some(0), "{}", with_orders.err);
    assert!(with_orders.out.lines().next().unwrap().ends_with("orders"), "{}", with_orders.out);
    assert_transcript!(transcript);
}
