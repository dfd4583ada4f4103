//! The support bundle: technical data for support without the planner's data. Values are replaced by shapes (`mask`),
//! and secrets are never read.

use std::{
    fs,
    io::{self, Cursor, Write},
    path::Path,
};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use takt_journal::{RowResult, SubmissionId, SubmissionRecord};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    mask::{mask_line, mask_mapping, mask_reason, mask_response, mask_text, mask_value},
    submission_history::{History, HistoryQuery},
};
use takt_core::{Problem, output_file::write_problem, write_file};
use takt_sites::SiteView;

use crate::submission;

/// The user's choices for a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleChoice {
    /// The submissions to include. If empty, the newest ones.
    pub submissions: Vec<SubmissionId>,
    /// Whether the sites' addresses stay readable.
    pub addresses: bool,
}

/// So many of the newest submissions are included if none was chosen.
const DEFAULT_SUBMISSION_COUNT: u32 = 10;
/// Limits per submission: the items of each result, and the requests, of which the newest are included.
const MAX_ITEMS: u32 = 1_000;
const MAX_REQUESTS: u32 = 5_000;
/// Limits a log file, in bytes. Its end is included.
const MAX_LOG_LENGTH: usize = 2 * 1024 * 1024;
const MAX_LOGS: usize = 10;

type Files = Vec<(String, String)>;

impl History {
    /// Writes the bundle as a zip file. An existing file is only replaced once the new one is complete.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): a chosen submission doesn't exist.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the file can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn save_bundle(&self, choice: &BundleChoice, path: &Path) -> Result<(), Problem> {
        let mut files: Files = vec![
            ("about.json".to_owned(), pretty_json(&self.about_json())),
            ("sites.json".to_owned(), pretty_json(&self.sites_json(choice.addresses)?)),
            ("journal.json".to_owned(), pretty_json(&self.journal_json()?)),
        ];
        files.extend(self.settings_file());
        files.extend(self.log_files());
        let chosen =
            if choice.submissions.is_empty() { self.newest_submissions()? } else { choice.submissions.clone() };
        for id in chosen {
            self.add_submission(id, &mut files)?;
        }
        write_file(path, &zip_files(&files).map_err(|cause| write_problem(path, &cause))?)
    }

    fn newest_submissions(&self) -> Result<Vec<SubmissionId>, Problem> {
        let list = self.list(&HistoryQuery::default(), 0, DEFAULT_SUBMISSION_COUNT)?;
        Ok(list.submissions.into_iter().map(|view| view.id).collect())
    }

    fn about_json(&self) -> Value {
        let contract = Sha256::digest(self.contract.document().to_string().as_bytes());
        json!({
            "takt": env!("CARGO_PKG_VERSION"),
            "system": std::env::consts::OS,
            "architecture": std::env::consts::ARCH,
            "language": self.current_words.words().language(),
            "at": (self.clock)().to_string(),
            "vault": self.sites.secrets().storage(),
            "contract": takt_core::hex::to_hex(&contract),
        })
    }

    fn sites_json(&self, addresses: bool) -> Result<Value, Problem> {
        Ok(self.sites.list()?.iter().map(|view| site_json(view, addresses)).collect())
    }

    fn journal_json(&self) -> Result<Value, Problem> {
        let integrity = self.journal.check_integrity()?;
        let tables: serde_json::Map<String, Value> =
            integrity.tables.into_iter().map(|(name, rows)| (name, rows.into())).collect();
        Ok(json!({
            "whole": integrity.problems.is_empty(),
            "oddities": integrity.problems,
            "schema": integrity.schema,
            "sqlite": integrity.sqlite,
            "rows": tables,
        }))
    }

    /// Returns only settings with few possible values, because others may contain the planner's data.
    fn settings_file(&self) -> Option<(String, String)> {
        let settings: Value = serde_json::from_str(&fs::read_to_string(self.home.preferences()).ok()?).ok()?;
        let settings = settings.get("preferences").unwrap_or(&settings);
        let choices: serde_json::Map<String, Value> = ["language", "look", "density"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), settings.get(name)?.clone())))
            .collect();
        Some(("settings.json".to_owned(), pretty_json(&choices.into())))
    }

    fn log_files(&self) -> Files {
        let entries = fs::read_dir(self.home.logs()).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        paths.sort();
        let newest = paths.iter().rev().take(MAX_LOGS).zip(1..);
        let files = newest.filter_map(|(path, number)| {
            let bytes = fs::read(path).ok()?;
            let end = bytes.get(bytes.len().saturating_sub(MAX_LOG_LENGTH)..)?;
            let text = String::from_utf8_lossy(end);
            let lines: Vec<String> = text.lines().map(mask_line).collect();
            Some((format!("logs/{number}.log"), lines.join("\n")))
        });
        files.collect()
    }

    fn add_submission(&self, id: SubmissionId, files: &mut Files) -> Result<(), Problem> {
        let record = self.journal.submission(id)?;
        let file = |name: &str| format!("submission-{id}/{name}");
        if let Some(mapping) = &record.mapping {
            files.push((file("mapping.json"), pretty_json(&mask_mapping(mapping))));
        }
        files.push((file("submission.json"), pretty_json(&submission_json(&record))));
        files.push((file("requests.jsonl"), self.requests_jsonl(id)?));
        files.push((file("items.jsonl"), self.items_jsonl(id)?));
        Ok(())
    }

    fn requests_jsonl(&self, id: SubmissionId) -> Result<String, Problem> {
        let (_, requests) = self.journal.requests().page(id, 0, MAX_REQUESTS)?;
        let mut lines = String::new();
        for request in requests {
            let response = request.answer.as_deref().map(mask_response);
            let mut view = serde_json::to_value(submission::sent_request(request)).unwrap_or_default();
            if let Some(view) = view.as_object_mut() {
                view.insert("answer".to_owned(), response.unwrap_or_default());
            }
            push_line(&mut lines, &view);
        }
        Ok(lines)
    }

    fn items_jsonl(&self, id: SubmissionId) -> Result<String, Problem> {
        let mut lines = String::new();
        for &result in RowResult::ALL {
            for item in self.journal.rows().item_details(id, result, 0, MAX_ITEMS)? {
                let rows: Vec<u32> = item.rows.iter().map(|(_, row)| *row).collect();
                let item = json!({
                    "number": item.number,
                    "rows": rows,
                    "result": result,
                    "change": item.change,
                    "key": mask_text(&item.key),
                    "body": mask_value(&item.body),
                    "before": item.before.as_ref().map(mask_value),
                    "reasons": item.reasons.iter().map(mask_reason).collect::<Vec<_>>(),
                });
                push_line(&mut lines, &item);
            }
        }
        Ok(lines)
    }
}

/// Describes a site without its secrets. The addresses of proxies are omitted because they may contain passwords.
fn site_json(view: &SiteView, addresses: bool) -> Value {
    let site = &view.site;
    let address = |text: &String| {
        let readable = addresses && !text.contains('@');
        if readable { text.clone() } else { mask_text(text) }
    };
    json!({
        "name": site.name,
        "kind": site.kind,
        "baseUrl": address(&site.base_url),
        "authUrl": address(&site.auth_url),
        "redirectUris": site.redirect_uris.iter().map(address).collect::<Vec<_>>(),
        "clientId": mask_text(&site.client_id),
        "scope": site.scope,
        "timeZone": site.time_zone,
        "batchSize": site.batch_size,
        "proxy": site.proxy.is_some(),
        "caFile": site.ca_file.is_some(),
        "reservedPrefix": site.reserved_prefix.as_deref().map(mask_text),
        "chosen": view.chosen,
        "signedIn": view.signed_in,
        "hasSecret": view.has_secret,
    })
}

fn submission_json(record: &SubmissionRecord) -> Value {
    let counts = &record.counts;
    let problem = record.problem.as_ref().map(|problem| {
        json!({ "code": problem.get("code"), "logId": problem.get("logId"), "details": problem.get("details").map(mask_value) })
    });
    json!({
        "id": record.id,
        "operation": record.operation,
        "site": record.site,
        "person": mask_text(&record.person),
        "file": mask_text(&record.file),
        "hash": record.hash,
        "sheet": mask_text(&record.sheet),
        "started": record.started.to_string(),
        "ended": record.ended.map(|ended| ended.to_string()),
        "state": record.state,
        "batchSize": record.batch_size,
        "items": record.items,
        "total": record.total,
        "pending": counts.pending,
        "sending": counts.sending,
        "accepted": counts.accepted,
        "rejected": counts.rejected,
        "unconfirmed": counts.unconfirmed,
        "skipped": counts.skipped,
        "requests": record.requests,
        "activeMilliseconds": record.active_milliseconds,
        "plan": record.plan,
        "follows": record.follows.map(|follows| follows.submission),
        "relation": record.follows.map(|follows| follows.relation),
        "trial": record.trial,
        "problem": problem,
    })
}

fn pretty_json(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn push_line(lines: &mut String, value: &Value) {
    lines.push_str(&value.to_string());
    lines.push('\n');
}

fn zip_files(files: &Files) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(name.as_str(), SimpleFileOptions::default())?;
        zip.write_all(text.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}
