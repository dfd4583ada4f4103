//! One tick of the day: the actions at every station, by the same rules as other moves.

use jiff::{Timestamp, civil::DateTime};

use crate::{
    MoveError, Plant,
    domain_event::EventSubject,
    floor::{
        MoveContext,
        calendar::Crew,
        shift::{ActionKind, DiceSeed, OperatorAction, StationTurn},
    },
    store::Resource,
};

/// Why an action failed.
enum ActionFailure {
    /// A receiver of events 10 or 11 refused it.
    Refused {
        code: String,
        operation: String,
    },
    Other(String),
}

impl ActionFailure {
    fn refused(subject: EventSubject) -> Self {
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
    /// Returns every work station with its working hours, in order.
    pub(super) fn crews(&self) -> Vec<Crew> {
        let store = self.store.read();
        let positions = store.table(Resource::WorkStations).all_positions();
        let rows = positions.filter_map(|position| store.row_at(Resource::WorkStations, position));
        rows.map(|row| Crew::from_row(&row)).collect()
    }

    /// Runs a tick on every station. Changes nothing if the day was restarted.
    pub(super) async fn run_tick(&self, tick: i64, time: Timestamp, crews: &[Crew], generation: u64) {
        for (index, crew) in (0..).zip(crews) {
            let (now, actions) = {
                let store = self.store.read();
                let now = store.local_time(time);
                let is_refused = |code: &str, operation: &str| self.day.is_refused(code, operation, tick);
                let seed = DiceSeed { plant: self.config.seed, tick, station: index };
                (now, StationTurn::new(&store, crew, &seed, now, &is_refused).actions())
            };
            for action in actions {
                match self.perform(action, now, generation).await {
                    Ok(()) => {}
                    Err(ActionFailure::Refused { code, operation }) => {
                        self.day.refuse(code, operation, tick);
                        break;
                    }
                    Err(ActionFailure::Other(reason)) => {
                        tracing::debug!(reason, station = crew.station, "the day goes on without a deed");
                        break;
                    }
                }
            }
        }
    }

    async fn perform(
        &self,
        OperatorAction { kind, badge }: OperatorAction,
        now: DateTime,
        generation: u64,
    ) -> Result<(), ActionFailure> {
        let mut kind = kind;
        if let ActionKind::Move(wanted) = &mut kind
            && let Some(check) = { self.store.read().required_check(wanted, badge)? }
        {
            let subject = check.subject.clone();
            self.run_check(check).await.map_err(|_| ActionFailure::refused(subject))?;
        }
        let ctx = MoveContext { now, badge };
        let done = self.change(None, |store, _, _| {
            if !self.day.is_current(generation) {
                return Err(MoveError::NotNow("The plant has begun anew.".to_owned()));
            }
            match &kind {
                ActionKind::Move(wanted) => store.apply_move(wanted, &ctx).map(drop),
                ActionKind::Relieve { code, operation } => {
                    let row = store.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default();
                    Ok(store.replace_operator(&row, now)?)
                }
                ActionKind::Ask { code, operation } => {
                    let row = store.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default();
                    store.ask_for_supplies(&row);
                    Ok(())
                }
            }
        });
        Ok(done.map_err(MoveError::from)??)
    }
}
