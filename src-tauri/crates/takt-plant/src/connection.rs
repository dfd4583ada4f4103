//! Connections that a fault can cut: what `drop-before-apply` and `apply-then-drop` need.
//!
//! hyper has no way to close a connection instead of answering. So the stream itself refuses the answer's first byte. Nor can
//! what hyper answers by itself be told what to say: the stream replaces it (`http_refusal`).

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll},
};

use axum::serve::Listener;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};

use crate::{
    cut::Cut,
    http_refusal::{Refusal, Refusals},
};

/// A TCP listener whose connections can be cut.
#[derive(Debug)]
pub(crate) struct CuttableListener {
    pub(crate) listener: TcpListener,
    pub(crate) refusals: Refusals,
}

impl Listener for CuttableListener {
    type Io = CuttableStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Answers are small and wanted at once. Where it can't be set, they are only slower.
        let _ = stream.set_nodelay(true);
        (CuttableStream { stream, cut: Cut::default(), refusals: self.refusals.clone(), refusal: None }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

#[derive(Debug)]
pub(crate) struct CuttableStream {
    stream: TcpStream,
    cut: Cut,
    refusals: Refusals,
    refusal: Option<Refusal>,
}

impl CuttableStream {
    /// What cuts it.
    pub(crate) fn cut(&self) -> Cut {
        self.cut.clone()
    }

    /// Writes an answer in place of bytes that hyper answers by itself. Nothing where they are to be written as they are.
    fn poll_refuse(&mut self, bytes: &[u8], context: &mut Context<'_>) -> Option<Poll<io::Result<()>>> {
        if self.refusal.is_none() {
            self.refusal = Refusal::of(bytes, &self.refusals);
        }
        let Self { stream, refusal, .. } = self;
        refusal.as_mut().map(|refusal| refusal.poll_write(stream, context))
    }
}

impl AsyncRead for CuttableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for CuttableStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.cut.done() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        match self.poll_refuse(bytes, context) {
            Some(written) => written.map_ok(|()| bytes.len()),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.cut.done() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let whole = || slices.iter().map(|slice| slice.len()).sum();
        let first = slices.iter().find(|slice| !slice.is_empty()).map(|slice| &**slice).unwrap_or_default();
        match self.poll_refuse(first, context) {
            Some(written) => written.map_ok(|()| whole()),
            None => Pin::new(&mut self.stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, refusal, .. } = &mut *self;
        match refusal {
            Some(refusal) => refusal.poll_shutdown(stream, context),
            None => Pin::new(stream).poll_shutdown(context),
        }
    }
}
