//! Tests of all faults as a client observes them, and of the log, which shows the items that were applied.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use takt_plant::{Fault, FaultKind, PlantConfig};

use crate::fixture::{Answer, Fixture, config};

fn material_items(count: usize) -> Value {
    (0..count).map(|index| json!({"code": format!("F-{index}"), "description": "Fault"})).collect()
}

impl Fixture {
    async fn send_with_fault(&self, fault: &str) -> Result<Answer, reqwest::Error> {
        self.set_faults(&[fault], 7).await;
        let response = self.batch_request("materials.sync", &material_items(6)).send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await?;
        Ok(Answer { status, headers, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) })
    }

    async fn count_stored_materials(&self) -> usize {
        let rows = self.resource_rows("materials").await;
        rows.iter().filter(|row| row["description"] == "Fault").count()
    }

    /// Returns the number of applied items, the fault and the status in the last log entry.
    fn last_applied(&self) -> (usize, Option<String>, Option<u16>) {
        let entry = self.last_log_entry();
        (entry.applied.iter().filter(|line| line["success"] == true).count(), entry.fault, entry.status)
    }
}

#[tokio::test]
async fn faults_before_applying_apply_nothing() {
    let fixture = Fixture::new().await;
    for (fault, status) in [
        ("error-500", 500),
        ("error-500-dev", 500),
        ("limit-429-s", 429),
        ("limit-429-ms", 429),
        ("limit-429-header", 429),
        ("limit-429-bare", 429),
    ] {
        let answer = fixture.send_with_fault(fault).await.unwrap();
        assert_eq!(answer.status, status, "{fault}");
        assert_eq!(fixture.last_applied(), (0, Some(fault.to_owned()), Some(status)));
        assert_eq!(answer.header("x-ratelimit-limit"), "600", "{fault}");
        assert_eq!(answer.header("x-ratelimit-remaining") == "0", status == 429, "{fault}");
        let has = |name: &str| answer.body.get(name).is_some();
        let reset = "2026-11-20T09:00:01Z";
        match fault {
            "error-500" => {
                assert_eq!(answer.body["message"], json!(["An unexpected error occurred."]));
                assert!(answer.body["logId"].is_string() && !has("stackTrace"));
                assert_eq!(answer.body.as_object().unwrap().len(), 2);
            }
            "error-500-dev" => assert!(answer.body["stackTrace"].as_array().unwrap().len() > 1),
            "limit-429-s" => {
                assert_eq!((&answer.body["retryAfter"], &answer.body["reset"]), (&json!(1), &json!(reset)))
            }
            "limit-429-ms" => {
                assert_eq!((&answer.body["retryAfter"], &answer.body["reset"]), (&json!(1000), &json!(reset)))
            }
            "limit-429-header" => assert!(answer.header("retry-after") == "1" && !has("retryAfter") && has("error")),
            _ => assert!(answer.header("retry-after").is_empty() && !has("reset") && has("error")),
        }
    }
    assert_eq!(fixture.count_stored_materials().await, 0);
    let dropped = fixture.send_with_fault("drop-before-apply").await.unwrap_err();
    assert!(!dropped.is_connect() && !dropped.is_timeout(), "{dropped:?}");
    assert_eq!(fixture.last_applied(), (0, Some("drop-before-apply".to_owned()), None));
    assert_eq!(fixture.count_stored_materials().await, 0);
}

#[tokio::test]
async fn faults_after_applying_have_applied_everything() {
    for fault in [
        "apply-then-drop",
        "apply-then-502",
        "truncate",
        "not-json",
        "results-missing",
        "results-reordered",
        "wrong-counts",
    ] {
        let fixture = Fixture::new().await;
        let outcome = fixture.send_with_fault(fault).await;
        assert_eq!(fixture.count_stored_materials().await, 6, "{fault}");
        let applied = fixture.last_applied();
        assert_eq!((applied.0, applied.1.as_deref()), (6, Some(fault)));
        match (fault, outcome) {
            ("apply-then-drop", Err(error)) => assert!(error.is_request(), "{error:?}"),
            ("truncate", Err(error)) => assert!(error.is_body() || error.is_decode(), "{error:?}"),
            ("apply-then-502" | "not-json", Ok(answer)) => {
                let status = if fault == "not-json" { 200 } else { 502 };
                assert!(answer.status == status && answer.body.is_string());
                assert_eq!(answer.header("x-ratelimit-limit"), "600", "{fault}");
            }
            ("results-missing", Ok(answer)) => assert_eq!(answer.body["results"].as_array().unwrap().len(), 3),
            ("results-reordered", Ok(answer)) => assert_eq!(answer.body["results"][0]["code"], "F-5"),
            ("wrong-counts", Ok(answer)) => {
                assert_eq!((&answer.body["totalItems"], &answer.body["successCount"]), (&json!(8), &json!(7)))
            }
            (fault, outcome) => unreachable!("{fault}: {outcome:?}"),
        }
    }
}

#[tokio::test]
async fn some_items_are_refused_with_their_reason() {
    let fixture = Fixture::new().await;
    let answer = fixture.send_with_fault("reject-item").await.unwrap();
    assert_eq!(answer.status, 207);
    let refused = answer.body["errorCount"].as_u64().unwrap();
    assert!((1..6).contains(&refused));
    let results = answer.body["results"].as_array().unwrap();
    assert!(
        results.iter().all(|result| (result["success"] == false)
            == (result["errors"].as_array().is_some_and(|errors| errors.len() == 1)))
    );
    assert_eq!(fixture.count_stored_materials().await as u64, 6 - refused);
    assert_eq!(fixture.last_applied().0 as u64, 6 - refused);
}

#[tokio::test]
async fn a_stall_ends_only_with_the_plant() {
    let fixture = Fixture::new().await;
    fixture.set_faults(&["stall"], 1).await;
    let request = fixture.batch_request("materials.sync", &material_items(1)).timeout(Duration::from_millis(400));
    assert!(request.send().await.unwrap_err().is_timeout());
    let waiting = tokio::spawn(fixture.batch_request("materials.sync", &material_items(1)).send());
    tokio::time::sleep(Duration::from_millis(200)).await;
    tokio::time::timeout(Duration::from_secs(60), fixture.plant.stop()).await.unwrap();
    assert!(waiting.await.unwrap().is_err());
    assert!(fixture.request(Method::GET, "/").send().await.is_err(), "the port is free");
}

#[tokio::test]
async fn tokens_end_early_and_refresh_tokens_are_revoked() {
    let fixture = Fixture::new().await;
    let refresh = async |token: &str| {
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", &fixture.plant.client_id),
            ("client_secret", &fixture.plant.client_secret),
            ("refresh_token", token),
        ];
        let url = format!("{}/connect/token", fixture.plant.auth_url);
        Answer::read(fixture.client.post(url).form(&form).send().await.unwrap()).await
    };
    let read = async |token: &str| {
        let request = fixture.client.get(fixture.url("/api/v1/WorkStations")).bearer_auth(token);
        request.send().await.unwrap().status().as_u16()
    };
    let pair = fixture.plant.issue_tokens("planner").unwrap();
    fixture.set_faults(&["expire-token"], 1).await;
    assert_eq!(read(&pair.access_token).await, 401);
    fixture.set_faults(&[], 1).await;
    assert_eq!(read(&pair.access_token).await, 401, "it stays expired");
    let next = refresh(pair.refresh_token.as_deref().unwrap()).await;
    let access = next.body["access_token"].as_str().unwrap();
    assert_eq!(read(access).await, 200);
    fixture.set_faults(&["revoke-refresh"], 1).await;
    assert_eq!(read(access).await, 200, "the access token stays good");
    fixture.set_faults(&[], 1).await;
    let refused = refresh(next.body["refresh_token"].as_str().unwrap()).await;
    assert_eq!((refused.status, &refused.body["error"]), (400, &json!("invalid_grant")));
    let pair = fixture.plant.issue_tokens("planner").unwrap();
    fixture.set_faults(&["revoke-refresh"], 1).await;
    assert_eq!(refresh(pair.refresh_token.as_deref().unwrap()).await.status, 400);
}

#[tokio::test]
async fn latency_delays_and_odds_follow_the_seed() {
    let faults = vec![Fault::parse("latency=150").unwrap()];
    let fixture = Fixture::with_config(PlantConfig { faults, ..config() }).await;
    let begin = Instant::now();
    assert_eq!(fixture.get("/api/v1/WorkStations").await.status, 200);
    assert!(begin.elapsed() >= Duration::from_millis(150));
    let statuses = async |seed: u64| {
        fixture.set_faults(&["error-500:0.3", "limit-429-s:0.1"], seed).await;
        let mut statuses = Vec::new();
        for _ in 0..60 {
            statuses.push(fixture.get("/api/v1/WorkStations").await.status);
        }
        statuses
    };
    let first = statuses(5).await;
    assert_eq!(first, statuses(5).await);
    assert_ne!(first, statuses(6).await);
    let errors = first.iter().filter(|status| **status == 500).count();
    assert!((6..=32).contains(&errors), "{errors} of 60");
    assert!(first.contains(&429) && first.contains(&200));
}

#[test]
fn faults_are_read_as_they_are_written() {
    for kind in FaultKind::all() {
        let fault = Fault::parse(&format!("{}:0.25", kind.name())).unwrap();
        assert_eq!(fault, Fault::Sometimes(kind, 0.25));
        assert_eq!(Fault::parse(&fault.to_string()).unwrap(), fault);
    }
    assert_eq!(FaultKind::all().count(), 20);
    assert_eq!(Fault::parse("latency=50").unwrap().to_string(), "latency=50");
    for wrong in
        ["", "error-501:0.1", "error-500:2", "error-500:-0.1", "error-500:NaN", "latency", "latency=-1", "latency=x"]
    {
        assert!(Fault::parse(wrong).is_err(), "{wrong}");
    }
}
