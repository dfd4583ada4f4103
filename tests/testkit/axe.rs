//! Runs the accessibility checker axe-core on the window's page.

use std::fs;

use serde_json::Value;

use crate::{Window, paths};

const RUN_SCRIPT: &str = "const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations), (error) => done(String(error)));";

/// An accessibility violation that axe-core reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: String,
    pub impact: String,
    pub help: String,
    /// CSS selectors of the affected elements.
    pub targets: Vec<String>,
}

impl Window {
    /// Runs axe-core on the page, and returns its violations.
    pub async fn find_violations(&self) -> Vec<Violation> {
        let file = paths::repository().join("ui/node_modules/axe-core/axe.min.js");
        let library = fs::read_to_string(&file).expect("axe-core is installed: run `cargo xtask setup`");
        self.script(&library, Vec::new()).await;
        let violations = self.client.execute_async(RUN_SCRIPT, Vec::new()).await.expect("axe runs");
        let Value::Array(violations) = violations else { panic!("axe failed: {violations}") };
        violations.iter().map(violation).collect()
    }
}

fn violation(value: &Value) -> Violation {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let nodes = value["nodes"].as_array().into_iter().flatten();
    let targets = nodes.map(|node| node["target"].to_string()).collect();
    Violation { rule: text("id"), impact: text("impact"), help: text("help"), targets }
}
