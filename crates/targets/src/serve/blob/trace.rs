//! The `Trace-Log` header of CubeFS's access layer: time spent until the head is written.

/// Kinds of calls, which differ in the components of CubeFS that take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trace {
    /// The content is received before the head is written.
    Write,
    /// The content is read after the head is written.
    Read,
    /// The request is passed on as a message.
    Message,
    /// No other component takes part.
    Alone,
}

impl Trace {
    pub(super) fn of(path: &str) -> Self {
        match path {
            "/put" | "/putat" => Self::Write,
            "/get" => Self::Read,
            "/delete" | "/deleteblob" => Self::Message,
            _ => Self::Alone,
        }
    }

    /// The lines of the header, for a head that is written `spent` ms after the request.
    pub(super) fn lines(self, spent: u128) -> Vec<String> {
        // Times of 0 ms are omitted.
        let access = match spent {
            0 => "ACCESS".to_owned(),
            _ => format!("ACCESS:{spent}"),
        };
        match self {
            Self::Write => vec![
                access,
                "CLUSTERMGR;cm;PROXY".to_owned(),
                format!("a_0_r_0_w_{spent}"),
            ],
            Self::Message => vec![access, "PROXY".to_owned()],
            Self::Read | Self::Alone => vec![access],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Trace;

    #[test]
    fn only_times_before_the_head_are_traced() {
        let lines = |path, spent| Trace::of(path).lines(spent).join(" ");
        assert_eq!(lines("/put", 4), "ACCESS:4 CLUSTERMGR;cm;PROXY a_0_r_0_w_4");
        assert_eq!(lines("/get", 0), "ACCESS");
        assert_eq!(lines("/delete", 1), "ACCESS:1 PROXY");
        assert_eq!(lines("/sign", 1), "ACCESS:1");
    }
}
