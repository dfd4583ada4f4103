//! Reads items before they are deleted, because only then can their deletion be proven afterwards.

use std::sync::Arc;

use takt_journal::{Change, ItemDetail, ItemSnapshot, item::StoredItem};

use super::{super::runs::RunCommand, Runner};
use takt_browse::read_back::{ReadBackResult, ServiceItem};
use takt_core::Problem;
use takt_core::blocking::run_blocking;

impl Runner {
    /// Reads and stores the current values of items to delete, unless they are stored already.
    ///
    /// Unreadable items aren't deleted: without the values the delete can't be undone, and nothing would prove that an
    /// item existed. Returns false if the user gave a command meanwhile.
    pub(super) async fn snapshot_before_delete(&mut self, items: &[StoredItem]) -> Result<bool, Problem> {
        if !self.ctx.target.deletes {
            return Ok(true);
        }
        let Some(reader) = self.read_backs.reader() else { return Ok(true) };
        let unread = self.without_snapshot(items).await?;
        if unread.is_empty() {
            return Ok(true);
        }
        let mut command = self.command.clone();
        let other_command = async {
            if command.wait_for(|command| *command != RunCommand::Continue).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let found = tokio::select! {
            found = reader.read_before_delete(&unread) => found?,
            () = other_command => return Ok(false),
        };
        let fault = found.iter().find_map(|found| match found.item {
            ServiceItem::Inconclusive(fault) => Some(fault),
            ServiceItem::Holds(_) | ServiceItem::Absent | ServiceItem::ContainerMissing(_) => None,
        });
        self.store_snapshots(unread, found).await?;
        fault.map_or(Ok(true), |fault| Err(reader.problem_of(fault)))
    }

    async fn without_snapshot(&self, items: &[StoredItem]) -> Result<Vec<ItemDetail>, Problem> {
        let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
        let (shared, id) = (Arc::clone(&self.ctx.shared), self.ctx.run.submission());
        let numbers_without = run_blocking(move || Ok(shared.journal.unseen_items(id, &numbers)?)).await?;
        let unread = items.iter().filter(|item| numbers_without.contains(&item.number));
        Ok(unread.map(to_detail).collect())
    }

    async fn store_snapshots(&self, items: Vec<ItemDetail>, found: Vec<ReadBackResult>) -> Result<(), Problem> {
        let to_snapshot = |(item, found): (ItemDetail, ReadBackResult)| match found.item {
            ServiceItem::Holds(_) => {
                let (before, neighbors) = (Some(item.body), found.neighbors);
                Some(ItemSnapshot { item: item.number, change: Change::Changed, before, neighbors })
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => {
                Some(ItemSnapshot { item: item.number, change: Change::Same, before: None, neighbors: Vec::new() })
            }
            ServiceItem::Inconclusive(_) => None,
        };
        let snapshots: Vec<ItemSnapshot> = items.into_iter().zip(found).filter_map(to_snapshot).collect();
        let (shared, run) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run));
        run_blocking(move || Ok(shared.journal.store_snapshots(&run, &snapshots)?)).await
    }
}

fn to_detail(item: &StoredItem) -> ItemDetail {
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
