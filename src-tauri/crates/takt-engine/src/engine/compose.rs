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
        let Reading { references, browse, pictures, graphql } = ground.reading();
        let Importing { imports, sites: import_sites, sources: import_sources, previews } =
            ground.importing(&references);
        let Listening { events, reader, answers, inbox } = ground.listening();
        let history = ground.history(&imports, &submissions);
        let orders = Orders {
            contract: Arc::clone(&ground.contract),
            sites: Arc::clone(&ground.sites),
            clock: Arc::clone(&ground.clock),
            browse: browse.clone(),
            history: history.clone(),
            submissions: Arc::clone(&submissions),
        };
        let templates = Templates {
            contract: Arc::clone(&ground.contract),
            journal: Arc::clone(&ground.journal),
            sites: Arc::clone(&ground.sites),
            clock: Arc::clone(&ground.clock),
            home: ground.home.clone(),
            imports: Arc::clone(&imports),
            import_sites: import_sites.clone(),
            previews: Arc::clone(&previews),
            submissions: Arc::clone(&submissions),
        };
        let floor = ShopFloor {
            contract: Arc::clone(&ground.contract),
            journal: Arc::clone(&ground.journal),
            sites: Arc::clone(&ground.sites),
            clock: Arc::clone(&ground.clock),
            reader,
            answers: answers.clone(),
            browse: browse.clone(),
            orders: orders.clone(),
            submissions: Arc::clone(&submissions),
        };
        let maintenance = Maintenance {
            home: ground.home.clone(),
            journal: Arc::clone(&ground.journal),
            events,
            clock: Arc::clone(&ground.clock),
        };
        Self {
            home: ground.home,
            contract: ground.contract,
            spoken: ground.spoken,
            sites: ground.sites,
            references,
            browse,
            pictures,
            graphql,
            imports,
            import_sites,
            import_sources,
            previews,
            submissions,
            templates,
            history,
            orders,
            answers,
            inbox,
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
