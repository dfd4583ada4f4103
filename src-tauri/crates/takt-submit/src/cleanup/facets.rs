//! What is worth a look among templates, found by itself: duplicates, orphans, processes without a time, templates of no use.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    FacetAbout, FacetKind, Links, ProcessSum, TemplateFacet, TemplateSum, matrix::count, reading::TemplateReadings,
    users::TemplateUses,
};

/// Names in one facet.
const MAX_NAMES: usize = 1_000;

/// What facets are found in.
pub(super) struct FacetInput<'a> {
    pub(super) readings: &'a TemplateReadings,
    pub(super) templates: &'a [TemplateSum],
    pub(super) processes: &'a [ProcessSum],
    pub(super) uses: Option<&'a TemplateUses>,
}

/// Every facet that could be looked for; each link is marked with those that it belongs to.
pub(super) fn find(seen: &FacetInput<'_>, links: &mut Links) -> Vec<TemplateFacet> {
    let facets: Vec<Option<Marked>> = vec![
        Some(no_time(links)),
        Some(twice(links)),
        Some(alike(seen.processes, links)),
        unlisted(seen, links),
        unheld(seen),
        Some(empty(seen.templates)),
        unused(seen, links),
    ];
    let mark = |(place, marked): (usize, Marked)| {
        for link in &marked.links {
            if let Some(bits) = links.facets.get_mut(*link) {
                *bits |= 1 << place;
            }
        }
        TemplateFacet { links: count(marked.links.len()), ..marked.facet }
    };
    facets.into_iter().flatten().enumerate().map(mark).collect()
}

/// A facet, and the positions of its links.
struct Marked {
    facet: TemplateFacet,
    links: Vec<usize>,
}

impl Marked {
    fn new(kind: FacetKind, about: FacetAbout, things: usize, links: Vec<usize>) -> Self {
        Self { facet: TemplateFacet { kind, about, count: count(things), links: 0, names: Vec::new() }, links }
    }

    fn named(mut self, names: impl Iterator<Item = String>) -> Self {
        self.facet.names = names.take(MAX_NAMES).collect();
        self
    }
}

fn no_time(links: &Links) -> Marked {
    let times = links.labor.iter().zip(&links.machine).enumerate();
    let none = times.filter(|(_, (labor, machine))| labor.is_none() && machine.is_none()).map(|(link, _)| link);
    let none: Vec<usize> = none.collect();
    Marked::new(FacetKind::NoTime, FacetAbout::Links, none.len(), none)
}

fn twice(links: &Links) -> Marked {
    let mut held: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    for (link, place) in links.template.iter().copied().zip(links.process.iter().copied()).enumerate() {
        held.entry(place).or_default().push(link);
    }
    let mut more: Vec<usize> = held.into_values().filter(|same| same.len() > 1).flatten().collect();
    more.sort_unstable();
    Marked::new(FacetKind::Twice, FacetAbout::Links, more.len(), more)
}

/// Descriptions are alike whatever their case and blanks.
fn alike(processes: &[ProcessSum], links: &Links) -> Marked {
    let mut same: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (place, process) in (0..).zip(processes) {
        let words: Vec<String> = process.description.split_whitespace().map(str::to_lowercase).collect();
        if !words.is_empty() {
            same.entry(words.join(" ")).or_default().push(place);
        }
    }
    let places: HashSet<u32> = same.into_values().filter(|places| places.len() > 1).flatten().collect();
    Marked::new(FacetKind::Alike, FacetAbout::Processes, places.len(), of_processes(links, &places))
}

fn unlisted(seen: &FacetInput<'_>, links: &Links) -> Option<Marked> {
    seen.readings.every.as_ref()?;
    let places = (0..).zip(seen.processes).filter(|(_, process)| process.listed == Some(false));
    let places: HashSet<u32> = places.map(|(place, _)| place).collect();
    Some(Marked::new(FacetKind::Unlisted, FacetAbout::Processes, places.len(), of_processes(links, &places)))
}

fn unheld(seen: &FacetInput<'_>) -> Option<Marked> {
    let held: HashSet<&str> = seen.processes.iter().map(|process| process.code.as_str()).collect();
    let every: BTreeSet<&(String, String)> = seen.readings.every.as_ref()?.iter().collect();
    let orphans: Vec<_> = every.into_iter().filter(|(code, _)| !held.contains(code.as_str())).collect();
    let marked = Marked::new(FacetKind::Unheld, FacetAbout::Processes, orphans.len(), Vec::new());
    Some(marked.named(orphans.into_iter().map(|(code, description)| format!("{code} {description}").trim().to_owned())))
}

fn empty(templates: &[TemplateSum]) -> Marked {
    let none = templates.iter().filter(|template| template.processes == 0);
    let marked = Marked::new(FacetKind::Empty, FacetAbout::Templates, none.clone().count(), Vec::new());
    marked.named(none.map(|template| template.id.to_string()))
}

/// Only where all orders were read: else a template that seems unused may be used.
fn unused(seen: &FacetInput<'_>, links: &Links) -> Option<Marked> {
    seen.uses.filter(|uses| uses.whole)?;
    let none = || (0_u32..).zip(seen.templates).filter(|(_, template)| template.orders == Some(0));
    let places: HashSet<u32> = none().map(|(place, _)| place).collect();
    let of_them = links.template.iter().enumerate().filter(|(_, template)| places.contains(template));
    let of_them = of_them.map(|(link, _)| link).collect();
    let marked = Marked::new(FacetKind::Unused, FacetAbout::Templates, places.len(), of_them);
    Some(marked.named(none().map(|(_, template)| template.id.to_string())))
}

fn of_processes(links: &Links, places: &HashSet<u32>) -> Vec<usize> {
    links.process.iter().enumerate().filter(|(_, place)| places.contains(place)).map(|(link, _)| link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleanup::{facts::ReadProcess, matrix};

    fn process(code: &str, description: &str, labor: Option<i64>) -> ReadProcess {
        ReadProcess { code: code.to_owned(), description: description.to_owned(), labor, ..ReadProcess::default() }
    }

    /// Template 1 holds A twice and B, which the list doesn't know; 2 holds nothing; 3 holds C, described as A is.
    fn readings() -> TemplateReadings {
        let (a, b, c) = (process("A", "Cut", Some(1)), process("B", "Drill", None), process("C", "cut ", Some(2)));
        let every = ["A", "C", "D"].map(|code| (code.to_owned(), format!("{code} listed"))).to_vec();
        TemplateReadings {
            templates: BTreeMap::from([(1, vec![a.clone(), b, a]), (2, Vec::new()), (3, vec![c])]),
            every: Some(every),
            ..TemplateReadings::default()
        }
    }

    fn facets(found: &TemplateReadings, uses: Option<&TemplateUses>) -> (Vec<TemplateFacet>, Vec<u32>) {
        let processes = matrix::processes(found);
        let templates = matrix::templates(found, uses);
        let mut links = matrix::links(found, &processes);
        let facets =
            find(&FacetInput { readings: found, templates: &templates, processes: &processes, uses }, &mut links);
        (facets, links.facets)
    }

    #[test]
    fn each_facet_counts_its_things_and_marks_its_links() {
        let (facets, marks) = facets(&readings(), None);
        let of = |kind| {
            let place = facets.iter().position(|facet| facet.kind == kind).unwrap();
            let marked: Vec<usize> = (0..marks.len()).filter(|link| marks[*link] & (1 << place) != 0).collect();
            assert_eq!(facets[place].links as usize, marked.len());
            (facets[place].count, marked, facets[place].names.clone())
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
        let (facets, _) = facets(&TemplateReadings { every: None, ..readings() }, None);
        assert!(!facets.iter().any(|facet| matches!(facet.kind, FacetKind::Unlisted | FacetKind::Unheld)));
    }
}
