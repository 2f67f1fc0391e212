//! Connection settings of the targets.

use clap::Args;
use tenbin_plan::{At, Field, List, Place, Refusal, Scalar, TargetDraft, TlsDraft};

use super::keys::{name, named, value_for, values_for};
use super::problem;
use super::set;

/// Connection settings of the targets. A value applies to all targets, or to one target if its
/// name and an equals sign precede the value.
#[derive(Args)]
#[command(next_help_heading = "Connections (for all targets, or for the one named)")]
pub(super) struct ConnectionArgs {
    /// Another host of a target, repeatable; 'weight 3' after the URL gives it three times the
    /// requests. http://db{1...4}:9000 stands for four hosts
    #[arg(long, value_name = "[NAME=]URL")]
    host: Vec<String>,
    /// HTTP version: 1.1 or 2 (by ALPN with https, by prior knowledge with http) [default: 1.1]
    #[arg(long, value_name = "[NAME=]VERSION")]
    http: Vec<String>,
    /// Connect to this Unix socket; path and host name still come from the URL
    #[arg(long, value_name = "[NAME=]PATH")]
    unix_socket: Vec<String>,
    /// Addresses of a host, instead of name resolution, repeatable; IPv6 in brackets
    #[arg(long, value_name = "[NAME=]HOST:PORT:ADDRESS[,ADDRESS]")]
    resolve: Vec<String>,
    /// Use only IPv4 addresses
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    ipv4: Vec<String>,
    /// Use only IPv6 addresses
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    ipv6: Vec<String>,
    /// Local source address of connections
    #[arg(long, value_name = "[NAME=]ADDRESS")]
    source: Vec<String>,
    /// PEM file of the certificate authorities to trust instead of the system's
    #[arg(long, value_name = "[NAME=]FILE")]
    cacert: Vec<String>,
    /// PEM file of the client certificate
    #[arg(long, value_name = "[NAME=]FILE")]
    cert: Vec<String>,
    /// PEM file of its private key [default: the file of --cert]
    #[arg(long, value_name = "[NAME=]FILE")]
    key: Vec<String>,
    /// Accept any certificate; the result says so
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    insecure: Vec<String>,
    /// Server name to send (SNI) and to expect in the certificate [default: the URL's host]
    #[arg(long, value_name = "[NAME=]HOST")]
    server_name: Vec<String>,
    /// Resume TLS sessions [default: every handshake is a full one]
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    tls_resume: Vec<String>,
    /// TLS version to offer: 1.2 or 1.3 [default: both]
    #[arg(long, value_name = "[NAME=]VERSION")]
    tls_version: Vec<String>,
}

impl ConnectionArgs {
    /// Copies the options into the targets that they apply to.
    pub(super) fn apply(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        self.refuse_strangers(&names)?;
        let several = targets.len() > 1;
        let no_https = !targets.iter().any(|target| speaks_tls(&target.value));
        for target in targets {
            let own = name(target);
            let own = own.as_deref();
            let draft = &mut target.value;
            self.add_hosts(draft, own, &names, several)?;
            let find = |values: &[String]| value_for(values, own, &names);
            set(&mut draft.http, "--http", find(&self.http));
            set(&mut draft.unix, "--unix-socket", find(&self.unix_socket));
            set(&mut draft.source, "--source", find(&self.source));
            for (flag, values, version) in [("--ipv4", &self.ipv4, 4), ("--ipv6", &self.ipv6, 6)] {
                let wanted = switch(values, own).then_some(version);
                if let (Some(_), Some(_)) = (wanted, &draft.ip_version) {
                    return Err(problem("--ipv6: not together with --ipv4".to_owned()));
                }
                set(&mut draft.ip_version, flag, wanted);
            }
            let pins = values_for(&self.resolve, own, &names);
            draft.resolve = many("--resolve", &pins);
            // Values for all targets apply to the targets with TLS, if there are any.
            let takes_general = speaks_tls(draft) || no_https;
            let tls = self.tls(own, &names, takes_general);
            draft.tls = tls.map(|tls| At {
                value: tls,
                place: Place::Nowhere,
            });
        }
        Ok(())
    }

    /// The value of a switch must be the name of a target.
    fn refuse_strangers(&self, names: &[String]) -> Result<(), Refusal> {
        let switches = [
            ("--ipv4", &self.ipv4),
            ("--ipv6", &self.ipv6),
            ("--insecure", &self.insecure),
            ("--tls-resume", &self.tls_resume),
        ];
        for (flag, values) in switches {
            let stranger = values
                .iter()
                .find(|value| !value.is_empty() && !names.contains(value));
            if let Some(stranger) = stranger {
                return Err(problem(format!(
                    "{flag}: there is no target called {stranger:?}"
                )));
            }
        }
        Ok(())
    }

    fn add_hosts(
        &self,
        draft: &mut TargetDraft,
        own: Option<&str>,
        names: &[String],
        several: bool,
    ) -> Result<(), Refusal> {
        let general = |value: &&String| named(value, names).is_none();
        if let (Some(host), true) = (self.host.iter().find(general), several) {
            return Err(problem(format!(
                "--host: write the name of the target and an equals sign before {host:?}"
            )));
        }
        let hosts = values_for(&self.host, own, names);
        if hosts.is_empty() {
            return Ok(());
        }
        let first = match (&draft.url, &draft.command, &draft.builtin) {
            (Some(url), None, None) => url.clone(),
            _ => {
                return Err(problem(
                    "--host: only a target given with --target can have several hosts".to_owned(),
                ));
            }
        };
        draft.url = None;
        let more = hosts.iter().map(|host| At::flag("--host", host.as_str()));
        let all = std::iter::once(first).chain(more).collect();
        draft.urls = Some(At::flag("--host", List::Many(all)));
        Ok(())
    }

    fn tls(&self, own: Option<&str>, names: &[String], takes_general: bool) -> Option<TlsDraft> {
        let find = |values: &[String]| {
            let value = value_for(values, own, names)?;
            let is_own = || {
                let mut ours = values.iter().filter_map(|value| named(value, names));
                ours.any(|(name, _)| Some(name) == own)
            };
            (takes_general || is_own()).then_some(value)
        };
        let switched = |values: &[String]| {
            let is_own = values.iter().any(|value| Some(value.as_str()) == own);
            let is_general = takes_general && values.iter().any(String::is_empty);
            (is_own || is_general).then_some(true)
        };
        let mut tls = TlsDraft::default();
        let fields: [(&mut Field, &'static str, &[String]); 5] = [
            (&mut tls.ca, "--cacert", &self.cacert),
            (&mut tls.cert, "--cert", &self.cert),
            (&mut tls.key, "--key", &self.key),
            (&mut tls.server_name, "--server-name", &self.server_name),
            (&mut tls.version, "--tls-version", &self.tls_version),
        ];
        let mut any = false;
        for (field, flag, values) in fields {
            set(field, flag, find(values));
            any |= field.is_some();
        }
        set(&mut tls.insecure, "--insecure", switched(&self.insecure));
        set(&mut tls.resume, "--tls-resume", switched(&self.tls_resume));
        any |= tls.insecure.is_some() || tls.resume.is_some();
        // A switch with this target's name takes precedence over a file for all.
        let by_name = |values: &[String]| values.iter().any(|value| Some(value.as_str()) == own);
        let mut own_ca = self.cacert.iter().filter_map(|value| named(value, names));
        if by_name(&self.insecure) && !own_ca.any(|(name, _)| Some(name) == own) {
            tls.ca = None;
        }
        any.then_some(tls)
    }
}

fn switch(values: &[String], own: Option<&str>) -> bool {
    values
        .iter()
        .any(|value| value.is_empty() || Some(value.as_str()) == own)
}

fn many(flag: &'static str, values: &[String]) -> Option<At<List>> {
    let items = values.iter().map(|value| At::flag(flag, value.as_str()));
    (!values.is_empty()).then(|| At::flag(flag, List::Many(items.collect())))
}

fn speaks_tls(draft: &TargetDraft) -> bool {
    let first = draft.urls.as_ref().and_then(|urls| match &urls.value {
        List::One(url) => Some(url),
        List::Many(urls) => urls.first().map(|url| &url.value),
    });
    let url = draft.url.as_ref().map(|url| &url.value).or(first);
    let is_https = |text: &str| text.trim_start().to_ascii_lowercase().starts_with("https:");
    matches!(url, Some(Scalar::Text(text)) if is_https(text))
}
