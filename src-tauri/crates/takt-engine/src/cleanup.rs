//! Cleaning up template-process links: reading templates by id, and deleting links.
//!
//! No operation lists templates, so ids are given by a person and remembered per site. Deleting is a submission like any
//! other: written down before it is sent, one fate per link.

mod ids;
mod links;
mod view;

use std::collections::BTreeMap;

use serde::Deserialize;
use takt_client::{Canceller, Client, ClientError};
use takt_contract::{ParameterPlace, wire::TimeSpan};

use crate::{BrowseQuery, Code, Engine, Problem, SubmissionRequest, SubmissionView, browse::ReadRequest};
pub use ids::parse_template_ids;
pub use links::links_to_items;
pub use view::*;

const READ: &str = "templates.processes";
const DELETE: &str = "template-processes.delete";

impl Engine {
    /// Reads templates one after the other, at the service's pace. A template that can't be read says why; what concerns
    /// the site as a whole ends the reading.
    pub async fn read_templates(&self, site: &str, ids: &[i64]) -> Result<Vec<TemplateView>, Problem> {
        let client = self.client(site)?;
        let mut templates = Vec::with_capacity(ids.len());
        for &template_id in ids {
            match self.read_template(&client, site, template_id).await {
                Ok(processes) => templates.push(TemplateView { template_id, processes, problem: None }),
                Err(problem) if concerns_site(problem.code) => return Err(problem),
                Err(problem) => {
                    templates.push(TemplateView { template_id, processes: Vec::new(), problem: Some(problem) });
                }
            }
        }
        let read: Vec<i64> =
            templates.iter().filter(|view| view.problem.is_none()).map(|view| view.template_id).collect();
        self.journal().remember_templates(site, &read, self.now())?;
        Ok(templates)
    }

    /// Ids that were read on this site before, ascending.
    pub fn remembered_templates(&self, site: &str) -> Result<Vec<i64>, Problem> {
        Ok(self.journal().remembered_templates(site)?)
    }

    pub fn forget_template(&self, site: &str, template: i64) -> Result<(), Problem> {
        self.journal().forget_template(site, template)?;
        Ok(())
    }

    /// Deletes links as a submission.
    pub async fn delete_links(
        &self,
        site: &str,
        links: &[Link],
        confirmed: Option<String>,
    ) -> Result<SubmissionView, Problem> {
        let empty = |link: &&Link| link.process_code.trim().is_empty() || link.operation_code.trim().is_empty();
        if let Some(link) = links.iter().find(empty) {
            return Err(Problem::new(Code::InvalidInput).parameter("what", links::key(link)));
        }
        self.submit(SubmissionRequest {
            site: site.to_owned(),
            operation: DELETE.to_owned(),
            file: String::new(),
            hash: String::new(),
            sheet: String::new(),
            items: links_to_items(links),
            confirmed,
            ..SubmissionRequest::default()
        })
        .await
    }

    async fn read_template(&self, client: &Client, site: &str, template: i64) -> Result<Vec<ProcessRow>, Problem> {
        let request = self.template_request(template)?;
        let read = async {
            let answer = client.get_patiently(&request.path, &request.query, &Canceller::new()).await?;
            let mut body = answer.json()?;
            let list = body.get_mut(&request.shape.member).map(serde_json::Value::take).unwrap_or_default();
            let rows: Vec<Process> = serde_json::from_value(list)
                .map_err(|cause| answer.not_understood(format!("`{}` can't be read: {cause}", request.shape.member)))?;
            Ok::<_, ClientError>(rows)
        };
        let rows = read.await.map_err(|error| Problem::of_client(site, error))?;
        Ok(rows.into_iter().map(|process| process.row(template)).collect())
    }

    fn template_request(&self, template: i64) -> Result<ReadRequest, Problem> {
        let operation = self.contract().operation(READ);
        let operation = operation.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", READ))?;
        let ids = operation.parameters.iter().filter(|parameter| parameter.place == ParameterPlace::Path);
        let parameters: BTreeMap<_, _> = ids.map(|parameter| (parameter.name.clone(), template.to_string())).collect();
        ReadRequest::new(self.contract(), &BrowseQuery { operation: READ.to_owned(), parameters })
    }
}

/// Read leniently: a template may hold a process whose times were never set.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Process {
    code: String,
    description: Option<String>,
    predicted_labor_time: Option<TimeSpan>,
    predicted_machine_time: Option<TimeSpan>,
    is_quality_inspection: Option<bool>,
}

impl Process {
    fn row(self, template_id: i64) -> ProcessRow {
        ProcessRow {
            template_id,
            code: self.code,
            description: self.description.unwrap_or_default(),
            labor_seconds: seconds(self.predicted_labor_time),
            machine_seconds: seconds(self.predicted_machine_time),
            is_quality_inspection: self.is_quality_inspection.unwrap_or_default(),
        }
    }
}

/// `ticks` says it all; the other members are derived from it.
fn seconds(span: Option<TimeSpan>) -> f64 {
    span.map(|span| TimeSpan::from_ticks(span.ticks()).total_seconds).unwrap_or_default()
}

fn concerns_site(code: Code) -> bool {
    matches!(
        code,
        Code::SignInNeeded
            | Code::SignInRefused
            | Code::AccessDenied
            | Code::ServiceUnreachable
            | Code::RateLimited
            | Code::InvalidInput
            | Code::Bug
    )
}
