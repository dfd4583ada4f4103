//! The bare handler as a yardstick for the receiver: axum and one file. Requests that wait at the same time share one
//! fsync. It checks no signature, detects no duplicates and has no index.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
};

use axum::{Router, body::Bytes, extract::State, http::StatusCode, routing::post, serve::ListenerExt};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
};

use crate::{
    console::print,
    error::{BenchError, unexpected_result},
};

pub(crate) const PROGRAM_NAME: &str = "appending";

type PendingWrite = (Bytes, oneshot::Sender<()>);

/// Prints its URL as the first line and serves until it is killed.
pub(crate) fn serve(file: &str) -> Result<(), BenchError> {
    let failed = |error: io::Error| unexpected_result(PROGRAM_NAME, &error.to_string());
    let file = OpenOptions::new().create(true).append(true).open(file).map_err(failed)?;
    let (sender, waiting) = mpsc::channel::<PendingWrite>(4096);
    std::thread::spawn(move || append(file, waiting));
    let runtime = tokio::runtime::Runtime::new().map_err(failed)?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        print(&format!("http://{}/events", listener.local_addr().map_err(failed)?));
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let router = Router::new().route("/events", post(receive)).with_state(sender);
        axum::serve(listener, router).await.map_err(failed)
    })
}

async fn receive(State(sender): State<mpsc::Sender<PendingWrite>>, body: Bytes) -> StatusCode {
    let (answer, answered) = oneshot::channel();
    let sent = sender.send((body, answer)).await;
    if sent.is_ok() && answered.await.is_ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}

fn append(mut file: File, mut waiting: mpsc::Receiver<PendingWrite>) -> Option<()> {
    loop {
        let (body, answer) = waiting.blocking_recv()?;
        let (mut bytes, mut answers) = (body.to_vec(), vec![answer]);
        while let Ok((body, answer)) = waiting.try_recv() {
            bytes.extend_from_slice(&body);
            answers.push(answer);
        }
        file.write_all(&bytes).and_then(|()| file.sync_data()).ok()?;
        for answer in answers {
            // The client may have closed the connection.
            let _ = answer.send(());
        }
    }
}
