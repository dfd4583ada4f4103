//! `takt history SUBMISSION --compare`: compares a rehearsal with the real submission, row by row.

use serde_json::json;
use takt_engine::{
    Engine,
    rehearsal::{RehearsalComparison, Rehearsals},
    submission::{ResultRow, SubmissionId},
};

use crate::{
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    results,
};

pub(super) fn run(
    engine: &Engine,
    submission: SubmissionId,
    other: Option<SubmissionId>,
    as_json: bool,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let comparison = Rehearsals::of(engine).compare(submission, other)?;
    if as_json {
        for difference in &comparison.differences {
            let (rehearsed, real) = (results::row_json(&difference.rehearsed), results::row_json(&difference.real));
            console.json(&json!({ "key": difference.key, "rehearsed": rehearsed, "real": real }));
        }
        let RehearsalComparison { rehearsal, real, same_file, same, different, only_rehearsed, only_real, .. } =
            &comparison;
        console.json(&json!({
            "rehearsal": rehearsal.id,
            "real": real.id,
            "operation": real.operation,
            "sameFile": same_file,
            "same": same,
            "different": different,
            "onlyRehearsed": only_rehearsed,
            "onlyReal": only_real,
        }));
        return Ok(ExitStatus::Done);
    }
    if !comparison.same_file {
        console.remark("compare.other-file", &[]);
    }
    if !comparison.differences.is_empty() {
        console.table(&table(&comparison, console));
    }
    let parameters = [
        ("rehearsal", comparison.rehearsal.id.to_string()),
        ("real", comparison.real.id.to_string()),
        ("same", comparison.same.to_string()),
        ("different", comparison.different.to_string()),
    ];
    console.status("compare.summary", &parameters);
    if comparison.only_rehearsed + comparison.only_real > 0 {
        let parameters =
            [("rehearsed", comparison.only_rehearsed.to_string()), ("real", comparison.only_real.to_string())];
        console.status("compare.only", &parameters);
    }
    Ok(ExitStatus::Done)
}

fn table(comparison: &RehearsalComparison, console: &Console) -> Vec<Vec<String>> {
    let heads = ["key", "rehearsed", "reasons", "real", "reasons"];
    let mut rows = vec![heads.map(|head| console.texts.text(&format!("compare.heads.{head}"), &[])).to_vec()];
    let result_cells =
        |row: &ResultRow| [console.texts.engine.result(row.result).to_owned(), plain(&row.reasons.join("; "))];
    rows.extend(comparison.differences.iter().map(|difference| {
        let key = [plain(&difference.key)];
        key.into_iter().chain(result_cells(&difference.rehearsed)).chain(result_cells(&difference.real)).collect()
    }));
    rows
}
