//! The protection of production sites on the command line: `--yes` isn't enough, and the site's name must be correct.

use takt_tests::{ANY_PORT, Person, Plant, Takt};

use crate::support::{ORDERS, orders_csv, signed_in};

/// Makes the test site a production site. The user stays signed in.
fn make_production(takt: &Takt, plant: &Plant) {
    let mut arguments = vec!["site", "add", "works", "--base-url", plant.member("base_url")];
    arguments.extend(["--auth-url", plant.member("auth_url"), "--client-id", plant.member("client_id")]);
    arguments.extend(["--time-zone", plant.member("time_zone")]);
    arguments.extend(["--redirect-uri", ANY_PORT]);
    let added = takt.run(&arguments);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let listed = takt.run(&["site", "list", "--json"]).json();
    let works = listed.iter().find(|site| site["name"] == "works").unwrap();
    assert_eq!(works["kind"], "production", "that is what a site is unless it is said otherwise");
}

#[tokio::test]
async fn a_production_site_needs_its_name_beside_yes() {
    let plant = Plant::start(&["--seed", "1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    make_production(takt, &plant);
    let file = takt.write("orders.csv", orders_csv(900_000, 3));
    let file = file.to_str().unwrap();
    let sync = |more: &[&str]| {
        let mut arguments = vec!["sync", file, "--to", ORDERS, "--site", "works", "--yes", "--json"];
        arguments.extend(more);
        takt.run(&arguments)
    };

    let bare = sync(&[]);
    assert_eq!(bare.code, Some(2), "{bare:?}");
    assert!(
        bare.err.contains("works is a production site") && bare.err.contains("--confirm \"works\""),
        "{}",
        bare.err
    );
    let wrong = sync(&["--confirm", "Works"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.err.contains("works is a production site"), "{}", wrong.err);
    assert!(plant.applied(ORDERS).await.is_empty(), "nothing was sent");
    assert_eq!(takt.run(&["history", "--json"]).out, "", "and nothing written down");

    let right = sync(&["--confirm", "works"]);
    assert_eq!(right.code, Some(0), "{right:?}");
    assert_eq!(right.summary()["accepted"], 3);
    assert_eq!(plant.applied(ORDERS).await.len(), 3);
}
