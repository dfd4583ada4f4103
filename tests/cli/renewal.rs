//! A token renewal with a late response. Another process signs out or signs in as another user in the meantime, which
//! must take precedence.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_tests::{ANY_PORT, Person, Plant, Program, Relay, Takt};

const SITE: &str = "works";
const TIMEOUT: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const LIST: [&str; 6] = ["list", "materials.list", "--site", SITE, "--format", "json"];

/// A home in which a list is being read. Reading needs a token renewal, whose response is held back.
struct HeldRenewal {
    plant: Plant,
    relay: Relay,
    takt: Takt,
    reading: Program,
}

impl HeldRenewal {
    async fn start() -> Self {
        let plant = Plant::start(&[]);
        // Only the provider is behind the relay, so that lists are answered immediately.
        let relay = Relay::start(&plant.address());
        let takt = Takt::new();
        let passphrase = takt.write("passphrase", "correct horse battery\n");
        let takt = takt.with("TAKT_VAULT_PASSPHRASE_FILE", passphrase.to_str().unwrap());
        assert_eq!(takt.run(&["vault", "create"]).code, Some(0));
        let provider = plant.member("auth_url").replace(plant.member("base_url"), relay.url());
        let mut site = vec!["site", "add", SITE, "--base-url", plant.member("base_url"), "--auth-url", &provider];
        site.extend(["--client-id", plant.member("client_id"), "--kind", "test", "--client-secret-stdin"]);
        site.extend(["--redirect-uri", ANY_PORT]);
        let added = takt.run_with(&site, &format!("{}\n", plant.member("client_secret")));
        assert_eq!(added.code, Some(0), "{}", added.err);
        let signed_in = takt.sign_in(SITE, Person::Planner).await;
        assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);
        plant.post("expire", json!({ "accessTokens": true })).await;
        relay.hold_response_to("grant_type=refresh_token");
        let before = count_token_requests(&plant).await;
        let reading = takt.start(&LIST);
        let fixture = Self { plant, relay, takt, reading };
        let since = Instant::now();
        while !fixture.relay.is_holding_response() || count_token_requests(&fixture.plant).await == before {
            assert!(since.elapsed() < TIMEOUT, "no renewal: {}", fixture.reading.error_text());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        fixture
    }

    /// Releases the response of the renewal, and returns the exit code of reading the list.
    fn finish_reading(&mut self) -> Option<i32> {
        assert!(self.reading.is_running(), "{}", self.reading.error_text());
        self.relay.release();
        self.reading.wait(TIMEOUT).code()
    }

    fn is_signed_in(&self) -> bool {
        let sites = self.takt.run(&["site", "list", "--json"]).json();
        sites.iter().find(|site| site["name"] == SITE).unwrap()["signedIn"] == true
    }

    /// Returns the users who have read the list, according to the plant's log.
    async fn readers(&self) -> Vec<String> {
        let reads = |entry: &&Value| entry["operation"] == "materials.list" && entry["status"] == 200;
        let log = self.plant.log().await;
        log.iter().filter(reads).map(|entry| entry["user"].as_str().unwrap().to_owned()).collect()
    }
}

async fn count_token_requests(plant: &Plant) -> usize {
    plant.log().await.iter().filter(|entry| entry["operation"] == "connect/token").count()
}

#[tokio::test]
async fn who_signs_out_in_one_process_stays_signed_out_though_another_renews() {
    let mut fixture = HeldRenewal::start().await;
    let signed_out = fixture.takt.run(&["sign-out", "--site", SITE]);
    assert_eq!(signed_out.code, Some(0), "{}", signed_out.err);
    assert_eq!(fixture.finish_reading(), Some(4), "{}", fixture.reading.error_text());
    assert!(!fixture.is_signed_in());
    let asked = count_token_requests(&fixture.plant).await;
    assert_eq!(fixture.takt.run(&LIST).code, Some(4));
    assert_eq!(count_token_requests(&fixture.plant).await, asked, "nothing is left to renew with");
    assert!(fixture.readers().await.is_empty(), "the renewed pair was used");
}

#[tokio::test]
async fn who_signs_in_in_one_process_stays_signed_in_though_another_renews() {
    let mut fixture = HeldRenewal::start().await;
    let signed_in = fixture.takt.sign_in(SITE, Person::Viewer).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);
    assert_eq!(fixture.finish_reading(), Some(0), "{}", fixture.reading.error_text());
    assert!(fixture.is_signed_in());
    assert_eq!(fixture.takt.run(&LIST).code, Some(0));
    let readers = fixture.readers().await;
    assert!(readers.len() >= 2 && readers.iter().all(|reader| reader == "viewer"), "{readers:?}");
}
