//! Runs each command on a thread that may block, as a future of one common type.
//!
//! Commands read the journal, which waits for the disk, for another process or for a team's server. On the async
//! threads they would delay what is being sent and received.
//!
//! Tauri spawns each command's future as a separate type and compiles a whole task for it. `#[tauri::command(root =
//! "crate")]` makes a command use the names of `crate::ipc` instead of Tauri's, so these types have the same names.

use std::pin::Pin;

use takt_engine::{Code, Problem};
pub(crate) use tauri::ipc::{CommandArg, CommandItem, private};
use tauri::{
    Runtime, async_runtime,
    ipc::{InvokeError, InvokeMessage, InvokeResolver, InvokeResponseBody},
    utils::acl::resolved::ResolvedCommand,
};

type Answer = Result<InvokeResponseBody, InvokeError>;

/// A call of the page, with the same members as Tauri's.
pub(crate) struct Invoke<R: Runtime> {
    pub(crate) message: InvokeMessage<R>,
    pub(crate) resolver: Resolver<R>,
    pub(crate) acl: Option<Vec<ResolvedCommand>>,
}

/// Responds to a call of the page.
pub(crate) struct Resolver<R: Runtime>(InvokeResolver<R>);

impl<R: Runtime> Resolver<R> {
    /// Runs a command and responds with its result.
    pub(crate) fn respond_async_serialized(self, command: impl Future<Output = Answer> + Send + 'static) {
        let command: Pin<Box<dyn Future<Output = Answer> + Send>> = Box::pin(command);
        let done = async_runtime::spawn_blocking(move || async_runtime::block_on(command));
        self.0.respond_async_serialized(async {
            done.await.unwrap_or_else(|error| Err(Problem::new(Code::Bug).details(error).into()))
        });
    }
}

/// Adapts commands that accept [`Invoke`] to Tauri's calls.
pub(crate) fn handler<R: Runtime>(
    handle: impl Fn(Invoke<R>) -> bool + Send + Sync + 'static,
) -> impl Fn(tauri::ipc::Invoke<R>) -> bool + Send + Sync + 'static {
    move |tauri::ipc::Invoke { message, resolver, acl }| handle(Invoke { message, resolver: Resolver(resolver), acl })
}

/// Collects commands like `tauri_specta::collect_commands!`, but through [`handler`]. None may be renamed. Mark a
/// command that takes no app with `without app`. Types are collected for tests only, which write the bindings.
macro_rules! collect_commands {
    ($($module:ident::$command:ident $(without $app:ident)?),* $(,)?) => {{
        #[cfg(test)]
        let types = |types: &mut specta::Types| {
            vec![$(crate::command_shell::command_type!($module::$command $(without $app)?)(types)),*]
        };
        #[cfg(not(test))]
        let types = |_: &mut specta::Types| Vec::new();
        let handle = crate::command_shell::handler(tauri::generate_handler![$($module::$command),*]);
        tauri_specta::internal::command(handle, types, &[])
    }};
}
pub(crate) use collect_commands;

/// Describes a command. Its types are the same in each runtime.
#[cfg(test)]
macro_rules! command_type {
    ($module:ident::$command:ident) => {
        specta::function::fn_datatype!($module::$command::<tauri::Wry>)
    };
    ($module:ident::$command:ident without app) => {
        specta::function::fn_datatype!($module::$command)
    };
}
#[cfg(test)]
pub(crate) use command_type;
