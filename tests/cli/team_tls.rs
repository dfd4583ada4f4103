//! A team's database with TLS and a company's authority. The connection requires that authority's certificate and the
//! right host name.

use takt_tests::{Authority, Takt, postgres::Cluster};

#[test]
fn a_server_is_believed_by_the_companys_authority_alone() {
    let authority = Authority::new();
    let cluster = Cluster::start_with_tls(&authority.file("server.pem"), &authority.file("server-key.pem"));
    let (here, ca) = (format!("postgres://takt@127.0.0.1:{}/postgres", cluster.port()), authority.file("ca.pem"));
    let trusted = format!("{here}?sslmode=verify-full&sslrootcert={ca}");
    let takt = Takt::new();
    let ran = takt.run(&["team", "init", &trusted]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let joined = takt.run(&["team", "join", &trusted]);
    assert_eq!(joined.code, Some(0), "{}", joined.err);
    let ran = takt.run(&["team", "check"]);
    assert!(ran.code == Some(0) && ran.out.contains("PostgreSQL"), "{}{}", ran.out, ran.err);
    let plain = Takt::new().run(&["team", "join", &here]);
    assert_eq!(plain.code, Some(2), "the server takes nobody without TLS: {}", plain.err);
    let stranger = Takt::new().run(&["team", "join", &format!("{here}?sslmode=require")]);
    assert!(stranger.code != Some(0) && stranger.err.contains("certificate"), "{:?} {}", stranger.code, stranger.err);
    let elsewhere = trusted.replace("127.0.0.1", "localhost");
    let other_name = Takt::new().run(&["team", "join", &elsewhere]);
    assert!(other_name.code != Some(0) && other_name.err.contains("certificate"), "{}", other_name.err);
}

#[test]
fn a_certificate_that_is_over_is_refused() {
    let authority = Authority::new();
    let cluster = Cluster::start_with_tls(&authority.file("old.pem"), &authority.file("old-key.pem"));
    let (port, ca) = (cluster.port(), authority.file("ca.pem"));
    let address = format!("postgres://takt@127.0.0.1:{port}/postgres?sslmode=verify-full&sslrootcert={ca}");
    let ran = Takt::new().run(&["team", "init", &address]);
    assert!(ran.code != Some(0) && ran.err.contains("certificate"), "{:?} {}", ran.code, ran.err);
}
