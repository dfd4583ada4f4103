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
    console::{Console, plain},
    exit_codes::Failure,
    progress::RowBar,
    session::{Interruption, Session},
};

const PLANNER: &str = "planner";

/// The rows of a site with which a plant can be started.
pub(super) struct Rehearsal {
    session: Session,
    original: String,
    read: SiteRows,
    seconds: f64,
    masked: bool,
}

/// The JSON line with the running plant's address, its site and the copied lists.
#[derive(Serialize)]
struct Ready<'a> {
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
        Rehearsals::new(&session.engine).check(original)?;
        let started = Instant::now();
        let read = read_lists(&session, original, interruption, console).await?;
        let seconds = started.elapsed().as_secs_f64();
        if read.stopped {
            console.remark("rehearsal.stopped", &[]);
            return Ok(None);
        }
        Ok(Some(Self { session, original: original.to_owned(), read, seconds, masked }))
    }

    /// Configures a plant with the site's rows and contract.
    pub(super) fn fill(&self, config: &mut PlantConfig) -> Result<(), Problem> {
        let mut copy = PlantCopy::default();
        let mut invalid_rows = 0;
        for list in &self.read.lists {
            let mut rows = Vec::with_capacity(list.len());
            list.each(|_, row| rows.push(row.to_owned()));
            invalid_rows += copy.add_list(list.operation(), rows.iter().map(String::as_str));
        }
        for template in &self.read.templates {
            let mut rows = Vec::new();
            template.rows.each(|_, row| rows.push(row.to_owned()));
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
    pub(super) fn announce(self, plant: &RunningPlant, console: &Console) -> Result<(), Failure> {
        let failed = |error: PlantError| Problem::new(Code::Bug).details(error);
        let site = Rehearsals::new(&self.session.engine).set_up(&self.original, &plant.access())?;
        let tokens = plant.issue_tokens(PLANNER).map_err(failed)?;
        let refresh = tokens.refresh_token.as_deref();
        self.session.engine.sites().adopt_tokens(&site, &tokens.access_token, refresh, Some(tokens.expires_in))?;
        let report = plant.plant().copy_report().cloned().unwrap_or_default();
        self.print_report(&report, &site, console);
        let skipped = self.read.skipped.iter().map(
            |list| json!({ "operation": list.operation, "code": list.problem.as_ref().map(|problem| problem.code) }),
        );
        let mut copied = json!(report);
        copied["skipped"] = skipped.collect();
        copied["uneven"] = json!(self.read.uneven);
        copied["unreadTemplates"] = json!(self.read.unread_templates);
        copied["requests"] = json!(self.read.requests);
        copied["seconds"] = json!(self.seconds);
        copied["peopleMasked"] = json!(self.masked);
        console.json(&Ready { plant, site: &site, copied });
        Ok(())
    }

    fn print_report(&self, report: &CopyReport, site: &str, console: &Console) {
        for list in &report.lists {
            let parameters = [
                ("operation", list.operation.clone()),
                ("rows", list.kept.to_string()),
                ("given", list.given.to_string()),
            ];
            console.remark(if list.kept == list.given { "rehearsal.list" } else { "rehearsal.some" }, &parameters);
        }
        let parameters = [("templates", report.templates.to_string()), ("links", report.links.to_string())];
        console.remark("rehearsal.templates", &parameters);
        for list in &self.read.skipped {
            let operation = ("operation", list.operation.clone());
            match &list.problem {
                Some(problem) => {
                    let reason = console.texts.engine.problem_title(problem.code, &problem.parameters);
                    console.remark("rehearsal.skipped", &[operation, ("reason", plain(&reason))]);
                }
                None => console.remark("rehearsal.no-place", &[operation]),
            }
        }
        for operation in &self.read.uneven {
            console.remark("rehearsal.uneven", &[("operation", operation.clone())]);
        }
        if self.read.unread_templates > 0 {
            console.remark("rehearsal.unread-templates", &[("count", self.read.unread_templates.to_string())]);
        }
        report.remarks.iter().for_each(|remark| print_remark(remark, console));
        if self.masked {
            console.remark("rehearsal.masked", &[]);
        }
        let rows: u64 = report.lists.iter().map(|list| u64::from(list.kept)).sum();
        let parameters = [
            ("rows", rows.to_string()),
            ("requests", self.read.requests.to_string()),
            ("time", console.texts.engine.duration(self.seconds.ceil())),
            ("site", plain(site)),
        ];
        console.remark("rehearsal.ready", &parameters);
    }
}

/// Reads the lists with which a plant can be started.
async fn read_lists(
    session: &Session,
    original: &str,
    interruption: &mut Interruption,
    console: &Console,
) -> Result<SiteRows, Failure> {
    let selection = |(operation, otherwise): (&str, Option<&str>)| ListSelection {
        operation: operation.to_owned(),
        otherwise: otherwise.map(str::to_owned),
    };
    let selections: Vec<_> = copied_lists().into_iter().map(selection).collect();
    let (canceller, bar) = (Canceller::new(), RowBar::new(console));
    let rehearsals = Rehearsals::new(&session.engine);
    let reading = rehearsals.read(original, &selections, &canceller, |progress| {
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
    let mut keys = plain(&remark.keys.join(", "));
    if usize::try_from(remark.count).is_ok_and(|count| count > remark.keys.len()) {
        keys.push_str(", …");
    }
    let parameters = BTreeMap::from([
        ("operation", remark.operation.clone()),
        ("member", plain(&remark.member)),
        ("count", remark.count.to_string()),
        ("keys", keys),
    ]);
    console.remark(&format!("rehearsal.remark.{kind}"), &parameters.into_iter().collect::<Vec<_>>());
}
