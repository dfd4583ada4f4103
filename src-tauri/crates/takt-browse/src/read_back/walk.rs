//! Which reads it takes: narrowed to the items where those are few, the whole list page by page where they are many. Only
//! rows that an item asks for are kept, and of those none longer than it takes to tell of them.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use takt_client::{Canceller, Client, ClientError, RetryPolicy};
use takt_contract::{FieldPair, ParameterPlace};

use super::{
    ReadBack, ReadBackItem, ServiceItem,
    matched_rows::{MatchedRows, ReadBackResult},
    text,
};
use crate::request::ReadRequest;

/// So few are asked for one by one without a look at how long the list is.
const VERY_FEW: usize = 2;

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
        items: &[ReadBackItem<'_>],
        canceller: &Canceller,
        observer: &mut ReadBackObserver<'_>,
    ) -> Result<(), ClientError> {
        let mut walk = ReadBackWalk::new(self, client, items, canceller, observer);
        walk.go().await
    }
}

struct ReadBackWalk<'a, 'b, 'c> {
    back: &'a ReadBack,
    client: &'a Client,
    items: &'a [ReadBackItem<'a>],
    canceller: &'a Canceller,
    along: &'b mut ReadBackObserver<'c>,
    /// Items by the first part of their key.
    by_key: HashMap<String, Vec<usize>>,
    reported: Vec<bool>,
    open: usize,
    /// Items that mean every row: what was found of them so far.
    several: HashMap<usize, MatchedRows>,
    progress: ReadProgress,
}

impl<'a, 'b, 'c> ReadBackWalk<'a, 'b, 'c> {
    fn new(
        back: &'a ReadBack,
        client: &'a Client,
        items: &'a [ReadBackItem<'a>],
        canceller: &'a Canceller,
        along: &'b mut ReadBackObserver<'c>,
    ) -> Self {
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        let mut several = HashMap::new();
        for (place, item) in items.iter().enumerate() {
            if let Some(tie) = back.declaration.key.first() {
                by_key.entry(own(item.body, &tie.own)).or_default().push(place);
            }
            if back.declaration.every.iter().any(|name| own(item.body, name).is_empty()) {
                several.insert(place, MatchedRows::default());
            }
        }
        let (told, open) = (vec![false; items.len()], items.len());
        Self {
            back,
            client,
            items,
            canceller,
            along,
            by_key,
            reported: told,
            open,
            several,
            progress: ReadProgress::default(),
        }
    }

    async fn go(&mut self) -> Result<(), ClientError> {
        if self.items.is_empty() {
            return Ok(());
        }
        let groups = self.groups();
        let at_once = self.always_asks() || (!groups.is_empty() && groups.len() <= VERY_FEW);
        if at_once || !self.whole(Some(groups.len()).filter(|groups| *groups > 0)).await? {
            self.narrowed(&groups).await?;
        }
        // Where something else than the key narrowed it, what wasn't found may stand elsewhere.
        if self.open > 0 && !self.always_asks() && !self.is_certain() && self.unread() {
            self.whole(None).await?;
        }
        self.close();
        Ok(())
    }

    /// The items by what the read is asked with, in their order. Those that lack it are in none.
    fn groups(&self) -> Vec<(Vec<String>, Vec<usize>)> {
        let asks = &self.back.declaration.asks;
        let mut places: HashMap<Vec<String>, usize> = HashMap::new();
        let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
        if asks.is_empty() {
            return groups;
        }
        for (place, item) in self.items.iter().enumerate() {
            let values: Vec<String> = asks.iter().map(|asks| own(item.body, &asks.own)).collect();
            if values.iter().any(String::is_empty) {
                continue;
            }
            let at = *places.entry(values.clone()).or_insert(groups.len());
            match groups.get_mut(at) {
                Some((_, members)) => members.push(place),
                None => groups.push((values, vec![place])),
            }
        }
        groups
    }

    /// True where there is no whole list.
    fn always_asks(&self) -> bool {
        let path =
            |parameter: &&takt_contract::Parameter| parameter.place == ParameterPlace::Path || parameter.required;
        self.back.list.parameters.iter().any(|parameter| path(&parameter))
    }

    /// True where what narrows the read is part of the key, so that what isn't found isn't there.
    fn is_certain(&self) -> bool {
        self.back.declaration.asks.iter().all(|asks| self.back.declaration.key.iter().any(|tie| tie.own == asks.own))
    }

    /// True where the whole list wasn't read.
    fn unread(&self) -> bool {
        self.open > 0 && self.reported.iter().zip(0..).any(|(told, place)| !told && !self.several.contains_key(&place))
    }

    /// The whole list, until everything was found. False where it is so long that asking for each is less.
    async fn whole(&mut self, groups: Option<usize>) -> Result<bool, ClientError> {
        let Some(request) = self.request(&[]) else { return Ok(true) };
        let mut pages = request.pages(self.client);
        let before = self.progress.requests;
        while let Some(page) = pages.next(self.canceller).await? {
            let walked = page.progress;
            self.answered(walked.pages.map(|pages| before + pages));
            for row in page.rows.values() {
                self.see(&row, None);
            }
            let fewer = |groups: usize| walked.pages.is_some_and(|pages| groups + 1 < pages as usize);
            if walked.page == 1 && self.open > 0 && groups.is_some_and(fewer) {
                return Ok(false);
            }
            if self.open == 0 {
                break;
            }
        }
        self.close();
        Ok(true)
    }

    /// Asks for each group by itself.
    async fn narrowed(&mut self, groups: &[(Vec<String>, Vec<usize>)]) -> Result<(), ClientError> {
        let first = self.progress.requests;
        for (values, places) in groups {
            if places.iter().all(|place| self.reported.get(*place) == Some(&true)) {
                continue;
            }
            let Some(request) = self.request(values) else {
                places.iter().for_each(|&place| self.untold(place));
                continue;
            };
            self.answered(u32::try_from(groups.len()).ok().map(|groups| first + groups));
            if !self.rows_of(&request, places).await? {
                continue;
            }
            if self.always_asks() || self.is_certain() {
                for &place in places {
                    self.settle(place);
                }
            }
        }
        Ok(())
    }

    /// False where the service said nothing that could be used.
    async fn rows_of(&mut self, request: &ReadRequest, places: &[usize]) -> Result<bool, ClientError> {
        if !request.paged {
            let read = self.client.read(&request.question, RetryPolicy::STEADY, self.canceller);
            let answer = match read.await {
                Ok(answer) => answer,
                Err(error) if request.is_absence(&error) => return Ok(true),
                Err(error) => return Err(error),
            };
            // What isn't JSON at all comes from something in between, and is said.
            answer.json()?;
            let Ok(rows) = request.rows(answer).await else { return Ok(false) };
            rows.values().for_each(|row| self.see(&row, Some(places)));
            return Ok(true);
        }
        let mut pages = request.pages(self.client);
        loop {
            match pages.next(self.canceller).await {
                Ok(Some(page)) => page.rows.values().for_each(|row| self.see(&row, Some(places))),
                Ok(None) => return Ok(true),
                Err(error) if request.is_absence(&error) => return Ok(true),
                Err(error) => return Err(error),
            }
        }
    }

    /// Absent for a value that nothing can have.
    fn request(&self, values: &[String]) -> Option<ReadRequest> {
        let asks = self.back.declaration.asks.iter().map(|asks| asks.parameter.clone());
        let parameters: BTreeMap<String, String> = asks.zip(values.iter().cloned()).collect();
        ReadRequest::of(&self.back.list, &self.back.rows, &parameters).ok()
    }

    /// One row, held against the items that it could be (`among`: only these).
    fn see(&mut self, row: &Value, among: Option<&[usize]>) {
        let Some(first) = self.back.declaration.key.first() else { return };
        let Some(places) = self.by_key.get(&own(row, &first.theirs)) else { return };
        for place in places.clone() {
            let Some(item) = self.items.get(place) else { continue };
            let asked = among.is_none_or(|among| among.contains(&place));
            if !asked || self.reported.get(place) == Some(&true) || !self.fits(row, item.body) {
                continue;
            }
            let told = ReadBackResult { item: self.back.service_item(row, item.body), locked: self.back.locked(row) };
            match self.several.get_mut(&place) {
                Some(several) => several.add(self.back, item.body, told),
                None => self.report(place, told),
            }
        }
    }

    fn fits(&self, row: &Value, body: &Value) -> bool {
        let fits = |tie: &FieldPair| {
            let own_ = own(body, &tie.own);
            (own_.is_empty() && self.back.declaration.every.contains(&tie.own)) || own_ == own(row, &tie.theirs)
        };
        self.back.declaration.key.iter().skip(1).all(fits)
    }

    /// Everything was read that could tell of it.
    fn settle(&mut self, place: usize) {
        if self.reported.get(place) == Some(&true) {
            return;
        }
        let body = self.items.get(place).map(|item| item.body);
        let told = match (self.several.get(&place), body) {
            (Some(several), Some(body)) => several.result(self.back, body),
            _ => ReadBackResult { item: ServiceItem::Absent, locked: Vec::new() },
        };
        self.report(place, told);
    }

    /// What lacks what would name it stays untold.
    fn close(&mut self) {
        let asks = if self.always_asks() { self.back.declaration.asks.as_slice() } else { &[] };
        for place in 0..self.items.len() {
            let named = self.items.get(place).is_some_and(|item| {
                let first = self.back.declaration.key.first().is_some_and(|tie| !own(item.body, &tie.own).is_empty());
                first && asks.iter().all(|asks| !own(item.body, &asks.own).is_empty())
            });
            if named {
                self.settle(place);
            } else if self.reported.get(place) == Some(&false) {
                self.untold(place);
            }
        }
    }

    fn untold(&mut self, place: usize) {
        self.report(place, ReadBackResult { item: ServiceItem::Untold, locked: Vec::new() });
    }

    fn report(&mut self, place: usize, what: ReadBackResult) {
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

fn own(body: &Value, name: &str) -> String {
    body.get(name).map(text).unwrap_or_default()
}
