//! One run of one submission: what is sent when, and what comes next.
//!
//! Several requests may be on their way at once; each is written down before it leaves and settled when it is back
//! (`flight`). Everything that is decided about the run is decided here, by one task. Whatever ends a run, what is on its
//! way is waited for first. What follows from what is back is in `landing`, how a run ends in `ending`.

mod before_delete;
mod ending;
mod landing;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use takt_client::{Client, Errand, Ticket};
use takt_journal::{Run, StoredItem, SubmissionState as State};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Shared;
use super::ahead::Ahead;
use super::draft::Target;
use super::flight::{Landed, Route, Stopwatch, fly};
use super::news::News;
use super::pace::Pace;
use super::rounds::Rounds;
use super::snapshot::Live;
use super::width::{Size, Width};
use crate::{Code, Problem};

/// Shorter waits for the rate limit are the ordinary pace.
const WORTH_TELLING: Duration = Duration::from_millis(500);

/// What a person wants of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    GoOn,
    Pause,
    Stop,
}

/// Why a run ends.
pub(super) struct End {
    pub(super) state: State,
    pub(super) problem: Option<Problem>,
}

impl End {
    pub(super) fn of(state: State) -> Self {
        Self { state, problem: None }
    }

    fn interrupted(problem: Problem) -> Self {
        Self { state: State::Interrupted, problem: Some(problem) }
    }
}

/// What to do now.
enum Next {
    Send(Ticket, Vec<StoredItem>),
    /// Until then, for this reason where people should know, or until something comes back.
    Wait(Instant, Option<Problem>),
    /// Until something comes back.
    Land,
    /// Nothing can be sent, and nothing is on its way.
    NothingPending,
}

pub(super) struct Course {
    pub(super) route: Route,
    pub(super) site: String,
    pub(super) wish: watch::Receiver<Wish>,
    pub(super) news: News,
    pub(super) rounds: Rounds,
    ahead: Ahead,
    flights: JoinSet<Result<Landed, Problem>>,
    /// The keys of what is on its way: two items of one key never overtake each other.
    keys: HashSet<String>,
    pace: Pace,
    width: Width,
    size: Size,
    /// Nothing leaves before that, and why where people should know.
    hold: Option<(Instant, Option<Problem>)>,
    /// A person is asked about this once nothing is on its way.
    asked: Option<Problem>,
}

impl Course {
    /// `sizes`: items per request now and as asked.
    pub(super) fn new(
        shared: Arc<Shared>,
        run: Arc<Run>,
        (target, sizes): (Target, (u32, u32)),
        (site, client, rounds): (String, Client, Rounds),
        (wish, live): (watch::Receiver<Wish>, watch::Sender<Live>),
    ) -> Self {
        let id = run.submission();
        // Of what can't be read back no more than one request is ever in doubt at a time.
        let width = Width::new(target.deletes || !target.readable);
        let news = News::new(Arc::clone(&shared), id, live);
        let ahead = Ahead::new(Arc::clone(&shared), id);
        let route = Route { shared, run, target: Arc::new(target), client, watch: Stopwatch::start() };
        Self {
            route,
            site,
            wish,
            news,
            rounds,
            ahead,
            flights: JoinSet::new(),
            keys: HashSet::new(),
            pace: Pace::default(),
            width,
            size: Size::new(sizes.0, sizes.1),
            hold: None,
            asked: None,
        }
    }

    /// Runs until nothing is pending, a person wants otherwise, or a problem is in the way.
    pub(super) async fn go(mut self) {
        let id = self.route.run.submission();
        self.news.tell(true);
        let end = match self.whole().await {
            Ok(end) => end,
            Err(problem) => End::interrupted(problem),
        };
        // After an error something may still be on its way.
        while let Some(landed) = self.flights.join_next().await {
            if let Ok(Err(problem)) = landed {
                tracing::error!(submission = id, %problem, "a request's outcome couldn't be written down");
            }
        }
        let end = self.last_look(end).await;
        self.route.shared.waypoints.pass("end-before-written");
        self.write_end(end).await;
        if let Err(problem) = self.keep_deleted().await {
            tracing::warn!(submission = id, %problem, "the workbook of what was deleted is completed later");
        }
        let Self { route: Route { shared, run, .. }, news, .. } = self;
        // The lock goes first and the sign of life last: whoever waits for the end may take the submission up again at once.
        drop(run);
        shared.forget(id);
        shared.publish(id, None);
        drop(news);
    }

    async fn whole(&mut self) -> Result<End, Problem> {
        // What can't be kept isn't deleted.
        self.keep_deleted().await?;
        match self.before_sending().await? {
            Some(end) => Ok(end),
            None => self.send_all().await,
        }
    }

    async fn send_all(&mut self) -> Result<End, Problem> {
        loop {
            if let Some(end) = self.wanted_end() {
                if self.flights.is_empty() {
                    // Where nothing is left to send there is nothing to pause.
                    return if self.ahead.again().await? { Ok(end) } else { self.last_end() };
                }
                self.pass(None).await?;
                continue;
            }
            match self.next().await? {
                Next::Send(ticket, items) => self.launch(ticket, items),
                Next::Land => self.pass(None).await?,
                Next::Wait(until, problem) => {
                    self.news.waits(until, problem);
                    self.pass(Some(until)).await?;
                }
                Next::NothingPending => {
                    if let Some(end) = self.nothing_pending().await? {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Where a person wants the run to end.
    fn wanted_end(&self) -> Option<End> {
        match *self.wish.borrow() {
            Wish::Pause => Some(End::of(State::Paused)),
            Wish::Stop => Some(End::of(State::Stopped)),
            Wish::GoOn => None,
        }
    }

    async fn next(&mut self) -> Result<Next, Problem> {
        let on_their_way = u32::try_from(self.flights.len()).unwrap_or(u32::MAX);
        if on_their_way == 0
            && let Some(problem) = self.asked.take()
        {
            // Where nothing is left to send there is nothing to ask.
            return if self.ahead.again().await? { Err(problem) } else { Ok(Next::NothingPending) };
        }
        if self.asked.is_some() {
            return Ok(Next::Land);
        }
        if on_their_way >= self.width.get() {
            return Ok(Next::Land);
        }
        self.hold.take_if(|(until, _)| *until <= Instant::now());
        if let Some((until, problem)) = &self.hold {
            return Ok(Next::Wait(*until, problem.clone()));
        }
        let items = self.ahead.take(self.size.get()).await?;
        if items.is_empty() {
            return Ok(if on_their_way == 0 { Next::NothingPending } else { Next::Land });
        }
        if items.iter().any(|item| self.keys.contains(&item.key)) {
            self.ahead.put_back(items);
            return Ok(Next::Land);
        }
        if !self.see_before_delete(&items).await? {
            self.ahead.put_back(items);
            return Ok(Next::Land);
        }
        match self.route.client.admit(Errand::Submission) {
            Ok(ticket) => Ok(Next::Send(ticket, items)),
            Err(until) => {
                self.ahead.put_back(items);
                let worth_telling = until.saturating_duration_since(Instant::now()) >= WORTH_TELLING;
                let limited = || Problem::new(Code::RateLimited).parameter("site", &self.site);
                Ok(Next::Wait(until, worth_telling.then(limited)))
            }
        }
    }

    fn launch(&mut self, ticket: Ticket, items: Vec<StoredItem>) {
        self.news.goes_on();
        self.keys.extend(items.iter().map(|item| item.key.clone()).filter(|key| !key.is_empty()));
        self.flights.spawn(fly(self.route.clone(), ticket, items));
        self.news.tell(false);
    }

    /// Lets time pass until something is back, a person wants otherwise, or the time has come.
    async fn pass(&mut self, until: Option<Instant>) -> Result<(), Problem> {
        let free = *self.wish.borrow() == Wish::GoOn;
        let wish = &mut self.wish;
        let other = async {
            let heard = wish.wait_for(|wish| *wish != Wish::GoOn).await.is_ok();
            if !heard {
                // Nobody is left who could want anything.
                std::future::pending::<()>().await;
            }
        };
        let landed = tokio::select! {
            Some(landed) = self.flights.join_next() => landed,
            () = other, if free => return Ok(()),
            () = tokio::time::sleep_until(until.unwrap_or_else(Instant::now).into()), if until.is_some() => return Ok(()),
            else => return Ok(()),
        };
        let landed = landed.map_err(|error| Problem::new(Code::Bug).details(error))??;
        self.landed(landed).await
    }
}
