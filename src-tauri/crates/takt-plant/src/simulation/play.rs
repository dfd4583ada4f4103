//! One tick of the day: on every station in turn people decide what to do, and do it by the same rules as everybody.

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

/// Why somebody didn't do what they were about to do.
enum Hindered {
    /// A receiver of events 10 or 11 refused it.
    Refused {
        code: String,
        operation: String,
    },
    Otherwise(String),
}

impl Hindered {
    fn by(subject: EventSubject) -> Self {
        match subject {
            EventSubject::Order { code, operation } => Self::Refused { code, operation },
            other => Self::Otherwise(format!("{other:?} was refused")),
        }
    }
}

impl From<MoveError> for Hindered {
    fn from(error: MoveError) -> Self {
        Self::Otherwise(error.to_string())
    }
}

impl Plant {
    /// Every work station with its hours, in order.
    pub(super) fn crews(&self) -> Vec<Crew> {
        let store = self.store.read();
        let positions = store.table(Resource::WorkStations).all_positions();
        let rows = positions.filter_map(|position| store.row_at(Resource::WorkStations, position));
        rows.map(|row| Crew::of(&row)).collect()
    }

    /// Plays one tick on every station. Once the plant has begun anew, nothing of it happens.
    pub(super) async fn tick(&self, tick: i64, moment: Timestamp, crews: &[Crew], beginnings: u64) {
        for (place, crew) in (0..).zip(crews) {
            let (now, actions) = {
                let store = self.store.read();
                let now = store.local(moment);
                let is_refused = |code: &str, operation: &str| self.day.is_refused(code, operation, tick);
                let seed = DiceSeed { plant: self.config.seed, tick, station: place };
                (now, StationTurn::new(&store, crew, &seed, now, &is_refused).actions())
            };
            for deed in actions {
                match self.perform(deed, now, beginnings).await {
                    Ok(()) => {}
                    Err(Hindered::Refused { code, operation }) => {
                        self.day.refuse(code, operation, tick);
                        break;
                    }
                    Err(Hindered::Otherwise(reason)) => {
                        tracing::debug!(reason, station = crew.station, "the day goes on without a deed");
                        break;
                    }
                }
            }
        }
    }

    async fn perform(
        &self,
        OperatorAction { what, badge }: OperatorAction,
        now: DateTime,
        beginnings: u64,
    ) -> Result<(), Hindered> {
        let mut what = what;
        if let ActionKind::Move(wanted) = &mut what
            && let Some(question) = { self.store.read().question(wanted, badge)? }
        {
            let subject = question.subject.clone();
            self.ask(question).await.map_err(|_| Hindered::by(subject))?;
        }
        let hand = MoveContext { now, badge };
        let done = self.change(None, |store, _, _| {
            if !self.day.is_of(beginnings) {
                return Err(MoveError::NotNow("The plant has begun anew.".to_owned()));
            }
            match &what {
                ActionKind::Move(wanted) => store.make(wanted, &hand).map(drop),
                ActionKind::Relieve { code, operation } => {
                    let row = store.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default();
                    Ok(store.relieve(&row, now)?)
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
