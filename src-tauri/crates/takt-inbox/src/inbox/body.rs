//! Bodies of requests: read and decompressed within a size, a time, and a bound on all that are held at once.
//!
//! Each may take a little; what is larger takes from one allowance that all share. So large bodies that never end keep out
//! other large ones for a while, and never an event of the usual size.

use std::{
    future::poll_fn,
    io::{ErrorKind, Read},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use axum::body::{Body, HttpBody};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::content_coding::{ContentCoding, UnknownCoding};

/// The largest event, in bytes, as it came and decompressed. One that the specification shows has a few thousand.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;
/// What each may take without asking.
const SMALL: usize = 64 * 1024;
/// What all that are larger take together.
const ALL_LARGE: usize = 64 * 1024 * 1024;
/// The allowance is counted in so many bytes.
const UNIT: usize = 1024;
/// Bytes that are decompressed at once.
const PIECE: usize = 16 * 1024;
/// How long a body may take after its request's head, even if bytes keep coming.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// Why a body wasn't taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum BodyError {
    #[error("larger than {MAX_BODY_BYTES} bytes")]
    TooLarge,
    #[error("not complete within {} s", BODY_TIMEOUT.as_secs())]
    Slow,
    #[error("ended before it was complete")]
    Broken,
    /// Too much is held at this moment.
    #[error("too much at once")]
    Crowded,
    #[error(transparent)]
    Coding(#[from] UnknownCoding),
}

/// What all bodies may take together, and each alone. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct BodyLimits {
    room: Arc<Semaphore>,
    slowest: Duration,
}

/// A whole body; its room is given back when it is dropped.
#[derive(Debug)]
pub(super) struct WholeBody {
    pub(super) bytes: Vec<u8>,
    room: Option<OwnedSemaphorePermit>,
}

/// The room that a body takes, for as long as copies of it are held.
#[derive(Debug)]
pub(super) struct BodyPermit(#[expect(dead_code, reason = "held until it is dropped")] Option<OwnedSemaphorePermit>);

impl WholeBody {
    pub(super) fn parts(self) -> (Vec<u8>, BodyPermit) {
        (self.bytes, BodyPermit(self.room))
    }
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(ALL_LARGE / UNIT)), slowest: BODY_TIMEOUT }
    }
}

impl BodyLimits {
    pub(super) async fn read(&self, body: Body) -> Result<WholeBody, BodyError> {
        timeout(self.slowest, self.whole(body)).await.unwrap_or(Err(BodyError::Slow))
    }

    async fn whole(&self, mut body: Body) -> Result<WholeBody, BodyError> {
        let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if told > MAX_BODY_BYTES {
            return Err(BodyError::TooLarge);
        }
        let mut whole = WholeBody { bytes: Vec::with_capacity(told.min(SMALL)), room: None };
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|_| BodyError::Broken)?;
            let Ok(data) = frame.into_data() else { continue };
            self.add(&mut whole, &data)?;
        }
        Ok(whole)
    }

    /// A body as it was before its sender compressed it.
    pub(super) async fn decompress(
        &self,
        compressed: WholeBody,
        codings: Vec<ContentCoding>,
    ) -> Result<WholeBody, BodyError> {
        if codings.is_empty() {
            return Ok(compressed);
        }
        let limits = self.clone();
        let decompressed = tokio::task::spawn_blocking(move || {
            codings.into_iter().rev().try_fold(compressed, |body, coding| limits.decompress_one(&body, coding))
        });
        decompressed.await.unwrap_or(Err(BodyError::Broken))
    }

    fn decompress_one(&self, compressed: &WholeBody, coding: ContentCoding) -> Result<WholeBody, BodyError> {
        let mut reader = coding.reader(&compressed.bytes);
        let mut whole = WholeBody { bytes: Vec::with_capacity(SMALL), room: None };
        let mut piece = vec![0; PIECE];
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return Ok(whole),
                Ok(read) => self.add(&mut whole, piece.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(BodyError::Broken),
            }
        }
    }

    fn add(&self, whole: &mut WholeBody, data: &[u8]) -> Result<(), BodyError> {
        let length = whole.bytes.len() + data.len();
        if length > MAX_BODY_BYTES {
            return Err(BodyError::TooLarge);
        }
        if length > whole.bytes.capacity() {
            self.widen(whole, length)?;
        }
        whole.bytes.extend_from_slice(data);
        Ok(())
    }

    /// Room for so many bytes at least, twice as much as before where that may be.
    fn widen(&self, whole: &mut WholeBody, length: usize) -> Result<(), BodyError> {
        let before = whole.bytes.capacity();
        let capacity = (2 * before).clamp(length.min(MAX_BODY_BYTES), MAX_BODY_BYTES).max(length);
        let more = capacity.saturating_sub(before.max(SMALL)).div_ceil(UNIT);
        if more > 0 {
            let units = u32::try_from(more).map_err(|_| BodyError::TooLarge)?;
            let permit = Arc::clone(&self.room).try_acquire_many_owned(units).map_err(|_| BodyError::Crowded)?;
            match &mut whole.room {
                Some(room) => room.merge(permit),
                none => *none = Some(permit),
            }
        }
        whole.bytes.reserve_exact(capacity - whole.bytes.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bodies: &BodyLimits, length: usize) -> Result<WholeBody, BodyError> {
        bodies.read(Body::from(vec![7; length])).await
    }

    #[tokio::test]
    async fn all_together_are_bounded_and_small_ones_always_pass() {
        let bodies = BodyLimits::default();
        let mut held = Vec::new();
        while let Ok(body) = read(&bodies, MAX_BODY_BYTES).await {
            held.push(body);
            assert!(held.len() <= ALL_LARGE / MAX_BODY_BYTES + 1, "there is an end");
        }
        assert!(held.len() >= ALL_LARGE / MAX_BODY_BYTES, "{}", held.len());
        assert!(read(&bodies, 4 * 1024 * 1024).await.is_err_and(|error| error == BodyError::Crowded));
        let small = read(&bodies, SMALL).await.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(small.bytes, vec![7; SMALL]);
        drop(held);
        assert!(read(&bodies, MAX_BODY_BYTES).await.is_ok(), "room is given back");
        assert!(read(&bodies, MAX_BODY_BYTES + 1).await.is_err_and(|error| error == BodyError::TooLarge));
    }

    /// Comes without an end, a byte at a time.
    struct Trickle(tokio::time::Interval);

    impl HttpBody for Trickle {
        type Data = axum::body::Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<hyper::body::Frame<Self::Data>, Self::Error>>> {
            self.0.poll_tick(context).map(|_| Some(Ok(hyper::body::Frame::data(axum::body::Bytes::from_static(b" ")))))
        }
    }

    #[tokio::test]
    async fn what_comes_slowly_and_steadily_ends_all_the_same() {
        let bodies = BodyLimits { slowest: Duration::from_millis(50), ..BodyLimits::default() };
        let trickle = Body::new(Trickle(tokio::time::interval(Duration::from_millis(1))));
        assert!(bodies.read(trickle).await.is_err_and(|error| error == BodyError::Slow));
    }
}
