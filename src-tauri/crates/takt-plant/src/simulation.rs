//! Moves on the floor, the pace of the clock, and the simulated day, which follows the plant's time.
//!
//! No tick runs twice. The rules of moves and the decisions of operators are in `floor`.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp, civil::DateTime};

use crate::{
    Move, MoveError, MoveResult, Pace, Plant, PlantError,
    clock::MAX_SPEED,
    domain_event::EventSubject,
    floor::{
        MoveContext,
        day::TICK_SECONDS,
        shift_calendar::ShiftCalendar,
        station_tick::{ActionKind, OperatorAction, StationTick, TickSeed},
    },
    store::Resource,
};

/// The maximum time by which the clock can be moved at once.
const MAX_ADVANCE: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The real time between two checks for due ticks while the clock runs.
const TICK_INTERVAL: Duration = Duration::from_millis(200);

/// The reason why an operator's action failed.
enum ActionFailure {
    /// A receiver of events 10 or 11 refused the action.
    Refused {
        code: String,
        operation: String,
    },
    Other(String),
}

impl ActionFailure {
    fn from_refused_subject(subject: EventSubject) -> Self {
        match subject {
            EventSubject::Order { code, operation } => Self::Refused { code, operation },
            other => Self::Other(format!("{other:?} was refused")),
        }
    }
}

impl From<MoveError> for ActionFailure {
    fn from(error: MoveError) -> Self {
        Self::Other(error.to_string())
    }
}

impl Plant {
    /// Makes a move at the plant's time, with all its effects on rows, history, labor times and events. Before an order
    /// ends or quantities are recorded, receivers of events 10 and 11 can refuse. After an error, nothing was changed.
    ///
    /// # Errors
    ///
    /// - [`MoveError::Unknown`]: the order, alert, station, material or supply doesn't exist.
    /// - [`MoveError::InvalidState`]: the state doesn't allow the move.
    /// - [`MoveError::InvalidValue`]: a value is invalid.
    /// - [`MoveError::Refused`]: a receiver of events 10 or 11 refused the move.
    /// - [`MoveError::NotSaved`]: the change couldn't be saved.
    pub async fn make_move(&self, mut requested_move: Move) -> Result<MoveResult, MoveError> {
        let check = self.store.read().required_check(&mut requested_move, None)?;
        if let Some(check) = check {
            self.run_check(check).await.map_err(MoveError::Refused)?;
        }
        // The state may have changed during the check, so the move is validated again.
        self.change_store(None, |store, now, _| store.apply_move(&requested_move, &MoveContext { now, badge: None }))?
    }

    /// Moves the plant's time ahead by `by`. Returns when the simulation has reached the new time.
    ///
    /// # Errors
    ///
    /// Returns [`PlantError::Advance`] if `by` is negative or longer than 366 days, or if the new time is out of range.
    pub async fn advance_time(&self, by: SignedDuration) -> Result<(), PlantError> {
        self.advance_time_with(|now| now.checked_add(by).ok()).await
    }

    /// Like [`Plant::advance_time`], but moves to a certain time.
    pub(crate) async fn advance_time_to(&self, to: Timestamp) -> Result<(), PlantError> {
        self.advance_time_with(|_| Some(to)).await
    }

    async fn advance_time_with(&self, target: impl FnOnce(Timestamp) -> Option<Timestamp>) -> Result<(), PlantError> {
        let _simulation_lock = self.day.simulation_lock.lock().await;
        let from = self.plant_time();
        let target = target(from).filter(|to| *to >= from && to.duration_since(from) <= MAX_ADVANCE);
        let to = target.ok_or(PlantError::Advance)?;
        let (idle, generation) = (self.is_idle(), self.day.progress.lock().generation);
        if idle {
            self.day.skip_to(from);
        }
        self.run_ticks(to, generation, true).await;
        if !self.shutdown_token.is_cancelled() {
            self.move_clock_to(to, generation);
        }
        self.persist_clock();
        Ok(())
    }

    /// Simulates the day while the clock runs, until the plant closes.
    pub(crate) async fn simulate_day(&self) {
        loop {
            self.catch_up().await;
            let runs = matches!(self.clock.lock().pace(), Pace::Running { .. });
            tokio::select! {
                () = self.shutdown_token.cancelled() => return,
                () = tokio::time::sleep(TICK_INTERVAL), if runs => {}
                () = self.day.pace_changed.notified(), if !runs => {}
            }
        }
    }

    /// Runs the due ticks, unless the simulation is off.
    async fn catch_up(&self) {
        let _simulation_lock = self.day.simulation_lock.lock().await;
        let generation = self.day.progress.lock().generation;
        if !self.is_idle() {
            self.run_ticks(self.plant_time(), generation, false).await;
        }
    }

    /// Runs ticks up to the plant's time `to`. Stops early if the day restarts or the plant closes. With `moves_clock`,
    /// also moves the clock.
    async fn run_ticks(&self, to: Timestamp, generation: u64, moves_clock: bool) {
        let mut calendars = None;
        while let Some(tick) = self.day.next_tick(generation).filter(|_| !self.shutdown_token.is_cancelled()) {
            let Some(time) = Timestamp::from_second(tick * TICK_SECONDS).ok().filter(|time| *time <= to) else {
                return;
            };
            if moves_clock {
                self.move_clock_to(time, generation);
            }
            let calendars = calendars.get_or_insert_with(|| self.shift_calendars());
            self.run_tick(tick, time, calendars, generation).await;
            self.day.finish_tick(tick, generation);
            tokio::task::yield_now().await;
        }
    }

    /// Moves the clock ahead to `plant_time`, unless it is already later or the day was restarted.
    fn move_clock_to(&self, plant_time: Timestamp, generation: u64) {
        let real_time = self.real_time();
        let progress = self.day.progress.lock();
        let mut clock = self.clock.lock();
        if progress.generation == generation && clock.plant_time_at(real_time) < plant_time {
            clock.set_time(plant_time, real_time);
        }
    }

    fn is_idle(&self) -> bool {
        self.clock.lock().pace() == Pace::Idle
    }

    /// Runs the plant's time at a multiple of real time, and simulates the day. `speed` is limited to 10,000. A speed
    /// that isn't positive becomes 1.
    pub fn run_clock(&self, speed: f64) {
        let speed = if speed > 0.0 { speed.min(MAX_SPEED) } else { 1.0 };
        self.set_pace(Pace::Running { speed });
    }

    /// Stops the plant's time.
    pub fn stop_clock(&self) {
        self.set_pace(Pace::Stopped);
    }

    /// Lets the plant's time pass like real time, without simulating the day.
    pub fn set_clock_idle(&self) {
        self.set_pace(Pace::Idle);
    }

    fn set_pace(&self, pace: Pace) {
        let now = self.real_time();
        let clock = *self.clock.lock();
        if clock.pace() == Pace::Idle {
            // Ticks aren't run for the time before the simulation started.
            self.day.skip_to(clock.plant_time_at(now));
        }
        self.clock.lock().set_pace(pace, now);
        self.day.notify_pace_change();
        self.persist_clock();
    }

    /// Returns the working hours of all work stations, in order.
    fn shift_calendars(&self) -> Vec<ShiftCalendar> {
        let store = self.store.read();
        let positions = store.table(Resource::WorkStations).all_positions();
        let rows = positions.filter_map(|position| store.row_at(Resource::WorkStations, position));
        rows.map(|row| ShiftCalendar::from_row(&row)).collect()
    }

    /// Runs a tick at every station. Actions of a day that was restarted have no effect.
    async fn run_tick(&self, tick: i64, time: Timestamp, calendars: &[ShiftCalendar], generation: u64) {
        for (index, calendar) in (0..).zip(calendars) {
            let (now, actions) = {
                let store = self.store.read();
                let now = store.local_time(time);
                let is_refused = |code: &str, operation: &str| self.day.is_refused(code, operation, tick);
                let seed = TickSeed { plant: self.config.seed, tick, station: index };
                (now, StationTick::new(&store, calendar, &seed, now, &is_refused).decide_actions())
            };
            for action in actions {
                match self.perform_action(action, now, generation).await {
                    Ok(()) => {}
                    Err(ActionFailure::Refused { code, operation }) => {
                        self.day.record_refusal(code, operation, tick);
                        break;
                    }
                    Err(ActionFailure::Other(reason)) => {
                        tracing::debug!(reason, station = calendar.station, "the day goes on without a deed");
                        break;
                    }
                }
            }
        }
    }

    async fn perform_action(
        &self,
        OperatorAction { kind, badge }: OperatorAction,
        now: DateTime,
        generation: u64,
    ) -> Result<(), ActionFailure> {
        let mut kind = kind;
        if let ActionKind::Move(requested_move) = &mut kind
            && let Some(check) = { self.store.read().required_check(requested_move, badge)? }
        {
            let subject = check.subject.clone();
            self.run_check(check).await.map_err(|_| ActionFailure::from_refused_subject(subject))?;
        }
        let ctx = MoveContext { now, badge };
        let done = self.change_store(None, |store, _, _| {
            if !self.day.is_current(generation) {
                return Err(MoveError::InvalidState("The plant has begun anew.".to_owned()));
            }
            match &kind {
                ActionKind::Move(requested_move) => store.apply_move(requested_move, &ctx).map(drop),
                ActionKind::ReplaceOperator { code, operation } => {
                    let row = store.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default();
                    Ok(store.replace_operator(&row, now)?)
                }
                ActionKind::RequestSupplies { code, operation } => {
                    let row = store.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default();
                    store.request_supplies(&row);
                    Ok(())
                }
            }
        });
        Ok(done.map_err(MoveError::from)??)
    }
}
