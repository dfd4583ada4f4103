//! Work that a person can end before its end, by the ticket that the window gave it.

use std::sync::Arc;

use takt_engine::{Canceller, Engine, Problem};
use tauri::{
    AppHandle, Wry,
    ipc::{Channel, IpcResponse},
};
use tokio::runtime::Handle;

use super::{DeskState, busy};

/// Does what `ticket_stop` can end by this ticket.
pub(crate) async fn stoppable<T, F>(app: &AppHandle<Wry>, ticket: u32, work: impl FnOnce(Canceller) -> F) -> T
where
    F: Future<Output = T>,
{
    let canceller = app.desk().start_ticket(ticket);
    let done = work(canceller).await;
    app.desk().end_ticket(ticket);
    done
}

/// The same for what keeps a processor busy between its requests: away from the threads that serve the window.
pub(crate) async fn stoppable_aside<T, F>(
    app: &AppHandle<Wry>,
    ticket: u32,
    work: impl FnOnce(Arc<Engine>, Canceller) -> F + Send + 'static,
) -> Result<T, Problem>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Problem>>,
{
    let (engine, here) = (Arc::clone(&app.desk().engine), Handle::current());
    stoppable(app, ticket, |canceller| busy(move || here.block_on(work(engine, canceller)))).await
}

/// Tells the window how far it is.
pub(crate) fn hear<T: IpcResponse>(told: &Channel<T>, news: T) {
    if told.send(news).is_err() {
        tracing::debug!("the window no longer hears how far this is");
    }
}
