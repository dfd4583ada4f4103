//! The product must not contain the HTTP server that replaces its web view in tests.

use std::{fs, process::Command};

use memchr::memmem;
use takt_tests::{built_program, repository};

/// The script with which the pages call `page-server` in tests.
const BRIDGE: &[u8] = include_bytes!("../page-server/src/bridge.js");

#[test]
fn the_products_program_has_no_server_of_tests() {
    let has_bridge = |name: &str| memmem::find(&fs::read(built_program(name)).unwrap(), BRIDGE).is_some();
    assert!(has_bridge("page-server"), "the script isn't found where it is: this test sees nothing");
    for product in ["takt-desktop", "takt"] {
        assert!(!has_bridge(product), "{product} holds the script of page-server");
    }
}

/// Checks the dependencies that a release has, without features that tests enable in the same build.
#[test]
fn the_product_is_built_without_the_runtime_of_tests() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let tree = ["tree", "--locked", "--offline", "--edges", "normal,features", "--prefix", "none", "--package"];
    let depends_on = |package: &str, dependency: &str| {
        let output = Command::new(&cargo).args(tree).arg(package).current_dir(repository()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().any(|line| line.starts_with(dependency))
    };
    let runtime = "tauri feature \"test\"";
    assert!(depends_on("takt-page-server", runtime), "the feature isn't found where it is: this test sees nothing");
    for dependency in [runtime, "takt-page-server", "takt-tests"] {
        assert!(!depends_on("takt-desktop", dependency), "the product is built with {dependency}");
    }
}
