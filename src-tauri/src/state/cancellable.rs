//! Calls that the user can cancel by the ticket that the page gave them.

use std::sync::Arc;

use takt_engine::{Canceller, Engine, Problem};
use tauri::{
    AppHandle, Runtime,
    ipc::{Channel, IpcResponse},
};
use tokio::runtime::Handle;

use super::{AppStateAccess, run_blocking};

/// Runs work that `ticket_stop` can cancel by this ticket.
pub(crate) async fn cancellable<R: Runtime, T, F>(
    app: &AppHandle<R>,
    ticket: u32,
    work: impl FnOnce(Canceller) -> F,
) -> T
where
    F: Future<Output = T>,
{
    let canceller = app.app_state().start_ticket(ticket);
    let done = work(canceller).await;
    app.app_state().end_ticket(ticket);
    done
}

/// Like [`cancellable`], but for work that keeps a processor busy between requests. It runs outside of the async
/// threads.
pub(crate) async fn cancellable_blocking<R: Runtime, T, F>(
    app: &AppHandle<R>,
    ticket: u32,
    work: impl FnOnce(Arc<Engine>, Canceller) -> F + Send + 'static,
) -> Result<T, Problem>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Problem>>,
{
    let (engine, runtime) = (app.engine(), Handle::current());
    cancellable(app, ticket, |canceller| run_blocking(move || runtime.block_on(work(engine, canceller)))).await
}

/// Sends progress to the page.
pub(crate) fn report_progress<T: IpcResponse>(channel: &Channel<T>, progress: T) {
    if channel.send(progress).is_err() {
        tracing::debug!("the window no longer hears how far this is");
    }
}
