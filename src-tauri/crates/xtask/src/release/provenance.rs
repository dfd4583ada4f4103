//! The provenance of a release as an in-toto statement with a SLSA predicate. It contains the commit, the compiler, the
//! locked dependencies, and the checksum of every file. A build service adds its own statement.

use serde_json::{Value, json};

use super::{files, version};
use crate::{error::XtaskError, paths, process::capture_output};

const FILE_NAME: &str = "provenance.intoto.json";
/// The lock files, which define the inputs of the build other than the commit.
const LOCKS: [&str; 2] = ["Cargo.lock", "ui/package-lock.json"];
/// The identifier of this build process. SLSA requires a URI, but no page.
const BUILD_TYPE: &str = "https://takt.example/release/1";

pub(super) fn write() -> Result<(), XtaskError> {
    let mut subjects = Vec::new();
    for file in files::files()?.iter().filter(|file| files::is_content(&files::file_name(file))) {
        subjects.push(digest(&files::file_name(file), &files::checksum(file)?));
    }
    let mut materials = Vec::new();
    for lock in LOCKS {
        materials.push(digest(lock, &files::checksum(&paths::root().join(lock))?));
    }
    let commit = capture_output(version::git(&["rev-parse", "HEAD"]))?;
    materials.push(json!({ "name": "source", "digest": { "gitCommit": commit.trim() } }));
    let statement = statement(&subjects, &materials, &version::compiler()?);
    files::write(FILE_NAME, &format!("{statement:#}\n"))
}

fn digest(name: &str, sum: &str) -> Value {
    json!({ "name": name, "digest": { "sha256": sum } })
}

fn statement(subjects: &[Value], materials: &[Value], compiler: &str) -> Value {
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": { "version": env!("CARGO_PKG_VERSION"), "steps": "cargo xtask release" },
                "internalParameters": { "compiler": compiler, "system": std::env::consts::OS },
                "resolvedDependencies": materials,
            },
            "runDetails": { "builder": { "id": "https://takt.example/builder/by-hand" } },
        },
    })
}
