//! How the parts hang together: each is given what it needs of what was made before it.

use std::sync::Arc;

use super::{Engine, Ground};
use crate::{
    AnswerRules, Browse, EventInbox, GraphQl, History, ImportSites, ImportSources, Imports, Maintenance, Orders,
    Pictures, Previews, References, ShopFloor, Submissions, Templates,
    events::EventStore,
    inbox::{EventReader, ForwardTargets},
};

/// What reads the service.
struct Reading {
    references: Arc<References>,
    browse: Browse,
    pictures: Pictures,
    graphql: GraphQl,
}

/// What comes before sending.
struct Importing {
    imports: Arc<Imports>,
    sites: ImportSites,
    sources: ImportSources,
    previews: Arc<Previews>,
}

/// What comes from the service by itself.
struct Listening {
    events: Arc<EventStore>,
    reader: Arc<EventReader>,
    answers: AnswerRules,
    inbox: EventInbox,
}

impl Engine {
    pub(super) fn compose(ground: Ground, submissions: Arc<Submissions>) -> Self {
        let reading = ground.reading();
        let importing = ground.importing(&reading.references);
        let listening = ground.listening();
        let history = ground.history(&importing.imports, &submissions);
        let orders = ground.orders(&reading.browse, &history, &submissions);
        let templates = ground.templates(&importing, &submissions);
        let floor = ground.floor(&listening, &orders, &submissions);
        let maintenance = Maintenance {
            home: ground.home.clone(),
            journal: Arc::clone(&ground.journal),
            events: listening.events,
            clock: Arc::clone(&ground.clock),
        };
        Self {
            home: ground.home,
            contract: ground.contract,
            spoken: ground.spoken,
            sites: ground.sites,
            references: reading.references,
            browse: reading.browse,
            pictures: reading.pictures,
            graphql: reading.graphql,
            imports: importing.imports,
            import_sites: importing.sites,
            import_sources: importing.sources,
            previews: importing.previews,
            submissions,
            templates,
            history,
            orders,
            answers: listening.answers,
            inbox: listening.inbox,
            floor,
            maintenance,
        }
    }
}

impl Ground {
    fn reading(&self) -> Reading {
        let references = Arc::new(References::new(
            Arc::clone(&self.contract),
            Arc::clone(&self.journal),
            Arc::clone(&self.sites),
            Arc::clone(&self.clock),
        ));
        let browse = Browse {
            contract: Arc::clone(&self.contract),
            journal: Arc::clone(&self.journal),
            sites: Arc::clone(&self.sites),
            references: Arc::clone(&references),
            clock: Arc::clone(&self.clock),
            home: self.home.clone(),
        };
        let pictures =
            Pictures { contract: Arc::clone(&self.contract), sites: Arc::clone(&self.sites), browse: browse.clone() };
        let graphql = GraphQl {
            contract: Arc::clone(&self.contract),
            journal: Arc::clone(&self.journal),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
        };
        Reading { references, browse, pictures, graphql }
    }

    fn importing(&self, references: &Arc<References>) -> Importing {
        let imports = Imports::new(Arc::clone(&self.contract), Arc::clone(&self.journal), Arc::clone(&self.clock));
        imports.copy_into(self.home.copies());
        let imports = Arc::new(imports);
        let sites = ImportSites {
            sites: Arc::clone(&self.sites),
            home: self.home.clone(),
            imports: Arc::clone(&imports),
            references: Arc::clone(references),
        };
        let sources = ImportSources {
            contract: Arc::clone(&self.contract),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
            imports: Arc::clone(&imports),
        };
        let previews =
            Previews::new(Arc::clone(&self.contract), Arc::clone(&self.sites), Arc::clone(&imports), sites.clone());
        Importing { imports, sites, sources, previews: Arc::new(previews) }
    }

    fn history(&self, imports: &Arc<Imports>, submissions: &Arc<Submissions>) -> History {
        History {
            contract: Arc::clone(&self.contract),
            journal: Arc::clone(&self.journal),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
            home: self.home.clone(),
            spoken: self.spoken.clone(),
            imports: Arc::clone(imports),
            submissions: Arc::clone(submissions),
        }
    }

    fn orders(&self, browse: &Browse, history: &History, submissions: &Arc<Submissions>) -> Orders {
        Orders {
            contract: Arc::clone(&self.contract),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
            browse: browse.clone(),
            history: history.clone(),
            submissions: Arc::clone(submissions),
        }
    }

    fn templates(&self, importing: &Importing, submissions: &Arc<Submissions>) -> Templates {
        Templates {
            contract: Arc::clone(&self.contract),
            journal: Arc::clone(&self.journal),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
            home: self.home.clone(),
            imports: Arc::clone(&importing.imports),
            import_sites: importing.sites.clone(),
            previews: Arc::clone(&importing.previews),
            submissions: Arc::clone(submissions),
        }
    }

    fn floor(&self, listening: &Listening, orders: &Orders, submissions: &Arc<Submissions>) -> ShopFloor {
        ShopFloor {
            contract: Arc::clone(&self.contract),
            journal: Arc::clone(&self.journal),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
            reader: Arc::clone(&listening.reader),
            answers: listening.answers.clone(),
            browse: orders.browse.clone(),
            orders: orders.clone(),
            submissions: Arc::clone(submissions),
        }
    }

    fn listening(&self) -> Listening {
        let events = Arc::new(EventStore::new(self.home.clone(), Arc::clone(&self.journal), Arc::clone(&self.clock)));
        let reader =
            Arc::new(EventReader::new(Arc::clone(&self.contract), Arc::clone(&self.sites), Arc::clone(&events)));
        let answers = AnswerRules::new(
            Arc::clone(&self.contract),
            Arc::clone(&self.sites),
            Arc::clone(&events),
            Arc::clone(&self.clock),
        );
        let targets = ForwardTargets {
            contract: Arc::clone(&self.contract),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
            home: self.home.clone(),
            events: Arc::clone(&events),
            pace: Arc::default(),
        };
        let inbox = EventInbox {
            contract: Arc::clone(&self.contract),
            sites: Arc::clone(&self.sites),
            clock: Arc::clone(&self.clock),
            home: self.home.clone(),
            spoken: self.spoken.clone(),
            reader: Arc::clone(&reader),
            answers: answers.clone(),
            targets,
        };
        Listening { events, reader, answers, inbox }
    }
}
