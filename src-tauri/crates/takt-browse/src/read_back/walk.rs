//! Decides which reads are sent: narrowed reads for few items, or the whole list page by page for many. Stores only
//! rows that match an item, and only until they are compared.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::mem;

use serde_json::Value;
use takt_client::{Canceller, Client, ClientError, ListFault, RetryPolicy, Rows, run_blocking_here};
use takt_contract::FieldPair;
use takt_sites::SeenPaths;

use crate::read_back::definition::ReadBack;
use crate::read_back::item_index::{Groups, ItemIndex, ReadBackItems};
use crate::read_back::result::{MatchedRows, ReadBackFault, ReadBackResult, ServiceItem};
use crate::read_back::row_members::RowMembers;
use crate::read_back::scalar::member_text;
use crate::request::ListRequest;

/// Up to this many narrowed reads are sent without first checking the list's length.
const MAX_DIRECT_READS: usize = 2;
/// Matched rows are compared once there are this many, in the items' order, because items of a large file are built
/// sequentially.
const MAX_MATCHED: usize = 5_000;
/// The number of queued rows that are compared per received row, so that the next page doesn't wait for all of them.
const QUEUED_PER_ROW: usize = 2;
/// The maximum number of neighbors that are stored per list.
const MAX_NEIGHBORS: usize = 200;
/// The maximum number of neighbors that are returned per item.
const MAX_NEIGHBORS_PER_ITEM: usize = 8;

/// The progress of a read-back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// The number of responses received.
    pub requests: u32,
    /// The total number of requests, if it can be estimated.
    pub total: Option<u32>,
}

/// The callbacks of a read-back. `on_item` is called once per item, in any order.
pub struct ReadBackObserver<'a> {
    pub on_item: &'a mut (dyn FnMut(usize, ReadBackResult) + Send),
    pub on_progress: &'a mut (dyn FnMut(ReadProgress) + Send),
}

impl std::fmt::Debug for ReadBackObserver<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ReadBackObserver").finish_non_exhaustive()
    }
}

impl ReadBack {
    /// Like [`Self::read`], but reports each item as soon as it is known.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: a read of the list failed or was canceled. Results reported before remain valid.
    pub async fn read_each(
        &self,
        client: &Client,
        items: &dyn ReadBackItems,
        canceller: &Canceller,
        observer: &mut ReadBackObserver<'_>,
    ) -> Result<(), ClientError> {
        let index = ItemIndex::build(self, items).await;
        self.read_indexed(client, items, index, canceller, observer).await
    }

    /// Like [`Self::read_each`], with an index of all items.
    ///
    /// # Errors
    ///
    /// As for [`Self::read_each`].
    pub async fn read_indexed(
        &self,
        client: &Client,
        items: &dyn ReadBackItems,
        index: ItemIndex,
        canceller: &Canceller,
        observer: &mut ReadBackObserver<'_>,
    ) -> Result<(), ClientError> {
        let mut walk = ReadBackWalk::new(self, client, items, index, canceller, observer);
        walk.run().await
    }

    /// Like [`Self::read_each`]. For `expected`, see [`Self::read_with_neighbors`].
    pub(super) async fn read_each_expecting(
        &self,
        client: &Client,
        items: &dyn ReadBackItems,
        expected: &[Vec<String>],
        canceller: &Canceller,
        observer: &mut ReadBackObserver<'_>,
    ) -> Result<(), ClientError> {
        let index = ItemIndex::build(self, items).await;
        let mut walk = ReadBackWalk::new(self, client, items, index, canceller, observer);
        walk.expected = expected;
        walk.run().await
    }
}

struct ReadBackWalk<'a, 'b, 'c> {
    read_back: &'a ReadBack,
    client: &'a Client,
    items: &'a dyn ReadBackItems,
    canceller: &'a Canceller,
    observer: &'b mut ReadBackObserver<'c>,
    index: ItemIndex,
    /// At most this many items can match the same row.
    max_items_per_row: usize,
    members: RowMembers,
    reported: Vec<bool>,
    open_items: usize,
    /// Rows with the items that they may be, not yet queued.
    matched: Vec<(usize, Value)>,
    /// Rows to compare with their items, in the items' order.
    queued: VecDeque<(usize, Value)>,
    /// Results of items that match several rows.
    multi_row_results: HashMap<usize, MatchedRows>,
    progress: ReadProgress,
    /// True if a row of the current list has no key.
    malformed: bool,
    /// The keys of other rows that must exist, by the items' positions.
    expected: &'a [Vec<String>],
    /// The expected keys that the current list hasn't shown yet.
    missing: HashSet<String>,
    /// Keys of the first and last rows of the current list that belong to no item.
    neighbors: Vec<String>,
    /// The paths of single things that earlier reads showed, and that this one showed.
    seen: SeenPaths,
    current_paths: BTreeSet<String>,
}

/// The result of reading a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListReading {
    /// The list can't be read, or narrowed reads take fewer requests.
    NotRead,
    /// Every row was read, or every item was found.
    Complete,
    ContainerMissing(u16),
    Faulty(ReadBackFault),
}

impl<'a, 'b, 'c> ReadBackWalk<'a, 'b, 'c> {
    fn new(
        read_back: &'a ReadBack,
        client: &'a Client,
        items: &'a dyn ReadBackItems,
        index: ItemIndex,
        canceller: &'a Canceller,
        observer: &'b mut ReadBackObserver<'c>,
    ) -> Self {
        let multi_row_results =
            index.all_multi_row_items().map(|position| (position, MatchedRows::default())).collect();
        let (reported, open_items) = (vec![false; items.count()], items.count());
        let (matched, queued, progress) = (Vec::new(), VecDeque::new(), ReadProgress::default());
        let (max_items_per_row, members) = (index.max_items_per_row(), RowMembers::for_read_back(read_back));
        Self {
            read_back,
            client,
            items,
            canceller,
            observer,
            index,
            max_items_per_row,
            members,
            reported,
            open_items,
            matched,
            queued,
            multi_row_results,
            progress,
            malformed: false,
            expected: &[],
            missing: HashSet::new(),
            neighbors: Vec::new(),
            seen: SeenPaths::default(),
            current_paths: BTreeSet::new(),
        }
    }

    async fn run(&mut self) -> Result<(), ClientError> {
        if self.items.count() == 0 {
            return Ok(());
        }
        let groups = self.index.take_groups();
        let starts_narrowed =
            self.read_back.requires_parameters() || (!groups.is_empty() && groups.len() <= MAX_DIRECT_READS);
        let mut list = ListReading::NotRead;
        if !starts_narrowed {
            list = self.read_whole_list(Some(groups.len()).filter(|groups| *groups > 0)).await?;
        }
        if list == ListReading::NotRead {
            self.load_seen_paths();
            let read = self.read_narrowed(&groups).await;
            self.store_seen_paths();
            read?;
        }
        drop(groups);
        // A read that is narrowed by other fields than the key may miss an item that the whole list shows.
        if list == ListReading::NotRead
            && self.open_items > 0
            && !self.read_back.requires_parameters()
            && !self.narrows_by_key()
        {
            list = self.read_whole_list(None).await?;
        }
        self.report_all_open(list);
        Ok(())
    }

    /// Returns true if reads are narrowed only by the key, so that a complete response proves absence.
    fn narrows_by_key(&self) -> bool {
        let asks = &self.read_back.declaration.asks;
        !asks.is_empty()
            && asks.iter().all(|asks| self.read_back.declaration.key.iter().any(|pair| pair.own == asks.own))
    }

    /// Reads the whole list until every item is found. Stops after the first page if `groups` narrowed reads take fewer
    /// requests.
    async fn read_whole_list(&mut self, groups: Option<usize>) -> Result<ListReading, ClientError> {
        let Some(request) = self.narrowed_request(&[]) else { return Ok(ListReading::NotRead) };
        let mut pages = request.pages(self.client);
        let requests_before = self.progress.requests;
        self.begin_list(self.expected.iter().flatten().cloned().collect());
        loop {
            let page = match pages.next(self.canceller).await {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(ClientError::NotUnderstood { status, reason, .. }) => {
                    tracing::warn!(
                        list = self.read_back.list(),
                        status,
                        reason,
                        "a list that is read back is malformed"
                    );
                    self.malformed = true;
                    break;
                }
                Err(error) => {
                    // Compare the rows that were read before.
                    self.compare_all();
                    return Err(error);
                }
            };
            let progress = page.progress;
            self.count_response(progress.pages.map(|pages| requests_before + pages));
            let fewer = |groups: usize| progress.pages.is_some_and(|pages| groups + 1 < pages as usize);
            let can_read_narrowed = progress.page == 1 && groups.is_some_and(fewer);
            if !can_read_narrowed && self.has_open_items_after(page.rows.len()) {
                pages.prefetch_next(self.canceller);
            }
            run_blocking_here(|| self.match_page(&page.rows));
            if can_read_narrowed {
                self.compare_queued(usize::MAX);
                if self.open_items > self.matched.len() {
                    self.compare_all();
                    return Ok(ListReading::NotRead);
                }
            }
            if self.open_items == 0 {
                break;
            }
        }
        self.compare_all();
        Ok(self.judge_list(pages.fault()))
    }

    /// Sends one read for each group of items.
    async fn read_narrowed(&mut self, groups: &Groups) -> Result<(), ClientError> {
        let requests_before = self.progress.requests;
        for positions in groups.iter() {
            let first_open =
                positions.iter().map(|&position| position as usize).find(|position| !self.is_reported(*position));
            let Some(position) = first_open else { continue };
            let Some(request) = self.narrowed_request(&self.filter_parameter_values(position)) else {
                self.report_open(positions, &ServiceItem::Inconclusive(ReadBackFault::MissingKey));
                continue;
            };
            self.count_response(u32::try_from(groups.len()).ok().map(|groups| requests_before + groups));
            let reading = self.read_group(&request, positions).await?;
            // If reads are narrowed by other fields than the key, the whole list decides.
            if self.read_back.requires_parameters() || self.narrows_by_key() {
                match reading {
                    ListReading::Complete => {
                        positions.iter().for_each(|&position| self.report_after_reads(position as usize))
                    }
                    ListReading::ContainerMissing(status) => {
                        self.report_open(positions, &ServiceItem::ContainerMissing(status));
                    }
                    ListReading::Faulty(fault) => self.report_open(positions, &ServiceItem::Inconclusive(fault)),
                    ListReading::NotRead => {}
                }
            }
        }
        Ok(())
    }

    /// Returns the values that narrow an item's read.
    fn filter_parameter_values(&self, position: usize) -> Vec<String> {
        let mut values = Vec::new();
        self.items.with_body(position, &mut |body| {
            values =
                self.read_back.declaration.asks.iter().map(|asks| member_text(body, &asks.own).into_owned()).collect();
        });
        values
    }

    async fn read_group(&mut self, request: &ListRequest, positions: &[u32]) -> Result<ListReading, ClientError> {
        let expected = positions.iter().filter_map(|&position| self.expected.get(position as usize));
        // A read that is narrowed to an item doesn't show neighboring rows.
        let expected =
            if self.read_back.requires_parameters() { expected.flatten().cloned().collect() } else { HashSet::new() };
        self.begin_list(expected);
        let read = self.read_group_rows(request, positions).await;
        match read {
            Ok(fault) => {
                let reading = self.judge_list(fault);
                if self.read_back.requires_parameters() && !self.malformed {
                    self.current_paths.insert(request.path().to_owned());
                }
                Ok(reading)
            }
            Err(error) if request.is_absence(&error) => {
                let status = error.status().unwrap_or_default();
                let is_lost = self.seen.contains(request.path());
                Ok(if is_lost {
                    ListReading::Faulty(ReadBackFault::ContainerLost(status))
                } else {
                    ListReading::ContainerMissing(status)
                })
            }
            Err(ClientError::NotUnderstood { status, reason, .. }) => {
                tracing::warn!(
                    list = self.read_back.list(),
                    status,
                    reason,
                    "a response that is read back is malformed"
                );
                Ok(ListReading::Faulty(ReadBackFault::Malformed))
            }
            // A proxy or gateway responded: the status is one of the contract's, but the body isn't in its form.
            Err(error) if request.has_absent_status(&error) => {
                Ok(ListReading::Faulty(ReadBackFault::Refused(error.status().unwrap_or_default())))
            }
            Err(error) => Err(error),
        }
    }

    async fn read_group_rows(
        &mut self,
        request: &ListRequest,
        positions: &[u32],
    ) -> Result<Option<ListFault>, ClientError> {
        if !request.paged {
            let answer = self.client.read(&request.read_request, RetryPolicy::COMPLETE_READ, self.canceller).await?;
            let (rows, fault) = request.parse_all_rows(answer).await?;
            run_blocking_here(|| self.match_narrowed(&rows, positions));
            return Ok(fault);
        }
        let mut pages = request.pages(self.client);
        while let Some(page) = pages.next(self.canceller).await? {
            pages.prefetch_next(self.canceller);
            run_blocking_here(|| self.match_narrowed(&page.rows, positions));
        }
        Ok(pages.fault())
    }

    /// Returns whether a list is complete, or the fault that makes it inconclusive. `fault` is the fault of its pages,
    /// if any.
    fn judge_list(&self, fault: Option<ListFault>) -> ListReading {
        match fault {
            _ if self.malformed => ListReading::Faulty(ReadBackFault::Malformed),
            Some(fault) => ListReading::Faulty(ReadBackFault::Incomplete(fault)),
            None if !self.missing.is_empty() => ListReading::Faulty(ReadBackFault::LostItems),
            None => ListReading::Complete,
        }
    }

    /// Prepares for reading a list. `expected` lists the keys of rows that it must show.
    fn begin_list(&mut self, expected: HashSet<String>) {
        self.malformed = false;
        self.missing = expected;
        self.neighbors.clear();
    }

    fn load_seen_paths(&mut self) {
        if let Some(site) = self.read_back.site.as_ref().filter(|_| self.read_back.requires_parameters()) {
            self.seen = run_blocking_here(|| SeenPaths::load(&site.sites, &site.name));
        }
    }

    fn store_seen_paths(&mut self) {
        if let Some(site) = &self.read_back.site {
            let seen = mem::take(&mut self.current_paths);
            run_blocking_here(|| SeenPaths::add(&site.sites, &site.name, seen));
        }
    }

    /// Adds a row that belongs to no item to the neighbors. Keeps the first and last ones.
    fn add_neighbor(&mut self, row: &Value) {
        if self.read_back.lists_neighbors {
            if self.neighbors.len() >= MAX_NEIGHBORS {
                self.neighbors.remove(MAX_NEIGHBORS / 2);
            }
            self.neighbors.push(self.read_back.key_of_row(row));
        }
    }

    /// Returns some neighbors, different ones for each item.
    fn select_neighbors(&self, position: usize) -> Vec<String> {
        let from = if self.neighbors.is_empty() { 0 } else { position * MAX_NEIGHBORS_PER_ITEM % self.neighbors.len() };
        let neighbors = self.neighbors.iter().cycle().skip(from).take(MAX_NEIGHBORS_PER_ITEM.min(self.neighbors.len()));
        neighbors.cloned().collect()
    }

    /// Returns the narrowed read, or `None` if a value is invalid.
    fn narrowed_request(&self, values: &[String]) -> Option<ListRequest> {
        let asks = self.read_back.declaration.asks.iter().map(|asks| asks.parameter.clone());
        let parameters: BTreeMap<String, String> = asks.zip(values.iter().cloned()).collect();
        ListRequest::for_operation(&self.read_back.list, &self.read_back.rows, &parameters).ok()
    }

    /// Returns true if items will certainly remain open after `rows` more rows.
    fn has_open_items_after(&self, rows: usize) -> bool {
        let max_reported =
            rows.saturating_mul(self.max_items_per_row).saturating_add(self.matched.len() + self.queued.len());
        self.open_items > max_reported
    }

    /// Matches a page of the whole list.
    fn match_page(&mut self, rows: &Rows) {
        rows.texts().for_each(|row| self.match_row(row, None));
        self.compare_queued(rows.len() * QUEUED_PER_ROW);
        self.compare_last_queued();
        // Any of these rows may show the last open item.
        if self.matched.len() >= MAX_MATCHED.min(self.open_items) {
            self.queue_matched();
            self.compare_last_queued();
        }
    }

    /// Matches all rows of a narrowed read's response.
    fn match_narrowed(&mut self, rows: &Rows, among: &[u32]) {
        rows.texts().for_each(|row| self.match_row(row, Some(among)));
        self.compare_all();
    }

    /// Matches a row to the items that it can be. `among` limits them.
    fn match_row(&mut self, row: &str, among: Option<&[u32]>) {
        let row = self.members.value_of(row);
        if !self.read_back.has_row_key(&row) {
            self.malformed = true;
            return;
        }
        if !self.missing.is_empty() {
            self.missing.remove(&self.read_back.key_of_row(&row));
        }
        let is_included = |position: &usize| {
            among.is_none_or(|among| among.binary_search_by_key(position, |&among| among as usize).is_ok())
        };
        let multi_row_items = self.index.multi_row_items_of_row(self.read_back, &row);
        let is_other = multi_row_items.is_empty() && self.index.items_of_row(self.read_back, &row).next().is_none();
        for position in multi_row_items.into_iter().filter(is_included) {
            self.compare_one(position, &row);
        }
        if is_other {
            self.add_neighbor(&row);
            return;
        }
        let mut positions = self
            .index
            .items_of_row(self.read_back, &row)
            .filter(|position| is_included(position) && !self.is_reported(*position));
        let Some(first) = positions.next() else { return };
        let rest: Vec<usize> = positions.collect();
        self.matched.extend(rest.into_iter().map(|position| (position, row.clone())));
        self.matched.push((first, row));
    }

    /// Compares all matched rows with their items.
    fn compare_all(&mut self) {
        self.queue_matched();
        self.compare_queued(usize::MAX);
    }

    /// Queues matched rows for comparison.
    fn queue_matched(&mut self) {
        self.compare_queued(usize::MAX);
        let mut matched = mem::take(&mut self.matched);
        matched.sort_by_key(|(position, _)| *position);
        self.queued = matched.into();
    }

    fn compare_queued(&mut self, limit: usize) {
        for _ in 0..limit.min(self.queued.len()) {
            let Some((position, row)) = self.queued.pop_front() else { return };
            self.compare_one(position, &row);
        }
    }

    /// If few items are open, compares all queued rows, so that the open items are counted exactly.
    fn compare_last_queued(&mut self) {
        if self.open_items < self.queued.len() + MAX_MATCHED {
            self.compare_queued(usize::MAX);
        }
    }

    fn compare_one(&mut self, position: usize, row: &Value) {
        if self.is_reported(position) {
            return;
        }
        let (read_back, items) = (self.read_back, self.items);
        items.with_body(position, &mut |body| {
            if !read_back.is_key_equal(row, body) {
                return;
            }
            let result = ReadBackResult {
                locked: read_back.locked_keys(row),
                ..ReadBackResult::from_item(read_back.service_item(row, body))
            };
            match self.multi_row_results.get_mut(&position) {
                Some(matched_rows) => matched_rows.add(read_back, body, result),
                None => self.report(position, result),
            }
        });
    }

    /// Reports an item once all reads that could show it are complete.
    fn report_after_reads(&mut self, position: usize) {
        if self.is_reported(position) {
            return;
        }
        let mut result = ReadBackResult::from_item(ServiceItem::Absent);
        if let Some(matched_rows) = self.multi_row_results.get(&position) {
            let read_back = self.read_back;
            self.items.with_body(position, &mut |body| result = matched_rows.result(read_back, body));
        }
        self.report(position, result);
    }

    /// Reports every open item. Without a complete list, the items are inconclusive.
    fn report_all_open(&mut self, list: ListReading) {
        for position in 0..self.items.count() {
            let fault = match list {
                _ if !self.index.has_key(position) => ReadBackFault::MissingKey,
                ListReading::Complete => {
                    self.report_after_reads(position);
                    continue;
                }
                ListReading::Faulty(fault) => fault,
                ListReading::NotRead | ListReading::ContainerMissing(_) => ReadBackFault::NotReadable,
            };
            self.report(position, ReadBackResult::from_item(ServiceItem::Inconclusive(fault)));
        }
    }

    fn report_open(&mut self, positions: &[u32], item: &ServiceItem) {
        for &position in positions {
            self.report(position as usize, ReadBackResult::from_item(item.clone()));
        }
    }

    fn is_reported(&self, position: usize) -> bool {
        self.reported.get(position) == Some(&true)
    }

    fn report(&mut self, position: usize, result: ReadBackResult) {
        let result = ReadBackResult { neighbors: self.select_neighbors(position), ..result };
        if let Some(is_reported) = self.reported.get_mut(position).filter(|is_reported| !**is_reported) {
            *is_reported = true;
            self.open_items -= 1;
            (self.observer.on_item)(position, result);
        }
    }

    fn count_response(&mut self, total: Option<u32>) {
        self.progress.requests += 1;
        self.progress.total = total.filter(|total| *total >= self.progress.requests);
        (self.observer.on_progress)(self.progress);
    }
}

impl ReadBack {
    /// Returns true if the row has a key.
    fn has_row_key(&self, row: &Value) -> bool {
        let first = self.declaration.key.first();
        first.is_none_or(|pair| !member_text(row, &pair.theirs).is_empty())
    }

    /// Returns true if the row has the item's key.
    fn is_key_equal(&self, row: &Value, body: &Value) -> bool {
        let is_equal = |pair: &FieldPair| {
            let value = member_text(body, &pair.own);
            (value.is_empty() && self.declaration.every.contains(&pair.own)) || value == member_text(row, &pair.theirs)
        };
        !self.declaration.key.is_empty() && self.declaration.key.iter().all(is_equal)
    }
}
