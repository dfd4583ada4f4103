//! Checks that the list of licenses contains exactly the locked crates and packages.

use std::collections::BTreeSet;

use crate::{
    error::XtaskError,
    licenses::{LIST, License, UI_LOCK, ui_packages},
    tidy::{complaint::Complaint, tree::Tree},
};

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let text = |path: &str| tree.text(path).unwrap_or_default();
    let listed: Vec<License> = match serde_json::from_str(text(LIST)) {
        Ok(listed) => listed,
        Err(error) => return Ok(vec![Complaint::new(LIST, error.line(), error.to_string())]),
    };
    let mut locked = locked_crates(text("Cargo.lock"));
    match ui_packages(text(UI_LOCK)) {
        Ok(packages) => locked.extend(packages.into_iter().map(|one| (one.name, one.version))),
        Err(error) => return Ok(vec![Complaint::new(UI_LOCK, error.line(), error.to_string())]),
    }
    let listed_versions: BTreeSet<(String, String)> =
        listed.iter().map(|license| (license.name.clone(), license.version.clone())).collect();
    let mut complaints: Vec<Complaint> = locked
        .symmetric_difference(&listed_versions)
        .map(|(name, version)| Complaint::new(LIST, None, format!("{name} {version}: run `cargo xtask licenses`")))
        .collect();
    let without_license = listed.iter().filter(|license| license.license.is_empty());
    complaints.extend(
        without_license.map(|license| Complaint::new(LIST, None, format!("{} names no licence", license.name))),
    );
    Ok(complaints)
}

/// Returns the names and versions of crates from outside of the workspace.
fn locked_crates(lock: &str) -> BTreeSet<(String, String)> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
        line.and_then(|rest| rest.strip_suffix('"')).map(str::to_owned)
    };
    let blocks = lock.split("[[package]]").skip(1).filter(|block| value(block, "source").is_some());
    blocks.filter_map(|block| Some((value(block, "name")?, value(block, "version")?))).collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::Tree;

    const LOCK: &str = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"serde\"\nversion = \"1.0.0\"\nsource = \"registry\"\n";
    const UI: &str = r#"{"packages":{"":{},"node_modules/react":{"version":"19.0.0","license":"MIT"},"node_modules/vite":{"version":"8.0.0","dev":true}}}"#;
    const LISTED: &str =
        r#"[{"name":"react","version":"19.0.0","license":"MIT"},{"name":"serde","version":"1.0.0","license":"MIT"}]"#;

    fn complaints(list: &str) -> Vec<String> {
        let tree =
            Tree::from_files(&[("Cargo.lock", LOCK), ("ui/package-lock.json", UI), ("docs/licenses.json", list)]);
        check(&tree).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_missing_silent_or_gone_is_told() {
        assert_eq!(complaints(LISTED), Vec::<String>::new());
        assert_eq!(complaints("[]").len(), 2);
        assert_eq!(complaints(&LISTED.replace("1.0.0", "0.9.0")).len(), 2);
        assert_eq!(complaints(&LISTED.replace("\"license\":\"MIT\"}]", "\"license\":\"\"}]")).len(), 1);
    }
}
