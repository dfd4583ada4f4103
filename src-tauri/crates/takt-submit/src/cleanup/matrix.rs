//! The view of a set of templates: sums by template and by process, links, and facets.
//!
//! Facets are suspicious templates and links: duplicates, orphans, processes without a time, unused templates.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
};

use takt_contract::Cleanup;
use takt_core::Problem;
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{
    cleanup_contract::{CleanupContract, TemplateProcess},
    links::links_sheet_name,
    template_set::{TemplateReadings, TemplateSet},
    template_use::TemplateUses,
    templates::Templates,
    view::{
        FacetAbout, FacetKind, Ids, Links, ProcessSum, TemplateFacet, TemplateSum, TemplatesView, UnreadIds,
        saturating_u32,
    },
};

use crate::link::duration_cell;

const TICKS_PER_SECOND: f64 = 10_000_000.0;
/// Limits the listed names of a facet. Its count includes all of them.
const MAX_NAMES: usize = 1_000;

impl TemplateSet {
    /// Creates the view of the templates that were read so far. `uses` adds the orders that use the templates, if they
    /// are known.
    pub(super) fn view(&self, uses: Option<&TemplateUses>) -> TemplatesView {
        let readings = self.readings();
        let processes = sum_processes(&readings);
        let templates = sum_templates(&readings, uses);
        let mut links = collect_links(&readings, &processes);
        let facets = find_facets(
            &FacetInput { readings: &readings, templates: &templates, processes: &processes, uses },
            &mut links,
        );
        TemplatesView {
            progress: self.progress(),
            absent: Ids::new(&readings.absent),
            left: Ids::new(&self.unsettled_ids()),
            unread: group_unread(&readings.failed),
            templates,
            processes,
            links,
            facets,
            list_problem: readings.list_problem,
            orders_at: uses.map(|uses| uses.at.to_string()),
        }
    }
}

impl Templates {
    /// Writes the templates that were read so far as a workbook: a matrix of templates and processes with the number of
    /// links, and a list of the links.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract doesn't define templates.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the templates that orders use can't be read.
    pub fn save_matrix(&self, set: &TemplateSet, path: &Path) -> Result<(), Problem> {
        let cleanup = CleanupContract::find(&self.contract)?.cleanup;
        let view = self.view(set)?;
        let sheets = [matrix_sheet(cleanup, &view), links_sheet(cleanup, &view)];
        let file = path.display().to_string();
        write_workbook(path, &sheets).map_err(|error| Problem::from_sheet_error(&file, error))
    }
}

/// Creates a sheet with a row per template and a column per process.
fn matrix_sheet(cleanup: &Cleanup, view: &TemplatesView) -> OutSheet {
    let mut counts: HashMap<(u32, u32), u32> = HashMap::new();
    for link in view.links.template.iter().copied().zip(view.links.process.iter().copied()) {
        *counts.entry(link).or_default() += 1;
    }
    let row = |(template, sum): (u32, &TemplateSum)| {
        let count = |process| counts.get(&(template, process)).map_or(OutCell::Empty, |&count| number_cell(count));
        let cells = (0..saturating_u32(view.processes.len())).map(count);
        std::iter::once(id_cell(sum.id)).chain(cells).collect()
    };
    let headings = std::iter::once(&cleanup.delete.template).chain(view.processes.iter().map(|process| &process.code));
    OutSheet {
        name: "Matrix".to_owned(),
        columns: headings.map(|heading| OutColumn::new(heading.as_str())).collect(),
        rows: (0..).zip(&view.templates).map(row).collect(),
        ..OutSheet::default()
    }
}

/// Creates a sheet with a row per link. Its headings are the fields of a delete, without the operation code.
fn links_sheet(cleanup: &Cleanup, view: &TemplatesView) -> OutSheet {
    let delete = &cleanup.delete;
    let headings = [&delete.template, &delete.process, &cleanup.description, &cleanup.labor, &cleanup.machine];
    let links = &view.links;
    let row = |link: usize| {
        let template = view.templates.get(*links.template.get(link)? as usize)?;
        let process = view.processes.get(*links.process.get(link)? as usize)?;
        let seconds = |times: &[Option<f64>]| duration_cell(times.get(link).copied().flatten());
        Some(vec![
            id_cell(template.id),
            OutCell::from(process.code.as_str()),
            OutCell::from(process.description.as_str()),
            seconds(&links.labor),
            seconds(&links.machine),
        ])
    };
    OutSheet {
        name: links_sheet_name(&delete.operation),
        columns: headings.map(|heading| OutColumn::new(heading.as_str())).into(),
        rows: (0..links.template.len()).filter_map(row).collect(),
        ..OutSheet::default()
    }
}

#[expect(clippy::cast_precision_loss, reason = "template IDs stay below 2^53")]
fn id_cell(id: i64) -> OutCell {
    OutCell::Number(id as f64)
}

fn number_cell(number: u32) -> OutCell {
    OutCell::Number(f64::from(number))
}

/// Groups IDs that failed with the same code and reasons.
fn group_unread(failed: &[(i64, Problem)]) -> Vec<UnreadIds> {
    let mut groups: Vec<(Vec<i64>, &Problem)> = Vec::new();
    for (id, problem) in failed {
        match groups.iter_mut().find(|(_, known)| known.code == problem.code && known.reasons == problem.reasons) {
            Some((ids, _)) => ids.push(*id),
            None => groups.push((vec![*id], problem)),
        }
    }
    groups.into_iter().map(|(ids, problem)| UnreadIds { ids: Ids::new(&ids), problem: problem.clone() }).collect()
}

/// Returns the processes by code, each with the number of templates that have it.
fn sum_processes(readings: &TemplateReadings) -> Vec<ProcessSum> {
    let listed: Option<HashSet<&str>> =
        readings.all_processes.as_ref().map(|listed| listed.iter().map(|(code, _)| code.as_str()).collect());
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
        templates: saturating_u32(templates.len()),
        listed: listed.as_ref().map(|listed| listed.contains(code)),
    };
    by_code.into_iter().map(sum).collect()
}

fn sum_templates(readings: &TemplateReadings, uses: Option<&TemplateUses>) -> Vec<TemplateSum> {
    let sum = |(&id, processes): (&i64, &Vec<TemplateProcess>)| {
        let used = uses.map(|uses| uses.get(id));
        TemplateSum {
            id,
            processes: saturating_u32(processes.len()),
            labor_seconds: total_seconds(processes.iter().filter_map(|process| process.labor)),
            machine_seconds: total_seconds(processes.iter().filter_map(|process| process.machine)),
            orders: used.map(|used| used.orders),
            running: used.map(|used| used.running),
        }
    };
    readings.templates.iter().map(sum).collect()
}

/// Returns the links in the order of the templates and of each template's processes. Facets are added later.
fn collect_links(readings: &TemplateReadings, processes: &[ProcessSum]) -> Links {
    let mut links = Links::default();
    for (template, template_processes) in (0..).zip(readings.templates.values()) {
        for process in template_processes {
            let Ok(index) = processes.binary_search_by(|known| known.code.as_str().cmp(&process.code)) else {
                continue;
            };
            links.template.push(template);
            links.process.push(saturating_u32(index));
            links.labor.push(process.labor.map(to_seconds));
            links.machine.push(process.machine.map(to_seconds));
            links.quality.push(process.quality);
            links.facets.push(0);
        }
    }
    links
}

/// Returns the sum of times in seconds. Sums integer ticks, because an empty sum of floats would be -0.
fn total_seconds(ticks: impl Iterator<Item = i64>) -> f64 {
    to_seconds(ticks.fold(0, i64::saturating_add))
}

#[expect(clippy::cast_precision_loss, reason = "a predicted time is far below 2^53 ticks")]
fn to_seconds(ticks: i64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND
}

/// The data in which facets are found.
struct FacetInput<'a> {
    readings: &'a TemplateReadings,
    templates: &'a [TemplateSum],
    processes: &'a [ProcessSum],
    uses: Option<&'a TemplateUses>,
}

/// Returns every facet for which data exist, and marks its links.
fn find_facets(input: &FacetInput<'_>, links: &mut Links) -> Vec<TemplateFacet> {
    let facets: Vec<Option<MarkedFacet>> = vec![
        Some(find_links_without_time(links)),
        Some(find_duplicate_links(links)),
        Some(find_similar_processes(input.processes, links)),
        find_unlisted_processes(input, links),
        find_orphan_processes(input),
        Some(find_empty_templates(input.templates)),
        find_unused_templates(input, links),
    ];
    let mark = |(index, marked): (usize, MarkedFacet)| {
        for link in &marked.links {
            if let Some(bits) = links.facets.get_mut(*link) {
                *bits |= 1 << index;
            }
        }
        TemplateFacet { links: saturating_u32(marked.links.len()), ..marked.facet }
    };
    facets.into_iter().flatten().enumerate().map(mark).collect()
}

/// A facet with the indexes of its links.
struct MarkedFacet {
    facet: TemplateFacet,
    links: Vec<usize>,
}

impl MarkedFacet {
    fn new(kind: FacetKind, about: FacetAbout, item_count: usize, links: Vec<usize>) -> Self {
        Self {
            facet: TemplateFacet { kind, about, count: saturating_u32(item_count), links: 0, names: Vec::new() },
            links,
        }
    }

    fn with_names(mut self, names: impl Iterator<Item = String>) -> Self {
        self.facet.names = names.take(MAX_NAMES).collect();
        self
    }
}

fn find_links_without_time(links: &Links) -> MarkedFacet {
    let times = links.labor.iter().zip(&links.machine).enumerate();
    let none = times.filter(|(_, (labor, machine))| labor.is_none() && machine.is_none()).map(|(link, _)| link);
    let none: Vec<usize> = none.collect();
    MarkedFacet::new(FacetKind::NoTime, FacetAbout::Links, none.len(), none)
}

fn find_duplicate_links(links: &Links) -> MarkedFacet {
    let mut links_by_pair: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    for (link, pair) in links.template.iter().copied().zip(links.process.iter().copied()).enumerate() {
        links_by_pair.entry(pair).or_default().push(link);
    }
    let mut duplicates: Vec<usize> = links_by_pair.into_values().filter(|same| same.len() > 1).flatten().collect();
    duplicates.sort_unstable();
    MarkedFacet::new(FacetKind::Twice, FacetAbout::Links, duplicates.len(), duplicates)
}

/// Finds processes whose descriptions differ only in case or whitespace.
fn find_similar_processes(processes: &[ProcessSum], links: &Links) -> MarkedFacet {
    let mut by_words: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (index, process) in (0..).zip(processes) {
        let words: Vec<String> = process.description.split_whitespace().map(str::to_lowercase).collect();
        if !words.is_empty() {
            by_words.entry(words.join(" ")).or_default().push(index);
        }
    }
    let indexes: HashSet<u32> = by_words.into_values().filter(|indexes| indexes.len() > 1).flatten().collect();
    MarkedFacet::new(FacetKind::Alike, FacetAbout::Processes, indexes.len(), links_of_processes(links, &indexes))
}

fn find_unlisted_processes(input: &FacetInput<'_>, links: &Links) -> Option<MarkedFacet> {
    input.readings.all_processes.as_ref()?;
    let unlisted = (0..).zip(input.processes).filter(|(_, process)| process.listed == Some(false));
    let indexes: HashSet<u32> = unlisted.map(|(index, _)| index).collect();
    Some(MarkedFacet::new(
        FacetKind::Unlisted,
        FacetAbout::Processes,
        indexes.len(),
        links_of_processes(links, &indexes),
    ))
}

fn find_orphan_processes(input: &FacetInput<'_>) -> Option<MarkedFacet> {
    let used: HashSet<&str> = input.processes.iter().map(|process| process.code.as_str()).collect();
    let listed: BTreeSet<&(String, String)> = input.readings.all_processes.as_ref()?.iter().collect();
    let orphans: Vec<_> = listed.into_iter().filter(|(code, _)| !used.contains(code.as_str())).collect();
    let marked = MarkedFacet::new(FacetKind::Unheld, FacetAbout::Processes, orphans.len(), Vec::new());
    Some(
        marked.with_names(
            orphans.into_iter().map(|(code, description)| format!("{code} {description}").trim().to_owned()),
        ),
    )
}

fn find_empty_templates(templates: &[TemplateSum]) -> MarkedFacet {
    let none = templates.iter().filter(|template| template.processes == 0);
    let marked = MarkedFacet::new(FacetKind::Empty, FacetAbout::Templates, none.clone().count(), Vec::new());
    marked.with_names(none.map(|template| template.id.to_string()))
}

/// Finds unused templates if all orders were read. Otherwise an apparently unused template may be in use.
fn find_unused_templates(input: &FacetInput<'_>, links: &Links) -> Option<MarkedFacet> {
    input.uses.filter(|uses| uses.complete)?;
    let none = || (0_u32..).zip(input.templates).filter(|(_, template)| template.orders == Some(0));
    let indexes: HashSet<u32> = none().map(|(index, _)| index).collect();
    let unused = links.template.iter().enumerate().filter(|(_, template)| indexes.contains(template));
    let unused_links = unused.map(|(link, _)| link).collect();
    let marked = MarkedFacet::new(FacetKind::Unused, FacetAbout::Templates, indexes.len(), unused_links);
    Some(marked.with_names(none().map(|(_, template)| template.id.to_string())))
}

fn links_of_processes(links: &Links, indexes: &HashSet<u32>) -> Vec<usize> {
    links.process.iter().enumerate().filter(|(_, process)| indexes.contains(process)).map(|(link, _)| link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_no_times_is_zero_and_not_minus_zero() {
        assert_eq!(total_seconds(std::iter::empty()).to_string(), "0");
        assert_eq!(total_seconds([10_000_000, 5_000_000].into_iter()).to_string(), "1.5");
    }

    fn process(code: &str, description: &str, labor: Option<i64>) -> TemplateProcess {
        TemplateProcess {
            code: code.to_owned(),
            description: description.to_owned(),
            labor,
            ..TemplateProcess::default()
        }
    }

    /// Template 1 has A twice and B, which isn't in the list. Template 2 is empty. Template 3 has C, described like A.
    fn readings() -> TemplateReadings {
        let (a, b, c) = (process("A", "Cut", Some(1)), process("B", "Drill", None), process("C", "cut ", Some(2)));
        let listed = ["A", "C", "D"].map(|code| (code.to_owned(), format!("{code} listed"))).to_vec();
        TemplateReadings {
            templates: BTreeMap::from([(1, vec![a.clone(), b, a]), (2, Vec::new()), (3, vec![c])]),
            all_processes: Some(listed),
            ..TemplateReadings::default()
        }
    }

    fn facets(readings: &TemplateReadings, uses: Option<&TemplateUses>) -> (Vec<TemplateFacet>, Vec<u32>) {
        let processes = sum_processes(readings);
        let templates = sum_templates(readings, uses);
        let mut links = collect_links(readings, &processes);
        let facets =
            find_facets(&FacetInput { readings, templates: &templates, processes: &processes, uses }, &mut links);
        (facets, links.facets)
    }

    #[test]
    fn each_facet_counts_its_things_and_marks_its_links() {
        let (facets, marks) = facets(&readings(), None);
        let marked_facet = |kind| {
            let index = facets.iter().position(|facet| facet.kind == kind).unwrap();
            let marked: Vec<usize> = (0..marks.len()).filter(|link| marks[*link] & (1 << index) != 0).collect();
            assert_eq!(facets[index].links as usize, marked.len());
            (facets[index].count, marked, facets[index].names.clone())
        };
        assert_eq!(marked_facet(FacetKind::NoTime), (1, vec![1], vec![]));
        assert_eq!(marked_facet(FacetKind::Twice), (2, vec![0, 2], vec![]));
        assert_eq!(marked_facet(FacetKind::Alike), (2, vec![0, 2, 3], vec![]));
        assert_eq!(marked_facet(FacetKind::Unlisted), (1, vec![1], vec![]));
        assert_eq!(marked_facet(FacetKind::Unheld), (1, vec![], vec!["D D listed".to_owned()]));
        assert_eq!(marked_facet(FacetKind::Empty), (1, vec![], vec!["2".to_owned()]));
        assert_eq!(facets.len(), 6, "without the orders nobody can tell what is unused");
    }

    #[test]
    fn without_the_list_nothing_is_an_orphan() {
        let (facets, _) = facets(&TemplateReadings { all_processes: None, ..readings() }, None);
        assert!(!facets.iter().any(|facet| matches!(facet.kind, FacetKind::Unlisted | FacetKind::Unheld)));
    }
}
