//! Connections that a fault can cut, for `drop-before-apply` and `apply-then-drop`.
//!
//! hyper can't close a connection instead of responding, so the stream refuses the response's first byte. Nor can
//! hyper's own errors be changed, so the stream replaces them (`http_refusal`).

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
        // Responses are small and latency matters. Without this option they are only slower.
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
    /// Returns the handle that cuts the connection.
    pub(crate) fn cut(&self) -> Cut {
        self.cut.clone()
    }

    /// Writes a response in place of hyper's own error in `bytes`. Returns None if `bytes` must be written unchanged.
    fn poll_refuse(&mut self, bytes: &[u8], context: &mut Context<'_>) -> Option<Poll<io::Result<()>>> {
        if self.refusal.is_none() {
            self.refusal = Refusal::from_hyper_error(bytes, &self.refusals);
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
        if self.cut.is_cut() {
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
        if self.cut.is_cut() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let total_length = || slices.iter().map(|slice| slice.len()).sum();
        let first = slices.iter().find(|slice| !slice.is_empty()).map(|slice| &**slice).unwrap_or_default();
        match self.poll_refuse(first, context) {
            Some(written) => written.map_ok(|()| total_length()),
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
