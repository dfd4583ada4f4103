//! Reads and decompresses request bodies within limits of size, time and shared memory.
//!
//! Each body has a small allowance. Larger bodies share one allowance, so that slow large bodies can block other large
//! ones, but never events of the usual size.

use std::{
    future::poll_fn,
    io::{ErrorKind, Read},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use axum::body::{Body, HttpBody};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::content_coding::{ContentCoding, UnknownCoding};

/// The maximum size of an event in bytes, both as sent and decompressed. The specification's example has a few
/// thousand.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;
/// The bytes that each body may take without a permit.
const BYTES_WITHOUT_PERMIT: usize = 64 * 1024;
/// The bytes that all larger bodies share.
const SHARED_BYTES: usize = 64 * 1024 * 1024;
/// The bytes of one permit.
const PERMIT_BYTES: usize = 1024;
/// The bytes that are decompressed at once.
const CHUNK_BYTES: usize = 16 * 1024;
/// The time that a body may take after its request's head, even if bytes keep arriving.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// The reason why a body wasn't accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("larger than {MAX_BODY_BYTES} bytes")]
    TooLarge,
    #[error("not complete within {} s", BODY_TIMEOUT.as_secs())]
    Slow,
    #[error("ended before it was complete")]
    Broken,
    /// Too many bytes are in memory at the moment.
    #[error("too much at once")]
    Crowded,
    #[error(transparent)]
    Coding(#[from] UnknownCoding),
}

/// The limits for all bodies and for each one. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct BodyLimits {
    shared: Arc<Semaphore>,
    timeout: Duration,
}

/// A complete body. Dropping it returns its permits.
#[derive(Debug)]
pub(crate) struct ReceivedBody {
    pub(crate) bytes: Vec<u8>,
    permit: Option<OwnedSemaphorePermit>,
}

/// The permits of a body, for as long as copies of it exist.
#[derive(Debug)]
pub(crate) struct BodyPermit(#[expect(dead_code, reason = "held until it is dropped")] Option<OwnedSemaphorePermit>);

impl ReceivedBody {
    pub(crate) fn into_parts(self) -> (Vec<u8>, BodyPermit) {
        (self.bytes, BodyPermit(self.permit))
    }
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { shared: Arc::new(Semaphore::new(SHARED_BYTES / PERMIT_BYTES)), timeout: BODY_TIMEOUT }
    }
}

impl BodyLimits {
    pub(crate) async fn read(&self, body: Body) -> Result<ReceivedBody, BodyError> {
        tokio::time::timeout(self.timeout, self.read_all(body)).await.unwrap_or(Err(BodyError::Slow))
    }

    async fn read_all(&self, mut body: Body) -> Result<ReceivedBody, BodyError> {
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if announced > MAX_BODY_BYTES {
            return Err(BodyError::TooLarge);
        }
        let mut received =
            ReceivedBody { bytes: Vec::with_capacity(announced.min(BYTES_WITHOUT_PERMIT)), permit: None };
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|_| BodyError::Broken)?;
            let Ok(data) = frame.into_data() else { continue };
            self.append(&mut received, &data)?;
        }
        Ok(received)
    }

    /// Returns the body as it was before the sender compressed it.
    pub(crate) async fn decompress(
        &self,
        compressed: ReceivedBody,
        codings: Vec<ContentCoding>,
    ) -> Result<ReceivedBody, BodyError> {
        if codings.is_empty() {
            return Ok(compressed);
        }
        let limits = self.clone();
        let decompressed = tokio::task::spawn_blocking(move || {
            codings.into_iter().rev().try_fold(compressed, |body, coding| limits.decompress_one(&body, coding))
        });
        decompressed.await.unwrap_or(Err(BodyError::Broken))
    }

    fn decompress_one(&self, compressed: &ReceivedBody, coding: ContentCoding) -> Result<ReceivedBody, BodyError> {
        let mut reader = coding.reader(&compressed.bytes);
        let mut received = ReceivedBody { bytes: Vec::with_capacity(BYTES_WITHOUT_PERMIT), permit: None };
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            match reader.read(&mut chunk) {
                Ok(0) => return Ok(received),
                Ok(read) => self.append(&mut received, chunk.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(BodyError::Broken),
            }
        }
    }

    fn append(&self, received: &mut ReceivedBody, data: &[u8]) -> Result<(), BodyError> {
        let length = received.bytes.len() + data.len();
        if length > MAX_BODY_BYTES {
            return Err(BodyError::TooLarge);
        }
        if length > received.bytes.capacity() {
            self.grow(received, length)?;
        }
        received.bytes.extend_from_slice(data);
        Ok(())
    }

    /// Increases the capacity to at least `length`, doubling it if possible.
    fn grow(&self, received: &mut ReceivedBody, length: usize) -> Result<(), BodyError> {
        let before = received.bytes.capacity();
        let capacity = (2 * before).clamp(length.min(MAX_BODY_BYTES), MAX_BODY_BYTES).max(length);
        let more = capacity.saturating_sub(before.max(BYTES_WITHOUT_PERMIT)).div_ceil(PERMIT_BYTES);
        if more > 0 {
            let units = u32::try_from(more).map_err(|_| BodyError::TooLarge)?;
            let permit = Arc::clone(&self.shared).try_acquire_many_owned(units).map_err(|_| BodyError::Crowded)?;
            match &mut received.permit {
                Some(acquired) => acquired.merge(permit),
                none => *none = Some(permit),
            }
        }
        received.bytes.reserve_exact(capacity - received.bytes.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bodies: &BodyLimits, length: usize) -> Result<ReceivedBody, BodyError> {
        bodies.read(Body::from(vec![7; length])).await
    }

    #[tokio::test]
    async fn all_together_are_bounded_and_small_ones_always_pass() {
        let bodies = BodyLimits::default();
        let mut open = Vec::new();
        while let Ok(body) = read(&bodies, MAX_BODY_BYTES).await {
            open.push(body);
            assert!(open.len() <= SHARED_BYTES / MAX_BODY_BYTES + 1, "there is an end");
        }
        assert!(open.len() >= SHARED_BYTES / MAX_BODY_BYTES, "{}", open.len());
        assert!(read(&bodies, 4 * 1024 * 1024).await.is_err_and(|error| error == BodyError::Crowded));
        let small = read(&bodies, BYTES_WITHOUT_PERMIT).await.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(small.bytes, vec![7; BYTES_WITHOUT_PERMIT]);
        drop(open);
        assert!(read(&bodies, MAX_BODY_BYTES).await.is_ok(), "room is given back");
        assert!(read(&bodies, MAX_BODY_BYTES + 1).await.is_err_and(|error| error == BodyError::TooLarge));
    }

    /// Sends one byte at a time without an end.
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
        let bodies = BodyLimits { timeout: Duration::from_millis(50), ..BodyLimits::default() };
        let trickle = Body::new(Trickle(tokio::time::interval(Duration::from_millis(1))));
        assert!(bodies.read(trickle).await.is_err_and(|error| error == BodyError::Slow));
    }
}
