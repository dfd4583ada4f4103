//! The pages of the help: their list, order, texts in each language, and pictures.

use serde::{Deserialize, Serialize};
use takt_contract::{Contract, OperationKind};
use takt_core::Language;

use crate::reference;

/// The prefix of the ID of an operation's page, for example `operation-work-orders.sync`.
const OPERATION_ID_PREFIX: &str = "operation-";

/// The subject of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum HelpGroup {
    /// A task, such as connecting a site.
    Task,
    /// A page of the window.
    Screen,
    /// The fields of an operation, generated from the contract.
    Operation,
}

/// A page of the help in one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HelpPage {
    /// For example `check`, or `operation-work-orders.sync`.
    pub id: String,
    pub group: HelpGroup,
    pub title: String,
    /// Markdown with its first heading. Other pages are linked as `check.md`, pictures as `../pictures/check.png`.
    pub text: String,
}

struct WrittenPage {
    id: &'static str,
    group: HelpGroup,
    en: &'static str,
    de: &'static str,
    es: &'static str,
    pt: &'static str,
}

macro_rules! written_pages {
    ($($group:ident: $($id:literal)+;)+) => {
        &[$($(WrittenPage {
            id: $id,
            group: HelpGroup::$group,
            en: include_str!(concat!("../../../../docs/help/en/", $id, ".md")),
            de: include_str!(concat!("../../../../docs/help/de/", $id, ".md")),
            es: include_str!(concat!("../../../../docs/help/es/", $id, ".md")),
            pt: include_str!(concat!("../../../../docs/help/pt/", $id, ".md")),
        },)+)+]
    };
}

/// The written pages, in the order in which users need them.
const WRITTEN_PAGES: &[WrittenPage] = written_pages! {
    Task: "first-steps" "prepare-a-workbook" "fix-and-send-again" "unconfirmed-rows" "undo" "move-plans" "receive-events"
        "connect-a-site" "team" "problems" "keyboard" "command-line";
    Screen: "home" "file" "columns" "check" "preview" "send" "results" "browse" "order" "events" "floor" "answers"
        "forwarding" "templates" "graphql" "history" "plant" "settings" "contract";
};

macro_rules! pictures {
    ($($id:literal)*) => { &[$(($id, include_bytes!(concat!("../../../../docs/help/pictures/", $id, ".png")))),*] };
}

/// PNG files by page ID.
const PICTURES: &[(&str, &[u8])] = pictures! {
    "home" "today" "file" "columns" "check" "preview" "send" "results" "browse" "order" "events" "floor" "answers" "forwarding" "templates" "graphql" "history" "plant" "settings"
};

/// Returns all pages in a language: the written ones, then one for each operation of the contract in force.
#[must_use]
pub fn pages(contract: &Contract, language: Language) -> Vec<HelpPage> {
    let written = WRITTEN_PAGES.iter().map(|page| {
        let text = match language {
            Language::En => page.en,
            Language::De => page.de,
            Language::Es => page.es,
            Language::Pt => page.pt,
        };
        HelpPage { id: page.id.to_owned(), group: page.group, title: first_heading(text), text: text.to_owned() }
    });
    // Operations for free queries have no page, since they have no fields.
    let described = contract.operations().iter().filter(|operation| operation.kind != OperationKind::Query);
    let generated = described.map(|operation| {
        let text = reference::operation_text(contract, operation, language);
        let id = format!("{OPERATION_ID_PREFIX}{}", operation.id);
        HelpPage { id, group: HelpGroup::Operation, title: first_heading(&text), text }
    });
    written.chain(generated).collect()
}

/// Returns a picture as PNG, or `None` if the page has none.
#[must_use]
pub fn picture(id: &str) -> Option<&'static [u8]> {
    PICTURES.iter().find(|(name, _)| *name == id).map(|(_, bytes)| *bytes)
}

/// Returns the IDs of the pages with pictures.
pub fn picture_ids() -> impl Iterator<Item = &'static str> {
    PICTURES.iter().map(|(id, _)| *id)
}

fn first_heading(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches('#').trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use takt_contract::Contract;
    use takt_core::Language;

    use super::{HelpGroup, PICTURES, WRITTEN_PAGES, pages, picture};

    fn links(text: &str) -> Vec<&str> {
        let ends = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
        ends.filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
    }

    #[test]
    fn every_file_is_a_page_and_every_picture_has_one() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/help");
        let ids: BTreeSet<String> = WRITTEN_PAGES.iter().map(|page| page.id.to_owned()).collect();
        for (folder, extension) in [("en", "md"), ("de", "md"), ("es", "md"), ("pt", "md"), ("pictures", "png")] {
            let files: BTreeSet<String> = fs::read_dir(docs.join(folder))
                .expect(folder)
                .filter_map(|entry| entry.expect(folder).file_name().into_string().ok())
                .filter_map(|name| name.strip_suffix(&format!(".{extension}")).map(str::to_owned))
                .collect();
            let expected = if folder == "pictures" {
                PICTURES.iter().map(|(id, _)| (*id).to_owned()).collect()
            } else {
                ids.clone()
            };
            assert_eq!(files, expected, "docs/help/{folder}");
        }
    }

    #[test]
    fn pages_are_alike_in_every_language_and_link_to_pages_and_pictures_that_exist() {
        let contract = Contract::builtin().expect("the built-in contract");
        let english = pages(&contract, Language::En);
        let ids: BTreeSet<&str> = english.iter().map(|page| page.id.as_str()).collect();
        let headings = |text: &str| text.lines().filter(|line| line.starts_with('#')).count();
        for language in Language::ALL {
            for (page, first) in pages(&contract, language).iter().zip(&english) {
                let name = format!("{} in {language:?}", page.id);
                assert!(!page.title.is_empty() && page.text.starts_with("# "), "{name} begins with its title");
                assert_eq!(headings(&page.text), headings(&first.text), "headings of {name}");
                if page.group != HelpGroup::Operation {
                    assert_eq!(links(&page.text), links(&first.text), "links of {name}");
                }
                for link in links(&page.text) {
                    let pictured = link.strip_prefix("../pictures/").and_then(|name| name.strip_suffix(".png"));
                    let linked = link.strip_suffix(".md").is_some_and(|id| ids.contains(id));
                    assert!(pictured.is_some_and(|id| picture(id).is_some()) || linked, "{name} links to {link}");
                }
            }
        }
    }
}
