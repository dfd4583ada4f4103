//! What is to be deleted is seen before: only of what was there can be said afterwards that it is gone.

use std::sync::Arc;

use takt_journal::{Change, ItemDetail, ItemSnapshot, item::StoredItem};

use super::{super::runner::RunCommand, Runner};
use takt_browse::read_back::{ReadBackResult, ServiceItem};
use takt_core::Problem;
use takt_core::blocking::run_blocking;

impl Runner {
    /// Looks at items of a delete of which nothing was seen yet. What can't be seen isn't sent: a delete can't be undone without the
    /// earlier values, and nobody could tell afterwards whether it was there. False where a person wants something else meanwhile.
    pub(super) async fn snapshot_before_delete(&mut self, items: &[StoredItem]) -> Result<bool, Problem> {
        if !self.route.target.deletes {
            return Ok(true);
        }
        let Some(reader) = self.read_backs.reader() else { return Ok(true) };
        let unseen = self.unseen(items).await?;
        if unseen.is_empty() {
            return Ok(true);
        }
        let mut command = self.command.clone();
        let other = async {
            if command.wait_for(|command| *command != RunCommand::Continue).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let found = tokio::select! {
            found = reader.read_before_delete(&unseen) => found?,
            () = other => return Ok(false),
        };
        let fault = found.iter().find_map(|found| match found.item {
            ServiceItem::Inconclusive(fault) => Some(fault),
            ServiceItem::Holds(_) | ServiceItem::Absent | ServiceItem::ContainerMissing(_) => None,
        });
        self.store_snapshots(unseen, found).await?;
        fault.map_or(Ok(true), |fault| Err(reader.problem_of(fault)))
    }

    async fn unseen(&self, items: &[StoredItem]) -> Result<Vec<ItemDetail>, Problem> {
        let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
        let (shared, id) = (Arc::clone(&self.route.shared), self.route.run.submission());
        let unseen = run_blocking(move || Ok(shared.journal.unseen_items(id, &numbers)?)).await?;
        let of_them = items.iter().filter(|item| unseen.contains(&item.number));
        Ok(of_them.map(as_kept).collect())
    }

    async fn store_snapshots(&self, items: Vec<ItemDetail>, found: Vec<ReadBackResult>) -> Result<(), Problem> {
        let look = |(item, found): (ItemDetail, ReadBackResult)| match found.item {
            ServiceItem::Holds(_) => {
                let (before, neighbors) = (Some(item.body), found.neighbors);
                Some(ItemSnapshot { item: item.number, change: Change::Changed, before, neighbors })
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => {
                Some(ItemSnapshot { item: item.number, change: Change::Same, before: None, neighbors: Vec::new() })
            }
            ServiceItem::Inconclusive(_) => None,
        };
        let looks: Vec<ItemSnapshot> = items.into_iter().zip(found).filter_map(look).collect();
        let (shared, run) = (Arc::clone(&self.route.shared), Arc::clone(&self.route.run));
        run_blocking(move || Ok(shared.journal.store_snapshots(&run, &looks)?)).await
    }
}

fn as_kept(item: &StoredItem) -> ItemDetail {
    ItemDetail {
        number: item.number,
        key: item.key.clone(),
        body: serde_json::from_str(&item.body).unwrap_or_default(),
        before: None,
        neighbors: Vec::new(),
        change: None,
        reasons: Vec::new(),
        unknown_attempts: item.unknown_attempts,
        rows: Vec::new(),
    }
}
