//! A proxy in front of a plant that forwards everything, and records requests with their access token.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf},
};

pub(crate) struct Tap {
    pub(crate) address: String,
    recorded: Arc<Mutex<String>>,
}

impl Tap {
    /// Starts a proxy in front of a server. `plant` is its base URL, `http://host:port`.
    pub(crate) async fn start(plant: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let recorded = Arc::new(Mutex::new(String::new()));
        let (to, hears) = (plant.trim_start_matches("http://").trim_end_matches('/').to_owned(), Arc::clone(&recorded));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(plant) = TcpStream::connect(&to).await else { return };
                let ((from, back), (answers, on)) = (stream.into_split(), plant.into_split());
                tokio::spawn(forward(from, on, Some(Arc::clone(&hears))));
                tokio::spawn(forward(answers, back, None));
            }
        });
        Self { address, recorded }
    }

    /// Returns the access token that was sent last.
    pub(crate) fn token(&self) -> String {
        let recorded = self.recorded.lock().unwrap().clone();
        let (_, behind) = recorded.rsplit_once("Bearer ").unwrap();
        behind.split(|character: char| character.is_whitespace()).next().unwrap().to_owned()
    }
}

async fn forward(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, recorded: Option<Arc<Mutex<String>>>) {
    let mut part = vec![0; 16_384];
    while let Ok(read) = from.read(&mut part).await {
        if read == 0 || to.write_all(&part[..read]).await.is_err() {
            return;
        }
        if let Some(recorded) = &recorded {
            recorded.lock().unwrap().push_str(&String::from_utf8_lossy(&part[..read]));
        }
    }
}
