//! `takt sign-in` if all redirect ports are in use, so that the user must paste the browser's final address.

use std::{io::Write, net::TcpListener, time::Duration};

use takt_tests::{Console, Plant, Program, SITE};

use crate::sign_in::provider::create_browser;

const TIMEOUT: Duration = Duration::from_secs(30);

/// Signs in as a planner and returns the address to which the plant redirects.
async fn log_in_as_planner(address: &str) -> String {
    let sent = create_browser().post(address).form(&[("user", "planner")]).send().await.unwrap();
    sent.headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn ports_that_are_taken_are_named_and_pasting_is_the_way_out() {
    let plant = Plant::start(&[]);
    let console = Console::new(&plant);
    let taken = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let ports = taken.each_ref().map(|listener| listener.local_addr().unwrap().port());
    let addresses = ports.map(|port| format!("http://127.0.0.1:{port}/callback"));
    let mut site = vec!["site", "add", SITE, "--base-url", plant.member("base_url"), "--kind", "test"];
    site.extend(["--auth-url", plant.member("auth_url"), "--client-id", plant.member("client_id")]);
    addresses.iter().for_each(|address| site.extend(["--redirect-uri", address]));
    let added = console.takt.run(&site);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let refused = console.takt.run(&["sign-in", "--site", SITE, "--no-browser"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    for port in ports {
        assert!(refused.err.contains(&port.to_string()), "{}", refused.err);
    }
    assert!(refused.err.contains("paste"), "{}", refused.err);

    let command = console.takt.command(&["sign-in", "--site", SITE, "--no-browser", "--paste"]);
    let (mut program, mut keys) = Program::start_with_input("takt sign-in", command);
    let address = program.first_line(TIMEOUT);
    // A wrong address is reported, and the program keeps waiting.
    writeln!(keys, "{address}").unwrap();
    program.wait_for("word on the wrong address", TIMEOUT, |program| {
        program.error_text().contains("doesn't belong to this sign-in").then_some(())
    });
    writeln!(keys, "  {}", log_in_as_planner(&address).await).unwrap();
    assert_eq!(program.wait(TIMEOUT).code(), Some(0), "{}", program.error_text());
    assert!(program.error_text().contains("Takt waits up to 10 minutes"), "{}", program.error_text());
    assert_eq!(console.takt.run(&["list", "materials.list", "--site", SITE]).code, Some(0));
    let tested = console.takt.run(&["site", "test", SITE]);
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert!(tested.out.contains("Clock: matches the service's"), "{}", tested.out);
    drop(taken);
}

#[tokio::test]
async fn nothing_typed_is_no_end() {
    let plant = Plant::start(&[]);
    let console = Console::new(&plant);
    let command = console.takt.command(&["sign-in", "--site", SITE, "--no-browser", "--paste"]);
    let (mut program, keys) = Program::start_with_input("takt sign-in", command);
    let address = program.first_line(TIMEOUT);
    drop(keys);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(program.is_running(), "{}", program.error_text());
    // The browser's redirect is still received.
    let page = create_browser().get(log_in_as_planner(&address).await).send().await.unwrap();
    assert!(page.status().is_success());
    assert_eq!(program.wait(TIMEOUT).code(), Some(0), "{}", program.error_text());
}
