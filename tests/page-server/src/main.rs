//! `page-server`: the window's backend without its web view, for testing the pages in a browser.
//!
//! The app of `takt-desktop` runs on Tauri's mock runtime, with the product's commands and events. HTTP on 127.0.0.1
//! replaces the web view (`Webview::on_message`), and `bridge.js` replaces Tauri's script. Must only be used by tests.
//! Native dialogs, the tray, additional windows and isolation need the real window.

use std::{
    collections::HashSet,
    io::{Write, stdout},
    net::Ipv4Addr,
    process::ExitCode,
    sync::Arc,
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{
        HeaderMap, StatusCode, Uri,
        header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    },
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::{get, post},
};
use futures_util::{Stream, StreamExt, stream};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tauri::{
    AppHandle, Listener, Manager, RunEvent, Url, WebviewWindow,
    ipc::{CallbackFn, InvokeBody, InvokeResponse, InvokeResponseBody},
    test::{INVOKE_KEY, MockRuntime, mock_builder},
    webview::InvokeRequest,
};
use tokio::sync::{broadcast, oneshot};

/// The script that replaces Tauri's script in the page.
const BRIDGE: &str = include_str!("bridge.js");
/// The script that the product runs in every window before the page's own.
const FREEZE: &str = include_str!("../../../src-tauri/src/freeze.js");
/// The product's content security policy, except that calls use HTTP.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'";
/// The base URL of the app's own pages.
const OWN_PAGES: &str = "tauri://localhost";
const BINARY: &str = "application/octet-stream";
/// The maximum number of messages that may wait for a slow page.
const MAX_WAITING_MESSAGES: usize = 10_000;

#[derive(Debug, thiserror::Error)]
enum PageServerError {
    #[error("the app didn't start: {0}")]
    App(#[from] takt_desktop::AppError),
    #[error("a window of this home runs already")]
    AlreadyRunning,
}

/// Sends events and channel messages to the connected pages.
#[derive(Debug, Clone)]
struct Messages(broadcast::Sender<Value>);

/// The state that all HTTP handlers share.
#[derive(Debug, Clone)]
struct Server {
    app: AppHandle<MockRuntime>,
    messages: Messages,
    /// The names of events that are forwarded to the page.
    forwarded_events: Arc<Mutex<HashSet<String>>>,
}

fn main() -> ExitCode {
    // This must come first, since the process may have been started as an isolated file reader.
    if takt_engine::system::run_if_reader_process() {
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_line(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), PageServerError> {
    let messages = Messages(broadcast::channel(MAX_WAITING_MESSAGES).0);
    let to_page = messages.clone();
    let builder = mock_builder().channel_interceptor(move |_, CallbackFn(callback), index, body| {
        let InvokeResponseBody::Json(message) = body else { return false };
        let message: Value = serde_json::from_str(message).unwrap_or_default();
        to_page.send(json!({ "callback": callback, "data": { "message": message, "index": index } }));
        true
    });
    let app = takt_desktop::build(builder)?.ok_or(PageServerError::AlreadyRunning)?;
    app.run(move |app, event| {
        if matches!(event, RunEvent::Ready) {
            let server = Server { app: app.clone(), messages: messages.clone(), forwarded_events: Arc::default() };
            tauri::async_runtime::spawn(server.serve());
        }
        takt_desktop::on_run_event(app, event);
    });
    Ok(())
}

impl Messages {
    /// Sends a message. It is lost if no page is connected.
    fn send(&self, message: Value) {
        drop(self.0.send(message));
    }
}

impl Server {
    async fn serve(self) {
        let routes = Router::new()
            .route("/page-server/bridge.js", get(send_bridge))
            .route("/page-server/messages", get(send_messages))
            .route("/page-server/listen/{event}", post(listen))
            .route("/page-server/invoke/{command}", post(invoke))
            .fallback(get(send_asset))
            .with_state(self);
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let served = match listener {
            Ok(listener) => {
                let port = listener.local_addr().map_or(0, |address| address.port());
                print_line(&format!("http://127.0.0.1:{port}/"));
                axum::serve(listener, routes).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = served {
            print_line(&format!("no pages are served: {error}"));
        }
    }

    fn window(&self) -> Option<WebviewWindow<MockRuntime>> {
        self.app.get_webview_window("main")
    }
}

/// Starts forwarding an event of the app to the page.
async fn listen(State(server): State<Server>, Path(event): Path<String>) {
    if server.forwarded_events.lock().insert(event.clone()) {
        let messages = server.messages.clone();
        server.app.listen_any(event.clone(), move |event_data| {
            let payload: Value = serde_json::from_str(event_data.payload()).unwrap_or_default();
            messages.send(json!({ "event": event, "payload": payload }));
        });
    }
}

async fn send_messages(State(server): State<Server>) -> Sse<impl Stream<Item = Result<Event, axum::Error>>> {
    let receiver = server.messages.0.subscribe();
    let messages = stream::unfold(receiver, |mut receiver| async move {
        match receiver.recv().await {
            Ok(message) => Some((message, receiver)),
            // A page that missed messages must report that, so that its test fails.
            Err(broadcast::error::RecvError::Lagged(missed)) => Some((json!({ "missed": missed }), receiver)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    });
    Sse::new(messages.map(|message| Event::default().json_data(message))).keep_alive(KeepAlive::default())
}

/// Passes a call of the page to the app's command handler, like the web view.
async fn invoke(
    State(server): State<Server>,
    Path(command): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(window) = server.window() else { return StatusCode::GONE.into_response() };
    let is_binary = headers.get(CONTENT_TYPE).is_some_and(|kind| kind == BINARY);
    let body = if is_binary {
        InvokeBody::Raw(body.to_vec())
    } else {
        match serde_json::from_slice(&body) {
            Ok(arguments) => InvokeBody::Json(arguments),
            Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        }
    };
    let Ok(url) = Url::parse(OWN_PAGES) else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let request = InvokeRequest {
        cmd: command,
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url,
        body,
        headers,
        invoke_key: INVOKE_KEY.to_owned(),
    };
    let (answer, answered) = oneshot::channel();
    window.as_ref().clone().on_message(
        request,
        Box::new(move |_, _, response, _, _| {
            // A page that was closed doesn't wait for the response.
            drop(answer.send(response));
        }),
    );
    match answered.await {
        Ok(InvokeResponse::Ok(InvokeResponseBody::Json(value))) => {
            ([(CONTENT_TYPE, "application/json")], value).into_response()
        }
        Ok(InvokeResponse::Ok(InvokeResponseBody::Raw(bytes))) => ([(CONTENT_TYPE, BINARY)], bytes).into_response(),
        Ok(InvokeResponse::Err(error)) => (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(error.0)).into_response(),
        Err(_) => StatusCode::GONE.into_response(),
    }
}

async fn send_bridge() -> Response {
    ([(CONTENT_TYPE, "text/javascript")], format!("{FREEZE}\n{BRIDGE}")).into_response()
}

async fn send_asset(State(server): State<Server>, uri: Uri) -> Response {
    let path = if uri.path() == "/" { "/index.html" } else { uri.path() };
    let Some(asset) = server.app.asset_resolver().get(path.to_owned()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [(CONTENT_TYPE, asset.mime_type), (CONTENT_SECURITY_POLICY, POLICY.to_owned())];
    if path == "/index.html" {
        let page = String::from_utf8_lossy(&asset.bytes);
        let page = page.replacen("<head>", "<head><script src=\"/page-server/bridge.js\"></script>", 1);
        return (headers, page).into_response();
    }
    (headers, asset.bytes).into_response()
}

/// Prints a line. Errors are ignored, since the reader may have closed the pipe.
fn print_line(line: &str) {
    let mut out = stdout();
    drop(writeln!(out, "{line}").and_then(|()| out.flush()));
}
