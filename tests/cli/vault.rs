//! Secrets on a computer without a keychain: an encrypted file with a passphrase, and secrets from other files.

use takt_tests::{CommandOutput, Person, Plant, Takt};

use crate::{
    support::console,
    transcript::{Transcript, assert_transcript},
};

const PASSPHRASE: &str = "correct horse battery";

fn vault_kind(takt: &Takt) -> String {
    takt.run(&["vault", "status", "--json"]).summary()["vault"].as_str().unwrap().to_owned()
}

fn list_materials(takt: &Takt) -> CommandOutput {
    takt.run(&["list", "materials.list", "--site", "works", "--format", "json"])
}

#[tokio::test]
async fn a_passphrase_keeps_secrets_between_commands() {
    let plant = Plant::start(&[]);
    let takt = Takt::new();
    let (right, wrong) = (takt.outside().join("right"), takt.outside().join("wrong"));
    std::fs::write(&right, format!("{PASSPHRASE}\n")).unwrap();
    std::fs::write(&wrong, "another\n").unwrap();
    assert_eq!(takt.run(&["vault", "create"]).code, Some(2), "there is nobody to ask");
    let takt = takt.with("TAKT_VAULT_PASSPHRASE_FILE", right.to_str().unwrap());
    assert_eq!(takt.run(&["vault", "create"]).code, Some(0));
    assert_eq!(vault_kind(&takt), "passphrase");
    assert_eq!(takt.add_site("works", &plant).code, Some(0));
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(0));
    let read = list_materials(&takt);
    assert_eq!(read.code, Some(0), "{}", read.err);
    let listed = takt.run(&["site", "list"]);
    let mut complaints = listed.err;
    let bytes = std::fs::read(takt.file("secrets.vault")).unwrap();
    let secret = plant.member("client_secret").as_bytes();
    assert!(!bytes.windows(secret.len()).any(|window| window == secret));

    let locked = takt.with("TAKT_VAULT_PASSPHRASE_FILE", "");
    assert_eq!(vault_kind(&locked), "locked");
    let refused = list_materials(&locked);
    assert_eq!(refused.code, Some(4), "{}", refused.err);
    complaints.push_str(&refused.err);
    let other = locked.with("TAKT_VAULT_PASSPHRASE_FILE", wrong.to_str().unwrap());
    let refused = list_materials(&other);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    complaints.push_str(&refused.err);

    let takt = other.with("TAKT_VAULT_PASSPHRASE_FILE", right.to_str().unwrap());
    let transcript = Transcript::new(&takt);
    transcript.note("complaints about passphrases", &complaints);
    assert_eq!(transcript.run(&["vault", "remove"]).code, Some(2), "there is nobody to ask");
    assert_eq!(transcript.run(&["vault", "remove", "--yes"]).code, Some(0));
    assert!(!takt.file("secrets.vault").exists());
    assert_eq!(transcript.run(&["vault", "remove", "--yes"]).code, Some(2), "it is gone");
    assert_transcript!(transcript);
}

/// The secret in the file is used for this command, but not stored.
#[tokio::test]
async fn a_client_secret_out_of_a_file_is_kept_nowhere() {
    let plant = Plant::start(&[]);
    let console = console(&plant);
    assert_eq!(console.takt.add_site_with_secret("works", &plant, "wrong").code, Some(0));
    assert_eq!(console.takt.sign_in("works", Person::Planner).await.code, Some(4));
    let file = console.takt.outside().join("secret");
    std::fs::write(&file, plant.member("client_secret")).unwrap();
    let takt = console.takt.with("TAKT_CLIENT_SECRET_FILE", file.to_str().unwrap());
    let signed_in = takt.sign_in("works", Person::Planner).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);
    let takt = takt.with("TAKT_CLIENT_SECRET_FILE", "");
    assert_eq!(takt.sign_in("works", Person::Planner).await.code, Some(4), "it was not kept");
    let takt = takt.with("TAKT_CLIENT_SECRET_FILE", "/no/such/file");
    let missing = list_materials(&takt);
    assert!(missing.code == Some(2) && missing.err.contains("/no/such/file"), "{}", missing.err);
}
