//! `takt plant --from-site`: reads a site's lists, starts a plant with them, and adds a site for that plant.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use serde::Serialize;
use serde_json::{Value, json};
use takt_engine::{
    Canceller, Code, Problem,
    browse::BrowseProgress,
    rehearsal::{ListSelection, RehearsalProgress, Rehearsals, SiteRows},
};
use takt_plant::{CopyRemark, CopyReport, PlantConfig, PlantCopy, PlantError, RunningPlant, copied_lists};

use crate::{
    console::{Console, sanitize},
    exit_codes::Failure,
    progress::RowBar,
    session::{Interruption, Session},
};

const PLANNER: &str = "planner";

/// The rows of a site with which a plant can be started.
pub(super) struct Rehearsal {
    session: Session,
    original: String,
    site_rows: SiteRows,
    seconds: f64,
    masked: bool,
}

/// The JSON line with the running plant's address, its site and the copied lists.
#[derive(Serialize)]
struct ReadyLine<'a> {
    #[serde(flatten)]
    plant: &'a RunningPlant,
    site: &'a str,
    copied: Value,
}

impl Rehearsal {
    /// Reads the site's lists. Returns `None` if the user interrupts the reading.
    pub(super) async fn read(
        original: &str,
        masked: bool,
        interruption: &mut Interruption,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let session = Session::open(Some(original), console).await?;
        Rehearsals::new(&session.engine).check_copyable(original)?;
        let started = Instant::now();
        let site_rows = read_lists(&session, original, interruption, console).await?;
        let seconds = started.elapsed().as_secs_f64();
        if site_rows.is_canceled {
            console.print_remark("rehearsal.stopped", &[]);
            return Ok(None);
        }
        Ok(Some(Self { session, original: original.to_owned(), site_rows, seconds, masked }))
    }

    /// Configures a plant with the site's rows and contract.
    pub(super) fn configure(&self, config: &mut PlantConfig) -> Result<(), Problem> {
        let mut copy = PlantCopy::default();
        let mut invalid_rows = 0;
        for list in &self.site_rows.lists {
            let mut rows = Vec::with_capacity(list.len());
            list.for_each_row(|_, row| rows.push(row.to_owned()));
            invalid_rows += copy.add_list(list.operation(), rows.iter().map(String::as_str));
        }
        for template in &self.site_rows.templates {
            let mut rows = Vec::new();
            template.rows.for_each_row(|_, row| rows.push(row.to_owned()));
            invalid_rows += copy.add_template(template.id, rows.iter().map(String::as_str));
        }
        if invalid_rows > 0 {
            // Takt has serialized the rows, so an invalid row is a bug.
            return Err(Problem::new(Code::Bug).details(invalid_rows));
        }
        if self.masked {
            copy.mask_people();
        }
        let sites = self.session.engine.sites();
        config.copy = Some(Arc::new(copy));
        config.contract = Some(sites.contract(&self.original)?);
        config.time_zone = sites.find(&self.original)?.time_zone;
        Ok(())
    }

    /// Adds a site for the running plant, and prints the report of the copy.
    pub(super) fn add_site(self, plant: &RunningPlant, console: &Console) -> Result<(), Failure> {
        let failed = |error: PlantError| Problem::new(Code::Bug).details(error);
        let site = Rehearsals::new(&self.session.engine).set_up_copy(&self.original, &plant.access())?;
        let tokens = plant.issue_tokens(PLANNER).map_err(failed)?;
        let refresh = tokens.refresh_token.as_deref();
        self.session.engine.sites().adopt_tokens(&site, &tokens.access_token, refresh, Some(tokens.expires_in))?;
        let report = plant.plant().copy_report().cloned().unwrap_or_default();
        self.print_report(&report, &site, console);
        let skipped = self.site_rows.skipped.iter().map(
            |list| json!({ "operation": list.operation, "code": list.problem.as_ref().map(|problem| problem.code) }),
        );
        let mut copied = json!(report);
        copied["skipped"] = skipped.collect();
        copied["uneven"] = json!(self.site_rows.changed_lists);
        copied["unreadTemplates"] = json!(self.site_rows.unread_templates);
        copied["requests"] = json!(self.site_rows.requests);
        copied["seconds"] = json!(self.seconds);
        copied["peopleMasked"] = json!(self.masked);
        console.print_json(&ReadyLine { plant, site: &site, copied });
        Ok(())
    }

    fn print_report(&self, report: &CopyReport, site: &str, console: &Console) {
        for list in &report.lists {
            let parameters = [
                ("operation", list.operation.clone()),
                ("rows", list.kept.to_string()),
                ("given", list.given.to_string()),
            ];
            console
                .print_remark(if list.kept == list.given { "rehearsal.list" } else { "rehearsal.some" }, &parameters);
        }
        let parameters = [("templates", report.templates.to_string()), ("links", report.links.to_string())];
        console.print_remark("rehearsal.templates", &parameters);
        for list in &self.site_rows.skipped {
            let operation = ("operation", list.operation.clone());
            match &list.problem {
                Some(problem) => {
                    let reason = console.texts.engine.problem_title(problem.code, &problem.parameters);
                    console.print_remark("rehearsal.skipped", &[operation, ("reason", sanitize(&reason))]);
                }
                None => console.print_remark("rehearsal.no-place", &[operation]),
            }
        }
        for operation in &self.site_rows.changed_lists {
            console.print_remark("rehearsal.uneven", &[("operation", operation.clone())]);
        }
        if self.site_rows.unread_templates > 0 {
            console
                .print_remark("rehearsal.unread-templates", &[("count", self.site_rows.unread_templates.to_string())]);
        }
        report.remarks.iter().for_each(|remark| print_remark(remark, console));
        if self.masked {
            console.print_remark("rehearsal.masked", &[]);
        }
        let rows: u64 = report.lists.iter().map(|list| u64::from(list.kept)).sum();
        let parameters = [
            ("rows", rows.to_string()),
            ("requests", self.site_rows.requests.to_string()),
            ("time", console.texts.engine.format_duration(self.seconds.ceil())),
            ("site", sanitize(site)),
        ];
        console.print_remark("rehearsal.ready", &parameters);
    }
}

/// Reads the lists with which a plant can be started.
async fn read_lists(
    session: &Session,
    original: &str,
    interruption: &mut Interruption,
    console: &Console,
) -> Result<SiteRows, Failure> {
    let selection = |(operation, fallback): (&str, Option<&str>)| ListSelection {
        operation: operation.to_owned(),
        fallback: fallback.map(str::to_owned),
    };
    let selections: Vec<_> = copied_lists().into_iter().map(selection).collect();
    let (canceller, bar) = (Canceller::new(), RowBar::new(console));
    let rehearsals = Rehearsals::new(&session.engine);
    let reading = rehearsals.read_site(original, &selections, &canceller, |progress| {
        let RehearsalProgress { rows, total, waiting_until, .. } = progress;
        bar.show(&BrowseProgress { rows, total, waiting_until, ..BrowseProgress::default() });
    });
    tokio::pin!(reading);
    tokio::select! {
        read = &mut reading => return Ok(read?),
        () = interruption.next() => canceller.cancel(),
    }
    Ok(reading.await?)
}

fn print_remark(remark: &CopyRemark, console: &Console) {
    let kind = serde_json::to_value(remark.kind).ok();
    let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mut keys = sanitize(&remark.keys.join(", "));
    if usize::try_from(remark.count).is_ok_and(|count| count > remark.keys.len()) {
        keys.push_str(", …");
    }
    let parameters = BTreeMap::from([
        ("operation", remark.operation.clone()),
        ("member", sanitize(&remark.member)),
        ("count", remark.count.to_string()),
        ("keys", keys),
    ]);
    console.print_remark(&format!("rehearsal.remark.{kind}"), &parameters.into_iter().collect::<Vec<_>>());
}
