//! `takt site check`: checks the connection to a site step by step, with working and with broken connections.

use serde_json::{Value, json};
use takt_tests::{ANY_PORT, Authority, CommandOutput, NetworkServer, PRIVATE_HOST, Person, Plant, Takt};

use crate::{
    support::console,
    transcript::{Transcript, assert_transcript},
};

/// Returns the outcome and finding of a step. If several hosts have the step, returns the worst one.
fn step_result(ran: &CommandOutput, part: &str) -> (String, String) {
    let steps = ran.json();
    let text = |step: &Value, name: &str| step[name].as_str().unwrap_or_default().to_owned();
    let worst = |step: &&Value| match step["outcome"].as_str() {
        Some("failed") => 3,
        Some("warning") => 2,
        Some("ok") => 1,
        _ => 0,
    };
    let found = steps.iter().filter(|step| step["part"] == part).max_by_key(worst).unwrap_or_else(|| panic!("{ran:?}"));
    (text(found, "outcome"), text(found, "finding"))
}

fn step_finding(ran: &CommandOutput, part: &str) -> String {
    let (outcome, finding) = step_result(ran, part);
    format!("{outcome} {finding}")
}

fn add_site(takt: &Takt, plant: &Plant, base_url: &str, options: &[&str]) {
    let mut arguments = vec!["site", "add", "works", "--base-url", base_url, "--auth-url", plant.member("auth_url")];
    arguments.extend(["--client-id", plant.member("client_id"), "--kind", "test", "--client-secret-stdin"]);
    arguments.extend(["--redirect-uri", ANY_PORT]);
    arguments.extend(options);
    let added = takt.run_with(&arguments, &format!("{}\n", plant.member("client_secret")));
    assert_eq!(added.code, Some(0), "{}", added.err);
}

fn check_site(takt: &Takt) -> CommandOutput {
    takt.run(&["site", "check", "works", "--json"])
}

#[tokio::test]
async fn a_good_way_is_ok_and_its_transcript_tells_no_secret() {
    let plant = Plant::start(&[]);
    let authority = Authority::new();
    let gateway = NetworkServer::gateway(&authority, "server", plant.member("base_url"), &json!({}));
    let console = console(&plant);
    let takt = &console.takt;
    add_site(takt, &plant, &format!("https://127.0.0.1:{}", gateway.port()), &["--ca", &authority.file("ca.pem")]);
    let before = check_site(takt);
    assert_eq!((before.code, step_finding(&before, "token").as_str()), (Some(4), "skipped token-none"), "{before:?}");
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    let file = takt.outside().join("transcript.txt");
    let good = takt.run(&["site", "check", "works", "--json", "--transcript", file.to_str().unwrap()]);
    assert_eq!(good.code, Some(0), "{good:?}");
    let members = ["part", "outcome", "finding", "message"];
    let steps: String = good
        .json()
        .iter()
        .map(|step| members.map(|name| step[name].as_str().unwrap_or("-")).join("  ") + "\n")
        .collect();
    let transcript = Transcript::new(takt);
    transcript.note("steps", &steps);
    assert_transcript!(transcript);
    let transcript = std::fs::read_to_string(file).unwrap();
    assert!(transcript.contains("> POST ") && transcript.contains("grant_type=refresh_token"), "{transcript}");
    assert!(transcript.contains("refresh_token=%5Bremoved%5D") || transcript.contains("refresh_token=[removed]"));
    assert!(!transcript.contains(plant.member("client_secret")), "{transcript}");
    assert!(!transcript.contains("eyJ") && transcript.contains("\"access_token\":\"[removed]\""), "{transcript}");
    // The check renewed the tokens, so the new ones must be stored.
    assert_eq!(takt.run(&["list", "materials.list", "--site", "works"]).code, Some(0));
    assert_eq!(takt.run(&["site", "check", "works"]).code, Some(0));
}

#[tokio::test]
async fn each_way_that_ends_says_where() {
    let plant = Plant::start(&[]);
    let authority = Authority::new();
    let gateway = |certificate: &str, more: &Value| {
        NetworkServer::gateway(&authority, certificate, plant.member("base_url"), more)
    };
    let (good, old) = (gateway("server", &json!({})), gateway("old", &json!({})));
    let closed = gateway("server", &json!({ "clientCa": authority.file("ca.pem") }));
    let console = console(&plant);
    let takt = &console.takt;
    let at = |server: &NetworkServer| format!("https://127.0.0.1:{}", server.port());
    let ca = authority.file("ca.pem");
    let ended = |base_url: &str, options: &[&str]| {
        add_site(takt, &plant, base_url, options);
        check_site(takt)
    };

    let unknown = ended("https://erp.invalid", &["--ca", &ca]);
    assert_eq!((unknown.code, step_finding(&unknown, "dns").as_str()), (Some(5), "failed dns-unknown"), "{unknown:?}");
    assert_eq!(step_finding(&unknown, "authorize"), "skipped after-failure");
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = ended(&format!("https://{nobody}"), &["--ca", &ca]);
    assert_eq!((refused.code, step_finding(&refused, "tcp").as_str()), (Some(5), "failed tcp-refused"), "{refused:?}");
    let stranger = ended(&at(&good), &[]);
    assert_eq!(
        (stranger.code, step_finding(&stranger, "tls").as_str()),
        (Some(5), "failed tls-unknown-issuer"),
        "{stranger:?}"
    );
    assert!(stranger.out.contains("Works Root CA"), "who signed it is named: {stranger:?}");
    let expired = ended(&at(&old), &["--ca", &ca]);
    assert_eq!((expired.code, step_finding(&expired, "tls").as_str()), (Some(5), "failed tls-expired"), "{expired:?}");
    let name = ended(&format!("https://localhost:{}", good.port()), &["--ca", &ca]);
    assert_eq!((name.code, step_finding(&name, "tls").as_str()), (Some(5), "failed tls-other-name"), "{name:?}");
    let asked = ended(&at(&closed), &["--ca", &ca]);
    assert_eq!(step_finding(&asked, "tls"), "warning tls-client-certificate", "{asked:?}");
    let plain = ended(plant.member("base_url"), &[]);
    assert_eq!(step_finding(&plain, "tls"), "skipped tls-none", "{plain:?}");

    let proxy = NetworkServer::proxy("anna", "practice", good.port());
    let private = format!("https://{PRIVATE_HOST}:{}", good.port());
    let wrong = ended(&private, &["--ca", &ca, "--proxy", &format!("http://anna:wrong@127.0.0.1:{}", proxy.port())]);
    assert_eq!((wrong.code, step_finding(&wrong, "proxy").as_str()), (Some(5), "failed proxy-password"), "{wrong:?}");
    assert!(!wrong.out.contains("wrong@"), "{wrong:?}");
    let right = ended(&private, &["--ca", &ca, "--proxy", &format!("http://anna:practice@127.0.0.1:{}", proxy.port())]);
    assert_eq!((right.code, step_finding(&right, "proxy").as_str()), (Some(4), "ok proxy-used"), "{right:?}");
    assert_eq!(step_finding(&right, "tls"), "ok tls-trusted", "{right:?}");
}

/// The check detects that the provider doesn't know the client or its redirect address, without a browser.
#[tokio::test]
async fn a_redirect_address_that_is_not_registered_is_found_out() {
    let plant = Plant::start(&[]);
    let takt = Takt::new();
    let add = ["site", "add", "works", "--base-url", plant.member("base_url"), "--auth-url", plant.member("auth_url")];
    let more = ["--client-id", plant.member("client_id"), "--redirect-uri", "https://elsewhere.example/back"];
    assert_eq!(takt.run(&[add.as_slice(), &more].concat()).code, Some(0));
    let ran = check_site(&takt);
    assert_eq!((ran.code, step_finding(&ran, "authorize").as_str()), (Some(4), "failed authorize-refused"), "{ran:?}");
    let practice = takt.run(&["site", "check", "--json"]);
    assert_eq!(practice.code, Some(0), "{practice:?}");
}

/// Simulates the proxy setting of a Linux desktop with a fake `gsettings`.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_proxy_script_that_takt_does_not_run_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let (plant, takt) = (Plant::start(&[]), Takt::new());
    let program = takt.write("gsettings", "#!/bin/sh\necho \"org.gnome.system.proxy mode 'auto'\"\necho \"org.gnome.system.proxy autoconfig-url 'http://wpad.test/proxy.pac'\"\n");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", takt.home().display(), std::env::var("PATH").unwrap_or_default());
    let takt = takt.with("PATH", path);
    add_site(&takt, &plant, plant.member("base_url"), &[]);
    let ran = check_site(&takt);
    assert_eq!(step_finding(&ran, "proxy"), "warning proxy-script", "{ran:?}");
    assert!(ran.out.contains("http://wpad.test/proxy.pac"), "{ran:?}");
}

/// The transcript contains the requests without secrets, for the identity provider's administrators.
#[tokio::test]
async fn a_sign_in_that_is_refused_leaves_its_transcript() {
    let plant = Plant::start(&[]);
    let console = console(&plant);
    let takt = &console.takt;
    assert_eq!(takt.add_site_with_secret("works", &plant, "a-wrong-secret").code, Some(0));
    let file = takt.outside().join("transcript.txt");
    let arguments = ["sign-in", "--site", "works", "--no-browser", "--transcript", file.to_str().unwrap()];
    let mut waiting = takt.start(&arguments);
    let address = waiting.first_line(std::time::Duration::from_secs(120));
    takt_tests::complete_sign_in(&address, Person::Planner).await;
    assert_eq!(waiting.wait(std::time::Duration::from_secs(120)).code(), Some(4), "{}", waiting.error_text());
    let transcript = std::fs::read_to_string(file).unwrap();
    for part in ["(in the browser)", "state=%5Bremoved%5D", "grant_type=authorization_code", "< 40"] {
        assert!(transcript.contains(part), "{part} in {transcript}");
    }
    assert!(!transcript.contains("a-wrong-secret"), "{transcript}");
}
