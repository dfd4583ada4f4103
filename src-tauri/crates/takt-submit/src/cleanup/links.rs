//! Converts links to items of a submission.

use std::collections::HashSet;
use takt_core::ExcelRow;

use takt_core::{Item, RowId};

use crate::link::{CleanupLink, Link};

/// Converts each link to an item, once. An item's row is its index in the list, since there is no file.
#[must_use]
pub fn links_to_items(links: &[Link]) -> Vec<Item> {
    let mut seen = HashSet::new();
    let distinct = links.iter().filter(|link| seen.insert(*link));
    (1..).zip(distinct).map(|(row, link)| link_item(row, link)).collect()
}

/// Returns an item for each distinct link, and the links with the known data of their processes.
pub(super) fn items_and_links(links: &[CleanupLink]) -> (Vec<Item>, Vec<CleanupLink>) {
    let mut seen: HashSet<&Link> = HashSet::new();
    let distinct: Vec<CleanupLink> = links.iter().filter(|link| seen.insert(&link.link)).cloned().collect();
    let plain: Vec<Link> = distinct.iter().map(|link| link.link.clone()).collect();
    (links_to_items(&plain), distinct)
}

pub(super) fn link_key(link: &Link) -> String {
    format!("{} · {} · {}", link.template_id, link.process_code, link.operation_code)
}

fn link_item(row: u32, link: &Link) -> Item {
    Item {
        rows: vec![RowId { sheet: String::new(), row: ExcelRow::new(row) }],
        key: link_key(link),
        body: serde_json::to_value(link).unwrap_or_default(),
        ..Item::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_link_once_in_order() {
        let link = |template_id, process: &str| Link {
            template_id,
            process_code: process.to_owned(),
            operation_code: "010".to_owned(),
        };
        let items = links_to_items(&[link(2, "IP-01"), link(1, "IP-01"), link(2, "IP-01")]);
        assert_eq!(
            items.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(),
            ["2 · IP-01 · 010", "1 · IP-01 · 010"]
        );
        assert_eq!(
            items.iter().map(|item| item.rows.clone()).map(|rows| rows[0].row.get()).collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(items[0].body, json!({ "templateId": 2, "processCode": "IP-01", "operationCode": "010" }));
    }
}
