//! A proxy in front of a plant that forwards everything and records the token.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf},
};

pub(crate) struct Tap {
    pub(crate) address: String,
    heard: Arc<Mutex<String>>,
}

impl Tap {
    /// Starts a proxy. `plant` is its server's address, `http://host:port`.
    pub(crate) async fn start(plant: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(String::new()));
        let (to, hears) = (plant.trim_start_matches("http://").trim_end_matches('/').to_owned(), Arc::clone(&heard));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(plant) = TcpStream::connect(&to).await else { return };
                let ((from, back), (answers, on)) = (stream.into_split(), plant.into_split());
                tokio::spawn(pass(from, on, Some(Arc::clone(&hears))));
                tokio::spawn(pass(answers, back, None));
            }
        });
        Self { address, heard }
    }

    /// Returns the last token that was sent.
    pub(crate) fn token(&self) -> String {
        let heard = self.heard.lock().unwrap().clone();
        let (_, behind) = heard.rsplit_once("Bearer ").unwrap();
        behind.split(|character: char| character.is_whitespace()).next().unwrap().to_owned()
    }
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, heard: Option<Arc<Mutex<String>>>) {
    let mut part = vec![0; 16_384];
    while let Ok(read) = from.read(&mut part).await {
        if read == 0 || to.write_all(&part[..read]).await.is_err() {
            return;
        }
        if let Some(heard) = &heard {
            heard.lock().unwrap().push_str(&String::from_utf8_lossy(&part[..read]));
        }
    }
}
