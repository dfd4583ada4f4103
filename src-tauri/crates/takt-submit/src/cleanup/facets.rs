//! Finds suspicious templates and links: duplicates, orphans, processes without a time, unused templates.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    template_set::TemplateReadings,
    users::TemplateUses,
    view::{FacetAbout, FacetKind, Links, ProcessSum, TemplateFacet, TemplateSum, count},
};

/// The most names in one facet.
const MAX_NAMES: usize = 1_000;

/// The data in which facets are found.
pub(super) struct FacetInput<'a> {
    pub(super) readings: &'a TemplateReadings,
    pub(super) templates: &'a [TemplateSum],
    pub(super) processes: &'a [ProcessSum],
    pub(super) uses: Option<&'a TemplateUses>,
}

/// Returns every facet for which data exist, and marks its links.
pub(super) fn find(input: &FacetInput<'_>, links: &mut Links) -> Vec<TemplateFacet> {
    let facets: Vec<Option<MarkedFacet>> = vec![
        Some(no_time(links)),
        Some(twice(links)),
        Some(alike(input.processes, links)),
        unlisted(input, links),
        unheld(input),
        Some(empty(input.templates)),
        unused(input, links),
    ];
    let mark = |(index, marked): (usize, MarkedFacet)| {
        for link in &marked.links {
            if let Some(bits) = links.facets.get_mut(*link) {
                *bits |= 1 << index;
            }
        }
        TemplateFacet { links: count(marked.links.len()), ..marked.facet }
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
        Self { facet: TemplateFacet { kind, about, count: count(item_count), links: 0, names: Vec::new() }, links }
    }

    fn with_names(mut self, names: impl Iterator<Item = String>) -> Self {
        self.facet.names = names.take(MAX_NAMES).collect();
        self
    }
}

fn no_time(links: &Links) -> MarkedFacet {
    let times = links.labor.iter().zip(&links.machine).enumerate();
    let none = times.filter(|(_, (labor, machine))| labor.is_none() && machine.is_none()).map(|(link, _)| link);
    let none: Vec<usize> = none.collect();
    MarkedFacet::new(FacetKind::NoTime, FacetAbout::Links, none.len(), none)
}

fn twice(links: &Links) -> MarkedFacet {
    let mut links_by_pair: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    for (link, pair) in links.template.iter().copied().zip(links.process.iter().copied()).enumerate() {
        links_by_pair.entry(pair).or_default().push(link);
    }
    let mut duplicates: Vec<usize> = links_by_pair.into_values().filter(|same| same.len() > 1).flatten().collect();
    duplicates.sort_unstable();
    MarkedFacet::new(FacetKind::Twice, FacetAbout::Links, duplicates.len(), duplicates)
}

/// Descriptions are compared without case and blanks.
fn alike(processes: &[ProcessSum], links: &Links) -> MarkedFacet {
    let mut by_words: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (index, process) in (0..).zip(processes) {
        let words: Vec<String> = process.description.split_whitespace().map(str::to_lowercase).collect();
        if !words.is_empty() {
            by_words.entry(words.join(" ")).or_default().push(index);
        }
    }
    let indexes: HashSet<u32> = by_words.into_values().filter(|indexes| indexes.len() > 1).flatten().collect();
    MarkedFacet::new(FacetKind::Alike, FacetAbout::Processes, indexes.len(), of_processes(links, &indexes))
}

fn unlisted(input: &FacetInput<'_>, links: &Links) -> Option<MarkedFacet> {
    input.readings.listed.as_ref()?;
    let unlisted = (0..).zip(input.processes).filter(|(_, process)| process.listed == Some(false));
    let indexes: HashSet<u32> = unlisted.map(|(index, _)| index).collect();
    Some(MarkedFacet::new(FacetKind::Unlisted, FacetAbout::Processes, indexes.len(), of_processes(links, &indexes)))
}

fn unheld(input: &FacetInput<'_>) -> Option<MarkedFacet> {
    let used: HashSet<&str> = input.processes.iter().map(|process| process.code.as_str()).collect();
    let listed: BTreeSet<&(String, String)> = input.readings.listed.as_ref()?.iter().collect();
    let orphans: Vec<_> = listed.into_iter().filter(|(code, _)| !used.contains(code.as_str())).collect();
    let marked = MarkedFacet::new(FacetKind::Unheld, FacetAbout::Processes, orphans.len(), Vec::new());
    Some(
        marked.with_names(
            orphans.into_iter().map(|(code, description)| format!("{code} {description}").trim().to_owned()),
        ),
    )
}

fn empty(templates: &[TemplateSum]) -> MarkedFacet {
    let none = templates.iter().filter(|template| template.processes == 0);
    let marked = MarkedFacet::new(FacetKind::Empty, FacetAbout::Templates, none.clone().count(), Vec::new());
    marked.with_names(none.map(|template| template.id.to_string()))
}

/// Finds unused templates if all orders were read. Otherwise an apparently unused template may be in use.
fn unused(input: &FacetInput<'_>, links: &Links) -> Option<MarkedFacet> {
    input.uses.filter(|uses| uses.complete)?;
    let none = || (0_u32..).zip(input.templates).filter(|(_, template)| template.orders == Some(0));
    let indexes: HashSet<u32> = none().map(|(index, _)| index).collect();
    let unused = links.template.iter().enumerate().filter(|(_, template)| indexes.contains(template));
    let unused_links = unused.map(|(link, _)| link).collect();
    let marked = MarkedFacet::new(FacetKind::Unused, FacetAbout::Templates, indexes.len(), unused_links);
    Some(marked.with_names(none().map(|(_, template)| template.id.to_string())))
}

fn of_processes(links: &Links, indexes: &HashSet<u32>) -> Vec<usize> {
    links.process.iter().enumerate().filter(|(_, process)| indexes.contains(process)).map(|(link, _)| link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleanup::{facts::ReadProcess, matrix};

    fn process(code: &str, description: &str, labor: Option<i64>) -> ReadProcess {
        ReadProcess { code: code.to_owned(), description: description.to_owned(), labor, ..ReadProcess::default() }
    }

    /// Template 1 has A twice and B, which isn't in the list. Template 2 is empty. Template 3 has C, described like A.
    fn readings() -> TemplateReadings {
        let (a, b, c) = (process("A", "Cut", Some(1)), process("B", "Drill", None), process("C", "cut ", Some(2)));
        let listed = ["A", "C", "D"].map(|code| (code.to_owned(), format!("{code} listed"))).to_vec();
        TemplateReadings {
            templates: BTreeMap::from([(1, vec![a.clone(), b, a]), (2, Vec::new()), (3, vec![c])]),
            listed: Some(listed),
            ..TemplateReadings::default()
        }
    }

    fn facets(readings: &TemplateReadings, uses: Option<&TemplateUses>) -> (Vec<TemplateFacet>, Vec<u32>) {
        let processes = matrix::processes(readings);
        let templates = matrix::templates(readings, uses);
        let mut links = matrix::links(readings, &processes);
        let facets = find(&FacetInput { readings, templates: &templates, processes: &processes, uses }, &mut links);
        (facets, links.facets)
    }

    #[test]
    fn each_facet_counts_its_things_and_marks_its_links() {
        let (facets, marks) = facets(&readings(), None);
        let of = |kind| {
            let index = facets.iter().position(|facet| facet.kind == kind).unwrap();
            let marked: Vec<usize> = (0..marks.len()).filter(|link| marks[*link] & (1 << index) != 0).collect();
            assert_eq!(facets[index].links as usize, marked.len());
            (facets[index].count, marked, facets[index].names.clone())
        };
        assert_eq!(of(FacetKind::NoTime), (1, vec![1], vec![]));
        assert_eq!(of(FacetKind::Twice), (2, vec![0, 2], vec![]));
        assert_eq!(of(FacetKind::Alike), (2, vec![0, 2, 3], vec![]));
        assert_eq!(of(FacetKind::Unlisted), (1, vec![1], vec![]));
        assert_eq!(of(FacetKind::Unheld), (1, vec![], vec!["D D listed".to_owned()]));
        assert_eq!(of(FacetKind::Empty), (1, vec![], vec!["2".to_owned()]));
        assert_eq!(facets.len(), 6, "without the orders nobody can tell what is unused");
    }

    #[test]
    fn without_the_list_nothing_is_an_orphan() {
        let (facets, _) = facets(&TemplateReadings { listed: None, ..readings() }, None);
        assert!(!facets.iter().any(|facet| matches!(facet.kind, FacetKind::Unlisted | FacetKind::Unheld)));
    }
}
