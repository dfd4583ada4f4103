//! `takt templates`: reads templates, and prints their totals and findings about them.

use serde_json::Value;
use takt_engine::{
    Canceller,
    cleanup::{TemplateSet, TemplatesView, parse_template_ids},
};

use crate::{
    arguments::TemplatesArguments,
    console::Console,
    exit_codes::{ExitStatus, Failure},
    session::{Interruption, Session},
};

pub(super) async fn run(
    arguments: &TemplatesArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let ids = parse_template_ids(&arguments.ids.join(" "))?;
    let session = Session::open(site, console).await?;
    let set = session.engine.templates().create_set(&session.site, &ids);
    let interrupted = read_templates(&session, &set, arguments.orders).await?;
    let view = session.engine.templates().view(&set)?;
    if arguments.json {
        console.print_json(&serde_json::to_value(&view).unwrap_or(Value::Null));
    } else {
        print_templates(&view, console);
    }
    Ok(if interrupted { ExitStatus::Interrupted } else { ExitStatus::Done })
}

/// Reads the templates into the set until Ctrl-C. Returns whether the user interrupted the reading.
async fn read_templates(session: &Session, set: &TemplateSet, orders: bool) -> Result<bool, Failure> {
    let canceller = Canceller::new();
    let mut interruption = Interruption::listen()?;
    let reading = async {
        if orders {
            session.engine.templates().read_template_use(&session.site, &canceller, |_| {}).await?;
        }
        session.engine.templates().read(set, &canceller, |_| {}).await
    };
    tokio::pin!(reading);
    tokio::select! {
        read = &mut reading => read?,
        () = interruption.next() => {
            canceller.cancel();
            reading.await?;
        }
    }
    Ok(canceller.is_cancelled())
}

fn print_templates(view: &TemplatesView, console: &Console) {
    let heading = ["template", "links", "labor", "machine", "orders"];
    let mut table = vec![heading.map(|name| console.texts.text(&format!("templates.{name}"), &[])).to_vec()];
    table.extend(view.templates.iter().map(|template| {
        vec![
            template.id.to_string(),
            template.processes.to_string(),
            console.texts.engine.format_duration(template.labor_seconds),
            console.texts.engine.format_duration(template.machine_seconds),
            template.orders.map(|orders| orders.to_string()).unwrap_or_default(),
        ]
    }));
    console.print_table(&table);
    for facet in view.facets.iter().filter(|facet| facet.count > 0) {
        let kind = serde_json::to_value(facet.kind).unwrap_or_default();
        let key = format!("templates.{}", kind.as_str().unwrap_or_default());
        console.print_remark(&key, &[("count", facet.count.to_string()), ("links", facet.links.to_string())]);
    }
    for (key, ids) in [("templates.absent", &view.absent), ("templates.left", &view.left)] {
        if ids.count > 0 {
            console.print_remark(key, &[("count", ids.count.to_string()), ("ids", ids.text.clone())]);
        }
    }
    for unread in &view.unread {
        let parameters = [("ids", unread.ids.text.clone()), ("why", unread.problem.message.clone())];
        console.print_remark("templates.unread", &parameters);
    }
}
