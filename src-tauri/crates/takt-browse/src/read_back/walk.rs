//! Which reads it takes: narrowed to the items where those are few, the whole list page by page where they are many. Only
//! rows that an item asks for are kept, and of those none longer than it takes to tell of them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    mem,
};

use serde_json::Value;
use takt_client::{Canceller, Client, ClientError, ListFault, RetryPolicy, Rows, run_blocking_here};
use takt_contract::{FieldPair, ParameterPlace};
use takt_sites::sites::SeenPaths;

use super::{
    ReadBack, ReadBackFault, ReadBackItems, ServiceItem,
    item_index::{Groups, ItemIndex, own},
    matched_rows::{MatchedRows, ReadBackResult},
    row_members::RowMembers,
};
use crate::request::ReadRequest;

/// So few are asked for one by one without a look at how long the list is.
const VERY_FEW: usize = 2;
/// So many rows are held against their items in the order of the items: those of a large file are made one after the other.
const MAX_MATCHED: usize = 5_000;
/// How many of these are held against their items with each row that comes: the next page doesn't wait for all of them.
const QUEUED_PER_ROW: usize = 2;
/// Other rows that are named of a list, and of these beside each item.
const MAX_NEIGHBORS: usize = 200;
const MAX_NEIGHBORS_PER_ITEM: usize = 8;

/// How far reading is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Requests that were answered.
    pub requests: u32,
    /// As far as it can be told.
    pub of: Option<u32>,
}

/// Who is told while reading goes on: of each item once what is held of it, in any order.
pub struct ReadBackObserver<'a> {
    pub on_item: &'a mut (dyn FnMut(usize, ReadBackResult) + Send),
    pub on_progress: &'a mut (dyn FnMut(ReadProgress) + Send),
}

impl std::fmt::Debug for ReadBackObserver<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ReadAlong").finish_non_exhaustive()
    }
}

impl ReadBack {
    /// Likewise as [`Self::read`], telling of each item as soon as it is known.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: a read of the list failed or was cancelled; what was told before stands.
    pub async fn each(
        &self,
        client: &Client,
        items: &dyn ReadBackItems,
        canceller: &Canceller,
        observer: &mut ReadBackObserver<'_>,
    ) -> Result<(), ClientError> {
        let index = ItemIndex::of(self, items).await;
        self.each_of(client, (items, index), canceller, observer).await
    }

    /// The same, where the items were looked at already: the index is of them all.
    ///
    /// # Errors
    ///
    /// As [`Self::each`].
    pub async fn each_of(
        &self,
        client: &Client,
        (items, index): (&dyn ReadBackItems, ItemIndex),
        canceller: &Canceller,
        observer: &mut ReadBackObserver<'_>,
    ) -> Result<(), ClientError> {
        let mut walk = ReadBackWalk::new(self, client, (items, index), canceller, observer);
        walk.run().await
    }

    /// As [`Self::each`]; `expected`: see [`Self::read_with_neighbors`].
    pub(super) async fn each_expecting(
        &self,
        client: &Client,
        (items, expected): (&dyn ReadBackItems, &[Vec<String>]),
        canceller: &Canceller,
        observer: &mut ReadBackObserver<'_>,
    ) -> Result<(), ClientError> {
        let index = ItemIndex::of(self, items).await;
        let mut walk = ReadBackWalk::new(self, client, (items, index), canceller, observer);
        walk.expected = expected;
        walk.run().await
    }
}

struct ReadBackWalk<'a, 'b, 'c> {
    back: &'a ReadBack,
    client: &'a Client,
    items: &'a dyn ReadBackItems,
    canceller: &'a Canceller,
    along: &'b mut ReadBackObserver<'c>,
    index: ItemIndex,
    /// The most items that a row can tell of at once.
    most_of_a_row: usize,
    members: RowMembers,
    reported: Vec<bool>,
    open: usize,
    /// Rows beside the items that they seem to be of.
    matched: Vec<(usize, Value)>,
    /// Those of before that aren't held against their items yet, in the order of these.
    queued: VecDeque<(usize, Value)>,
    /// Items that mean every row: what was found of them so far.
    several: HashMap<usize, MatchedRows>,
    progress: ReadProgress,
    /// True once a row of the list that is being read doesn't say what it is about.
    malformed: bool,
    /// By the items' places the keys of other rows that must be there.
    expected: &'a [Vec<String>],
    /// Those that the list that is being read hasn't shown yet.
    missing: HashSet<String>,
    /// Keys of rows of this list that are of no item: the first and the last ones.
    neighbors: Vec<String>,
    /// Single things that were seen before, and those that are seen now.
    seen: SeenPaths,
    seen_now: BTreeSet<String>,
}

/// What reading a list came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListReading {
    /// It can't be read, or asking for each item takes fewer requests.
    NotRead,
    /// Every row was read, or every item found.
    Complete,
    ContainerMissing(u16),
    Faulty(ReadBackFault),
}

impl<'a, 'b, 'c> ReadBackWalk<'a, 'b, 'c> {
    fn new(
        back: &'a ReadBack,
        client: &'a Client,
        (items, index): (&'a dyn ReadBackItems, ItemIndex),
        canceller: &'a Canceller,
        along: &'b mut ReadBackObserver<'c>,
    ) -> Self {
        let several = index.every().map(|place| (place, MatchedRows::default())).collect();
        let (reported, open) = (vec![false; items.count()], items.count());
        let (matched, queued, progress) = (Vec::new(), VecDeque::new(), ReadProgress::default());
        let (most_of_a_row, members) = (index.most_of_a_row(), RowMembers::of(back));
        Self {
            back,
            client,
            items,
            canceller,
            along,
            index,
            most_of_a_row,
            members,
            reported,
            open,
            matched,
            queued,
            several,
            progress,
            malformed: false,
            expected: &[],
            missing: HashSet::new(),
            neighbors: Vec::new(),
            seen: SeenPaths::default(),
            seen_now: BTreeSet::new(),
        }
    }

    async fn run(&mut self) -> Result<(), ClientError> {
        if self.items.count() == 0 {
            return Ok(());
        }
        let groups = self.index.take_groups();
        let at_once = self.back.always_asks() || (!groups.is_empty() && groups.len() <= VERY_FEW);
        let mut list = ListReading::NotRead;
        if !at_once {
            list = self.read_whole(Some(groups.len()).filter(|groups| *groups > 0)).await?;
        }
        if list == ListReading::NotRead {
            self.recall_seen();
            let read = self.read_narrowed(&groups).await;
            self.remember_seen();
            read?;
        }
        drop(groups);
        // A read that is narrowed by more than the key may hide an item that the whole list shows.
        if list == ListReading::NotRead && self.open > 0 && !self.back.always_asks() && !self.narrows_by_key() {
            list = self.read_whole(None).await?;
        }
        self.close(list);
        Ok(())
    }

    /// True if a read is narrowed by nothing but the key, so that a complete response proves what isn't there.
    fn narrows_by_key(&self) -> bool {
        let asks = &self.back.declaration.asks;
        !asks.is_empty() && asks.iter().all(|asks| self.back.declaration.key.iter().any(|tie| tie.own == asks.own))
    }

    /// Reads the whole list until every item is found. Gives up after its first page if asking for `groups` takes fewer
    /// requests.
    async fn read_whole(&mut self, groups: Option<usize>) -> Result<ListReading, ClientError> {
        let Some(request) = self.request(&[]) else { return Ok(ListReading::NotRead) };
        let mut pages = request.pages(self.client);
        let before = self.progress.requests;
        self.begin_list(self.expected.iter().flatten().cloned().collect());
        loop {
            let page = match pages.next(self.canceller).await {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(ClientError::NotUnderstood { status, reason, .. }) => {
                    tracing::warn!(list = self.back.list(), status, reason, "a list that is read back is malformed");
                    self.malformed = true;
                    break;
                }
                Err(error) => {
                    // The rows that were read before stay compared.
                    self.compare();
                    return Err(error);
                }
            };
            let walked = page.progress;
            self.answered(walked.pages.map(|pages| before + pages));
            let fewer = |groups: usize| walked.pages.is_some_and(|pages| groups + 1 < pages as usize);
            let may_ask_each = walked.page == 1 && groups.is_some_and(fewer);
            if !may_ask_each && self.stays_open(page.rows.len()) {
                pages.read_ahead(self.canceller);
            }
            run_blocking_here(|| self.see_page(&page.rows));
            if may_ask_each {
                self.compare_queued(usize::MAX);
                if self.open > self.matched.len() {
                    self.compare();
                    return Ok(ListReading::NotRead);
                }
            }
            if self.open == 0 {
                break;
            }
        }
        self.compare();
        Ok(self.reading_of(pages.fault()))
    }

    /// Sends one read for each group of items.
    async fn read_narrowed(&mut self, groups: &Groups) -> Result<(), ClientError> {
        let first = self.progress.requests;
        for places in groups.iter() {
            let open = places.iter().map(|&place| place as usize).find(|place| !self.is_reported(*place));
            let Some(one) = open else { continue };
            let Some(request) = self.request(&self.values(one)) else {
                self.report_open(places, &ServiceItem::Inconclusive(ReadBackFault::MissingKey));
                continue;
            };
            self.answered(u32::try_from(groups.len()).ok().map(|groups| first + groups));
            let reading = self.read_group(&request, places).await?;
            // Otherwise the whole list tells.
            if self.back.always_asks() || self.narrows_by_key() {
                match reading {
                    ListReading::Complete => places.iter().for_each(|&place| self.settle(place as usize)),
                    ListReading::ContainerMissing(status) => {
                        self.report_open(places, &ServiceItem::ContainerMissing(status));
                    }
                    ListReading::Faulty(fault) => self.report_open(places, &ServiceItem::Inconclusive(fault)),
                    ListReading::NotRead => {}
                }
            }
        }
        Ok(())
    }

    /// The values that an item's read is narrowed by.
    fn values(&self, place: usize) -> Vec<String> {
        let mut values = Vec::new();
        self.items.with(place, &mut |body| {
            values = self.back.declaration.asks.iter().map(|asks| own(body, &asks.own).into_owned()).collect();
        });
        values
    }

    async fn read_group(&mut self, request: &ReadRequest, places: &[u32]) -> Result<ListReading, ClientError> {
        let expected = places.iter().filter_map(|&place| self.expected.get(place as usize));
        // A read that is narrowed to an item doesn't show the rows beside it.
        let expected = if self.back.always_asks() { expected.flatten().cloned().collect() } else { HashSet::new() };
        self.begin_list(expected);
        let read = self.read_group_rows(request, places).await;
        match read {
            Ok(fault) => {
                let reading = self.reading_of(fault);
                if self.back.always_asks() && !self.malformed {
                    self.seen_now.insert(request.path().to_owned());
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
                tracing::warn!(list = self.back.list(), status, reason, "a response that is read back is malformed");
                Ok(ListReading::Faulty(ReadBackFault::Malformed))
            }
            // Something in front of the service answered: the status is the contract's, its body isn't.
            Err(error) if request.has_absent_status(&error) => {
                Ok(ListReading::Faulty(ReadBackFault::Refused(error.status().unwrap_or_default())))
            }
            Err(error) => Err(error),
        }
    }

    async fn read_group_rows(
        &mut self,
        request: &ReadRequest,
        places: &[u32],
    ) -> Result<Option<ListFault>, ClientError> {
        if !request.paged {
            let answer = self.client.read(&request.question, RetryPolicy::STEADY, self.canceller).await?;
            let (rows, fault) = request.all_rows(answer).await?;
            run_blocking_here(|| self.see_narrowed(&rows, places));
            return Ok(fault);
        }
        let mut pages = request.pages(self.client);
        while let Some(page) = pages.next(self.canceller).await? {
            pages.read_ahead(self.canceller);
            run_blocking_here(|| self.see_narrowed(&page.rows, places));
        }
        Ok(pages.fault())
    }

    /// What a list that was read proves, if its pages had this fault.
    fn reading_of(&self, fault: Option<ListFault>) -> ListReading {
        match fault {
            _ if self.malformed => ListReading::Faulty(ReadBackFault::Malformed),
            Some(fault) => ListReading::Faulty(ReadBackFault::Incomplete(fault)),
            None if !self.missing.is_empty() => ListReading::Faulty(ReadBackFault::LostItems),
            None => ListReading::Complete,
        }
    }

    /// Before a list is read; `expected`: keys of rows that it must show.
    fn begin_list(&mut self, expected: HashSet<String>) {
        self.malformed = false;
        self.missing = expected;
        self.neighbors.clear();
    }

    fn recall_seen(&mut self) {
        if let Some(site) = self.back.site.as_ref().filter(|_| self.back.always_asks()) {
            self.seen = run_blocking_here(|| SeenPaths::of(&site.sites, &site.name));
        }
    }

    fn remember_seen(&mut self) {
        if let Some(site) = &self.back.site {
            let seen = mem::take(&mut self.seen_now);
            run_blocking_here(|| SeenPaths::remember(&site.sites, &site.name, seen));
        }
    }

    /// A row that is of no item: the first ones and the last ones are named.
    fn note_other(&mut self, row: &Value) {
        if self.back.names_neighbors {
            if self.neighbors.len() >= MAX_NEIGHBORS {
                self.neighbors.remove(MAX_NEIGHBORS / 2);
            }
            self.neighbors.push(self.back.key_of_row(row));
        }
    }

    /// Some of the other rows, other ones of each item.
    fn neighbors_of(&self, place: usize) -> Vec<String> {
        let from = if self.neighbors.is_empty() { 0 } else { place * MAX_NEIGHBORS_PER_ITEM % self.neighbors.len() };
        let neighbors = self.neighbors.iter().cycle().skip(from).take(MAX_NEIGHBORS_PER_ITEM.min(self.neighbors.len()));
        neighbors.cloned().collect()
    }

    /// Absent for a value that nothing can have.
    fn request(&self, values: &[String]) -> Option<ReadRequest> {
        let asks = self.back.declaration.asks.iter().map(|asks| asks.parameter.clone());
        let parameters: BTreeMap<String, String> = asks.zip(values.iter().cloned()).collect();
        ReadRequest::of(&self.back.list, &self.back.rows, &parameters).ok()
    }

    /// True where items are open yet after so many rows more, whatever these are.
    fn stays_open(&self, rows: usize) -> bool {
        let told = rows.saturating_mul(self.most_of_a_row).saturating_add(self.matched.len() + self.queued.len());
        self.open > told
    }

    /// A page of the whole list.
    fn see_page(&mut self, rows: &Rows) {
        rows.texts().for_each(|row| self.see(row, None));
        self.compare_queued(rows.len() * QUEUED_PER_ROW);
        self.compare_last_queued();
        // Each of the rows may be the last that was open.
        if self.matched.len() >= MAX_MATCHED.min(self.open) {
            self.queue();
            self.compare_last_queued();
        }
    }

    /// All rows of an answer to a narrowed read.
    fn see_narrowed(&mut self, rows: &Rows, among: &[u32]) {
        rows.texts().for_each(|row| self.see(row, Some(among)));
        self.compare();
    }

    /// One row, put beside the items that it could be (`among`: only these).
    fn see(&mut self, row: &str, among: Option<&[u32]>) {
        let row = self.members.value_of(row);
        if !self.back.names_row(&row) {
            self.malformed = true;
            return;
        }
        if !self.missing.is_empty() {
            self.missing.remove(&self.back.key_of_row(&row));
        }
        let asked = |place: &usize| {
            among.is_none_or(|among| among.binary_search_by_key(place, |&among| among as usize).is_ok())
        };
        let every = self.index.of_every(self.back, &row);
        let is_other = every.is_empty() && self.index.of_key(self.back, &row).next().is_none();
        for place in every.into_iter().filter(asked) {
            self.compare_one(place, &row);
        }
        if is_other {
            self.note_other(&row);
            return;
        }
        let mut places = self.index.of_key(self.back, &row).filter(|place| asked(place) && !self.is_reported(*place));
        let Some(first) = places.next() else { return };
        let others: Vec<usize> = places.collect();
        self.matched.extend(others.into_iter().map(|place| (place, row.clone())));
        self.matched.push((first, row));
    }

    /// Holds all that was put beside items against them.
    fn compare(&mut self) {
        self.queue();
        self.compare_queued(usize::MAX);
    }

    /// What was put beside items is next to be held against them.
    fn queue(&mut self) {
        self.compare_queued(usize::MAX);
        let mut matched = mem::take(&mut self.matched);
        matched.sort_by_key(|(place, _)| *place);
        self.queued = matched.into();
    }

    fn compare_queued(&mut self, most: usize) {
        for _ in 0..most.min(self.queued.len()) {
            let Some((place, row)) = self.queued.pop_front() else { return };
            self.compare_one(place, &row);
        }
    }

    /// Where few items are open it counts how many exactly.
    fn compare_last_queued(&mut self) {
        if self.open < self.queued.len() + MAX_MATCHED {
            self.compare_queued(usize::MAX);
        }
    }

    fn compare_one(&mut self, place: usize, row: &Value) {
        if self.is_reported(place) {
            return;
        }
        let (back, items) = (self.back, self.items);
        items.with(place, &mut |body| {
            if !back.fits(row, body) {
                return;
            }
            let told = ReadBackResult { locked: back.locked(row), ..ReadBackResult::of(back.service_item(row, body)) };
            match self.several.get_mut(&place) {
                Some(several) => several.add(back, body, told),
                None => self.report(place, told),
            }
        });
    }

    /// Everything was read that could tell of it.
    fn settle(&mut self, place: usize) {
        if self.is_reported(place) {
            return;
        }
        let mut told = ReadBackResult::of(ServiceItem::Absent);
        if let Some(several) = self.several.get(&place) {
            let back = self.back;
            self.items.with(place, &mut |body| told = several.result(back, body));
        }
        self.report(place, told);
    }

    /// Settles every open item by what the whole list proves, if it was read.
    fn close(&mut self, list: ListReading) {
        for place in 0..self.items.count() {
            let fault = match list {
                _ if !self.index.is_named(place) => ReadBackFault::MissingKey,
                ListReading::Complete => {
                    self.settle(place);
                    continue;
                }
                ListReading::Faulty(fault) => fault,
                ListReading::NotRead | ListReading::ContainerMissing(_) => ReadBackFault::NotReadable,
            };
            self.report(place, ReadBackResult::of(ServiceItem::Inconclusive(fault)));
        }
    }

    fn report_open(&mut self, places: &[u32], item: &ServiceItem) {
        for &place in places {
            self.report(place as usize, ReadBackResult::of(item.clone()));
        }
    }

    fn is_reported(&self, place: usize) -> bool {
        self.reported.get(place) == Some(&true)
    }

    fn report(&mut self, place: usize, what: ReadBackResult) {
        let what = ReadBackResult { neighbors: self.neighbors_of(place), ..what };
        if let Some(told) = self.reported.get_mut(place).filter(|told| !**told) {
            *told = true;
            self.open -= 1;
            (self.along.on_item)(place, what);
        }
    }

    fn answered(&mut self, of: Option<u32>) {
        self.progress.requests += 1;
        self.progress.of = of.filter(|of| *of >= self.progress.requests);
        (self.along.on_progress)(self.progress);
    }
}

impl ReadBack {
    /// True where there is no whole list.
    pub(super) fn always_asks(&self) -> bool {
        let path =
            |parameter: &&takt_contract::Parameter| parameter.place == ParameterPlace::Path || parameter.required;
        self.list.parameters.iter().any(|parameter| path(&parameter))
    }

    /// True if a row says what it is about.
    fn names_row(&self, row: &Value) -> bool {
        let first = self.declaration.key.first();
        first.is_none_or(|tie| !own(row, &tie.theirs).is_empty())
    }

    /// True where a row has the key of an item.
    fn fits(&self, row: &Value, body: &Value) -> bool {
        let fits = |tie: &FieldPair| {
            let own_ = own(body, &tie.own);
            (own_.is_empty() && self.declaration.every.contains(&tie.own)) || own_ == own(row, &tie.theirs)
        };
        !self.declaration.key.is_empty() && self.declaration.key.iter().all(fits)
    }
}
