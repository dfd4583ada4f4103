//! Connects the parts: each gets the parts that it needs.

use std::sync::Arc;

use takt_browse::{Browse, GraphQl, Pictures, References};
use takt_client::Failpoints;
use takt_core::{Problem, policy::Policy};
use takt_import::{ImportSites, ImportSources, Imports, RememberedMappings};
use takt_inbox::{AnswerRules, EventInbox, EventReader, ForwardTargets, events::EventStore};
use takt_sites::Context;
use takt_submit::{History, Previews, Submissions, SubmissionsConfig, Templates};

use super::Engine;
use crate::{
    contracts::Contracts, maintenance::Maintenance, order::Orders, shop_floor::ShopFloor, team::TeamMembership,
};

/// The parts that read the service.
struct Reading {
    references: Arc<References>,
    browse: Browse,
    pictures: Pictures,
    graphql: GraphQl,
}

/// The parts used before sending.
struct ImportParts {
    imports: Arc<Imports>,
    sites: ImportSites,
    sources: ImportSources,
    previews: Arc<Previews>,
}

/// The parts that receive events.
struct InboxParts {
    events: Arc<EventStore>,
    reader: Arc<EventReader>,
    answers: AnswerRules,
    inbox: EventInbox,
}

impl Engine {
    pub(crate) fn compose(
        context: Context,
        policy: Arc<Policy>,
        team: TeamMembership,
        failpoints: Failpoints,
        person: String,
    ) -> Result<Self, Problem> {
        let reading = reading(&context);
        let importing = importing(&context, &reading.references);
        let submissions = submissions(&context, &importing.previews, failpoints, person.clone())?;
        let listening = listening(&context);
        let history = history(&context, &importing.imports, &submissions);
        let orders = orders(&context, &reading.browse, &history, &submissions);
        let templates = templates(&context, &importing, &submissions);
        let floor = floor(&context, &listening, &orders, &submissions);
        let maintenance = Maintenance {
            home: context.home.clone(),
            journal: Arc::clone(&context.journal),
            events: listening.events,
            clock: Arc::clone(&context.clock),
            policy,
            team,
        };
        let mappings = RememberedMappings::new(&context);
        let contracts = Contracts::new(Arc::clone(&context.sites), mappings.clone(), person);
        Ok(Self {
            home: context.home,
            contract: context.contract,
            spoken: context.spoken,
            sites: context.sites,
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
            contracts,
            mappings,
        })
    }
}

fn reading(context: &Context) -> Reading {
    let references = Arc::new(References::new(context));
    let browse = Browse::new(context, Arc::clone(&references));
    let pictures = Pictures::new(context, browse.clone());
    let graphql = GraphQl::new(context);
    Reading { references, browse, pictures, graphql }
}

fn importing(context: &Context, references: &Arc<References>) -> ImportParts {
    let imports = Arc::new(Imports::new(
        Arc::clone(&context.contract),
        Some(Arc::clone(&context.sites)),
        Arc::clone(&context.journal),
        Arc::clone(&context.clock),
        Some(context.home.copies()),
    ));
    let sites = ImportSites::new(context, Arc::clone(&imports), Arc::clone(references));
    let sources = ImportSources::new(context, Arc::clone(&imports));
    let previews =
        Previews::new(Arc::clone(&context.sites), Arc::clone(&imports), sites.clone(), context.spoken.clone());
    ImportParts { imports, sites, sources, previews: Arc::new(previews) }
}

fn submissions(
    context: &Context,
    previews: &Arc<Previews>,
    failpoints: Failpoints,
    person: String,
) -> Result<Arc<Submissions>, Problem> {
    let submissions = Submissions::open(SubmissionsConfig {
        journal: Arc::clone(&context.journal),
        sites: Arc::clone(&context.sites),
        previews: Arc::clone(previews),
        clock: Arc::clone(&context.clock),
        spoken: context.spoken.clone(),
        person,
        failpoints,
        deleted: context.home.deleted(),
    });
    Ok(Arc::new(submissions?))
}

fn history(context: &Context, imports: &Arc<Imports>, submissions: &Arc<Submissions>) -> History {
    History::new(context, Arc::clone(imports), Arc::clone(submissions))
}

fn orders(context: &Context, browse: &Browse, history: &History, submissions: &Arc<Submissions>) -> Orders {
    Orders {
        contract: Arc::clone(&context.contract),
        journal: Arc::clone(&context.journal),
        sites: Arc::clone(&context.sites),
        clock: Arc::clone(&context.clock),
        browse: browse.clone(),
        history: history.clone(),
        submissions: Arc::clone(submissions),
    }
}

fn templates(context: &Context, importing: &ImportParts, submissions: &Arc<Submissions>) -> Templates {
    let (imports, sites) = (Arc::clone(&importing.imports), importing.sites.clone());
    Templates::new(context, imports, sites, Arc::clone(&importing.previews), Arc::clone(submissions))
}

fn floor(context: &Context, listening: &InboxParts, orders: &Orders, submissions: &Arc<Submissions>) -> ShopFloor {
    ShopFloor {
        contract: Arc::clone(&context.contract),
        journal: Arc::clone(&context.journal),
        sites: Arc::clone(&context.sites),
        clock: Arc::clone(&context.clock),
        reader: Arc::clone(&listening.reader),
        answers: listening.answers.clone(),
        browse: orders.browse.clone(),
        orders: orders.clone(),
        submissions: Arc::clone(submissions),
        service: crate::shop_floor::ServiceFloors::default(),
    }
}

fn listening(context: &Context) -> InboxParts {
    let events =
        Arc::new(EventStore::new(context.home.clone(), Arc::clone(&context.journal), Arc::clone(&context.clock)));
    let reader = Arc::new(EventReader::new(context, Arc::clone(&events)));
    let answers = AnswerRules::new(context, Arc::clone(&events));
    let targets = ForwardTargets::new(context, Arc::clone(&events));
    let inbox = EventInbox::new(context, Arc::clone(&reader), answers.clone(), targets);
    InboxParts { events, reader, answers, inbox }
}
