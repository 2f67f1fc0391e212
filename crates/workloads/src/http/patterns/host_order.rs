//! The hosts of the requests of one thread, in the order in which the requests were drawn.

/// Requests per piece of memory: a longer list would be moved while requests are sent.
const PIECE: usize = 1 << 16;

/// The host of each request that a thread drew, up to a maximum. Empty if the order is not kept.
#[derive(Debug, Default)]
pub(super) struct HostOrder {
    pieces: Vec<Vec<u8>>,
    /// Maximum number of requests whose host is kept.
    most: usize,
    length: usize,
}

impl HostOrder {
    /// Keeps the hosts of the first `most` requests.
    pub(super) fn keeping(most: usize) -> Self {
        Self {
            pieces: Vec::with_capacity(most.div_ceil(PIECE)),
            most,
            length: 0,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, host: usize) {
        if self.length == self.most {
            return;
        }
        let Ok(host) = u8::try_from(host) else {
            // The order would be wrong from here on.
            self.most = self.length;
            return;
        };
        if self.length.is_multiple_of(PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push(host);
        }
        self.length += 1;
    }

    /// The host of a request; `None` if it was not kept.
    pub(super) fn get(&self, request: usize) -> Option<usize> {
        let host = self.pieces.get(request / PIECE)?.get(request % PIECE)?;
        Some(usize::from(*host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hosts_are_kept_in_order() {
        let most = PIECE + 3;
        let mut order = HostOrder::keeping(most);
        for request in 0..most + 10 {
            order.push(request % 7);
        }
        for request in [0, 5, PIECE - 1, PIECE, most - 1] {
            assert_eq!(order.get(request), Some(request % 7), "{request}");
        }
        assert_eq!(order.get(most), None);
        let mut none = HostOrder::default();
        none.push(1);
        assert_eq!(none.get(0), None);
    }

    #[test]
    fn an_order_with_too_many_hosts_ends() {
        let mut order = HostOrder::keeping(9);
        for host in [1, 256, 2] {
            order.push(host);
        }
        assert_eq!((order.get(0), order.get(1)), (Some(1), None));
    }
}
