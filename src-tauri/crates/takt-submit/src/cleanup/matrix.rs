//! The view of a set of templates: templates by processes, with their sums.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{
    facets,
    facts::ReadProcess,
    template_set::{TemplateReadings, TemplateSet},
    users::TemplateUses,
    view::{Ids, Links, ProcessSum, TemplateSum, TemplatesView, UnreadIds, count},
};
use takt_core::Problem;

const TICKS_PER_SECOND: f64 = 10_000_000.0;

impl TemplateSet {
    /// Creates the view of the templates that were read so far. `uses` adds the orders that use the templates, if they
    /// are known.
    pub(super) fn view(&self, uses: Option<&TemplateUses>) -> TemplatesView {
        let readings = self.readings();
        let processes = processes(&readings);
        let templates = templates(&readings, uses);
        let mut links = links(&readings, &processes);
        let facets = facets::find(
            &facets::FacetInput { readings: &readings, templates: &templates, processes: &processes, uses },
            &mut links,
        );
        TemplatesView {
            progress: self.progress(),
            absent: Ids::of(&readings.absent),
            left: Ids::of(&self.left()),
            unread: unread(&readings.failed),
            templates,
            processes,
            links,
            facets,
            list_problem: readings.list_problem,
            orders_at: uses.map(|uses| uses.at.to_string()),
        }
    }
}

/// Groups IDs by problem.
fn unread(failed: &[(i64, Problem)]) -> Vec<UnreadIds> {
    let mut groups: Vec<(Vec<i64>, &Problem)> = Vec::new();
    for (id, problem) in failed {
        match groups.iter_mut().find(|(_, known)| known.code == problem.code && known.reasons == problem.reasons) {
            Some((ids, _)) => ids.push(*id),
            None => groups.push((vec![*id], problem)),
        }
    }
    groups.into_iter().map(|(ids, problem)| UnreadIds { ids: Ids::of(&ids), problem: problem.clone() }).collect()
}

/// Returns the processes by code, each with the number of templates that have it.
pub(super) fn processes(readings: &TemplateReadings) -> Vec<ProcessSum> {
    let listed: Option<HashSet<&str>> =
        readings.listed.as_ref().map(|listed| listed.iter().map(|(code, _)| code.as_str()).collect());
    let mut by_code: BTreeMap<&str, (&str, BTreeSet<i64>)> = BTreeMap::new();
    for (&id, template_processes) in &readings.templates {
        for process in template_processes {
            let (description, templates) = by_code.entry(&process.code).or_default();
            if description.is_empty() {
                *description = &process.description;
            }
            templates.insert(id);
        }
    }
    let sum = |(code, (description, templates)): (&str, (&str, BTreeSet<i64>))| ProcessSum {
        code: code.to_owned(),
        description: description.to_owned(),
        templates: count(templates.len()),
        listed: listed.as_ref().map(|listed| listed.contains(code)),
    };
    by_code.into_iter().map(sum).collect()
}

pub(super) fn templates(readings: &TemplateReadings, uses: Option<&TemplateUses>) -> Vec<TemplateSum> {
    let sum = |(&id, processes): (&i64, &Vec<ReadProcess>)| {
        let used = uses.map(|uses| uses.of(id));
        TemplateSum {
            id,
            processes: count(processes.len()),
            labor_seconds: total_seconds(processes.iter().filter_map(|process| process.labor)),
            machine_seconds: total_seconds(processes.iter().filter_map(|process| process.machine)),
            orders: used.map(|used| used.orders),
            running: used.map(|used| used.running),
        }
    };
    readings.templates.iter().map(sum).collect()
}

/// Returns the links in the order of the templates and of each template's processes. Facets are added later.
pub(super) fn links(readings: &TemplateReadings, processes: &[ProcessSum]) -> Links {
    let mut links = Links::default();
    for (template, template_processes) in (0..).zip(readings.templates.values()) {
        for process in template_processes {
            let Ok(index) = processes.binary_search_by(|known| known.code.as_str().cmp(&process.code)) else {
                continue;
            };
            links.template.push(template);
            links.process.push(count(index));
            links.labor.push(process.labor.map(seconds));
            links.machine.push(process.machine.map(seconds));
            links.quality.push(process.quality);
            links.facets.push(0);
        }
    }
    links
}

/// Returns the sum of times in seconds. It is 0 without times, never -0.
fn total_seconds(ticks: impl Iterator<Item = i64>) -> f64 {
    seconds(ticks.fold(0, i64::saturating_add))
}

#[expect(clippy::cast_precision_loss, reason = "a predicted time is far below 2^53 ticks")]
pub(super) fn seconds(ticks: i64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND
}

#[cfg(test)]
mod tests {
    use super::total_seconds;

    #[test]
    fn the_sum_of_no_times_is_zero_and_not_minus_zero() {
        assert_eq!(total_seconds(std::iter::empty()).to_string(), "0");
        assert_eq!(total_seconds([10_000_000, 5_000_000].into_iter()).to_string(), "1.5");
    }
}
